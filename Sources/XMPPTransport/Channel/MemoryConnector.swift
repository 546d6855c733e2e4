/// Connects to a function instead of a server: the in-memory twin of `SocketConnector`.
package struct MemoryConnector: Connector {
    private let serverLoop: EventLoop?
    private let accept: @Sendable (MemoryChannel, ServerAddress) -> (@Sendable (ChannelEvent) -> Void)?

    /// - Parameters:
    ///   - serverLoop: the loop of the server's ends; the client's own when `nil`.
    ///   - accept: gets the server's end of each connection, on its loop, and returns who handles its events; `nil`
    ///     refuses.
    package init(
        serverLoop: EventLoop? = nil,
        accept: @escaping @Sendable (MemoryChannel, ServerAddress) -> (@Sendable (ChannelEvent) -> Void)?
    ) {
        self.serverLoop = serverLoop
        self.accept = accept
    }

    package func connect(
        to address: ServerAddress, security: TLSSettings?,
        on loop: EventLoop,
        handler: @escaping @Sendable (ChannelEvent) -> Void
    ) -> any Channel {
        let serverLoop = serverLoop ?? loop
        let (client, server) = MemoryChannel.pair(loop, serverLoop)
        client.attach(handler)
        let accept = accept
        let isDirectTLS = if case .host(_, _, isDirectTLS: true) = address { true } else { false }
        serverLoop.execute {
            guard let serverHandler = accept(server, address) else {
                server.abandon()
                loop.execute { client.breakLink(TransportError(.connectFailed, "refused")) }
                return
            }
            server.attach(serverHandler)
            server.open(isDirectTLS: isDirectTLS)
            loop.execute { client.open(isDirectTLS: isDirectTLS) }
        }
        return client
    }
}
