/// One SRV record (RFC 2782).
package struct ServiceRecord: Sendable, Hashable {
    package var priority: UInt16
    package var weight: UInt16
    /// A host name without its last dot; empty for the root, which means that the service is not offered.
    package var target: String
    package var port: UInt16

    package init(priority: UInt16, weight: UInt16, target: String, port: UInt16) {
        self.priority = priority
        self.weight = weight
        self.target = target
        self.port = port
    }
}

/// What DNS says about a domain's service.
package enum ServiceAnswer: Sendable, Hashable {
    /// Never empty.
    case records([ServiceRecord])
    /// There are no records, or no name server answered (RFC 6120 3.2.1 item 3: both mean the fallback).
    case none
}

/// Looks names up.
///
/// Blocking: called on the blocking pool only.
package protocol Resolving: Sendable {
    /// The SRV records of `_xmpp-client._tcp.DOMAIN`.
    func services(of domain: String) -> ServiceAnswer
    /// The addresses of a host, in the order in which to try them; never empty.
    /// - Throws: `.dnsFailed`.
    func addresses(of host: String, port: UInt16) throws(TransportError) -> [SocketAddress]
}
