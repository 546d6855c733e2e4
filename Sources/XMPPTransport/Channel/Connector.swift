/// Where a server is.
package enum ServerAddress: Sendable, Hashable {
    /// A host name or IP address that someone configured.
    case host(String, port: UInt16)
    /// An XMPP domain: SRV records say where, else its own address and port 5222 (RFC 6120 3.2).
    case domain(String)
}

/// Makes channels.
package protocol Connector: Sendable {
    /// Returns at once; events come on the loop, `.connected` or `.closed(.failed)` first. To be called on the loop.
    func connect(
        to address: ServerAddress,
        on loop: EventLoop,
        handler: @escaping @Sendable (ChannelEvent) -> Void
    ) -> any Channel
}
