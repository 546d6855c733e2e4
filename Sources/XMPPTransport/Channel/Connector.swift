/// Where a server is.
package enum ServerAddress: Sendable, Hashable {
    /// A host name or IP address that someone configured, and whether TLS begins with the connection (XEP-0368).
    case host(String, port: UInt16, isDirectTLS: Bool = false)
    /// An XMPP domain: SRV records say where, else its own address and port 5222 (RFC 6120 3.2).
    case domain(String)
    /// An XMPP domain by one of its services only: the one whose TLS begins with the connection, or the other one.
    case services(of: String, isDirectTLS: Bool)
}

/// Makes channels.
package protocol Connector: Sendable {
    /// Returns at once; events come on the loop: `.attempted`s, then `.connected`, `.secured` (direct TLS) or
    /// `.closed(.failed)`. To be called on the loop. Where TLS begins with the connection, it does so by `security`;
    /// without that, such targets are passed over.
    func connect(
        to address: ServerAddress,
        security: TLSSettings?,
        on loop: EventLoop,
        handler: @escaping @Sendable (ChannelEvent) -> Void
    ) -> any Channel
}
