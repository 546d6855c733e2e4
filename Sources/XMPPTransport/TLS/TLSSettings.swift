/// With whom TLS is to be spoken.
package struct TLSSettings: Sendable {
    /// The name that the server's certificate must be for: the domain of the account, as A-label, never the host that
    /// DNS named (RFC 6120 13.7.2.1).
    ///
    /// Not used with a server's context.
    package var domain: String
    package var context: TLSContext
    /// Whether ALPN says `xmpp-client`: with direct TLS (XEP-0368 section 4).
    package var offersALPN = false

    package init(domain: String, context: TLSContext) {
        self.domain = domain
        self.context = context
    }
}
