/// With whom TLS is to be spoken, and by which rules.
///
/// With a server's context only the context counts.
package struct TLSSettings: Sendable {
    /// The name that the server's certificate must be for: the domain of the account, as A-label, never the host that
    /// DNS named (RFC 6120 13.7.2.1).
    package var domain: String
    /// The domain in U-labels, where it differs: XMPP addresses in certificates are written so (RFC 6120 13.7.1.4).
    package var unicodeDomain: String?
    package var context: TLSContext
    /// SHA-256 digests of SubjectPublicKeyInfo: one certificate of the verified chain must have one of these keys.
    ///
    /// Pins add to the verification and replace nothing of it. Empty: nothing is pinned.
    package var pins: [[UInt8]] = []
    /// The client's certificate, shown where the server asks for one.
    package var identity: TLSIdentity?
    /// Where sessions are kept to be resumed; `nil`, or an empty `peer`, for none.
    package var sessions: TLSSessionCache?
    /// Which server this is, such as `xmpp.example.org:5222`: for `sessions` only; where it is empty, the
    /// channel says what it was connected to.
    package var peer = ""
    /// Whether ALPN says `xmpp-client` (XEP-0368), for connections that begin with TLS.
    package var offersALPN = false

    package init(domain: String, context: TLSContext) {
        self.domain = domain
        self.context = context
    }
}
