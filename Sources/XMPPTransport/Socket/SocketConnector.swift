/// Connects over TCP, with TLS from the first byte where the target says so.
package struct SocketConnector: Connector {
    private let resolver: any Resolving
    private let makeGenerator: @Sendable () -> any RandomNumberGenerator

    /// - Parameters:
    ///   - resolver: looks names up.
    ///   - makeGenerator: the chance by which SRV targets of one priority are ordered.
    package init(
        resolver: any Resolving = SystemResolver(),
        makeGenerator: @escaping @Sendable () -> any RandomNumberGenerator = { SystemRandomNumberGenerator() }
    ) {
        self.resolver = resolver
        self.makeGenerator = makeGenerator
    }

    package func connect(
        to address: ServerAddress, security: TLSSettings?,
        on loop: EventLoop,
        handler: @escaping @Sendable (ChannelEvent) -> Void
    ) -> any Channel {
        loop.checkIsolated()
        let channel = SocketChannel(on: loop, handler: handler)
        let attempt = ConnectAttempt(
            channel, address: address, security: security, resolver: resolver, generator: makeGenerator())
        channel.beginConnecting(attempt)
        return channel
    }
}
