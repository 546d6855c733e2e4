/// How a server's context speaks TLS; as it comes, a good server without tickets.
package struct TLSServerOptions: Sendable {
    /// The versions, as on the wire: 0x0303 for TLS 1.2, 0x0304 for TLS 1.3.
    package var versions: ClosedRange<UInt16> = 0x0303...0x0304
    /// The tickets that a full handshake with TLS 1.3 gives.
    ///
    /// With TLS 1.2 there is one where this is not 0. With 0, no session is ever resumed.
    package var tickets = 0
    /// What comes of it when the client shows no certificate; `nil` does not ask for one.
    package var clientCertificate: ClientCertificate?
    /// What is answered to a client that offers ALPN.
    package var applicationProtocol: String?
    /// Whether TLS 1.2 has the extended master secret (RFC 7627), without which bindings are weaker or none.
    package var hasExtendedMasterSecret = true

    package struct ClientCertificate: Sendable {
        /// The authorities of clients (PEM).
        package var caFile: String
        package var isRequired: Bool

        package init(caFile: String, isRequired: Bool) {
            self.caFile = caFile
            self.isRequired = isRequired
        }
    }

    package init() {}
}
