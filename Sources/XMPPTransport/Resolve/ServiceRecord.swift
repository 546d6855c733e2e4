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

/// The two services of a domain that a client can connect to.
package enum ServiceKind: Sendable, Hashable, CaseIterable {
    /// TLS from the first byte (XEP-0368).
    case directTLS
    /// STARTTLS (RFC 6120 3.2.1).
    case startTLS

    /// The name whose SRV records say where the service is.
    package func name(of domain: String) -> String {
        switch self {
        case .directTLS: "_xmpps-client._tcp.\(domain)"
        case .startTLS: "_xmpp-client._tcp.\(domain)"
        }
    }
}
