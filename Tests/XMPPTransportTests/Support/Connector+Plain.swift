import XMPPTransport

extension Connector {
    /// Connects where no direct TLS is wanted.
    func connect(
        to address: ServerAddress, on loop: EventLoop, handler: @escaping @Sendable (ChannelEvent) -> Void
    ) -> any Channel {
        connect(to: address, security: nil, on: loop, handler: handler)
    }
}
