/// A step on the way to a server, for observers and for `doorward check --connect`.
package enum ConnectStep: Sendable, Hashable {
    /// DNS named these targets, in the order in which they will be tried; empty: the domain has no SRV records.
    case found([Target])
    /// A host name has these addresses.
    case resolved(host: String, addresses: [String])
    /// A name could not be looked up.
    case unresolved(name: String, TransportError)
    /// An address is being tried.
    case trying(String)
    /// An address did not work; another may.
    case failed(String, TransportError)
    /// TCP is up with this address.
    case reached(String, isDirectTLS: Bool)

    /// A target of an SRV record (RFC 2782), or the domain itself.
    package struct Target: Sendable, Hashable {
        package var host: String
        package var port: UInt16
        package var isDirectTLS: Bool

        package init(host: String, port: UInt16, isDirectTLS: Bool) {
            self.host = host
            self.port = port
            self.isDirectTLS = isDirectTLS
        }
    }
}
