/// What a search for a server has not tried when it has led to a connection.
struct ConnectRemainder {
    /// Without its winner.
    let race: ConnectRace
    let security: TLSSettings?
    let resolver: any Resolving

    /// The way on, as a channel of its own.
    func connect(on loop: EventLoop, handler: @escaping @Sendable (ChannelEvent) -> Void) -> any Channel {
        let channel = SocketChannel(on: loop, handler: handler)
        channel.beginConnecting(ConnectAttempt(channel, with: self))
        return channel
    }
}
