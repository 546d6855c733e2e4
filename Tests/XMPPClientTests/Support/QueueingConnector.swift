import XMPPTransport

/// Channels that say that they have waited in a queue of this process.
struct QueueingConnector: Connector {
    let queue: Locked<Duration>
    let inner: Locked<(any Connector)?>

    func connect(
        to address: ServerAddress, security: TLSSettings?, on loop: EventLoop,
        handler: @escaping @Sendable (ChannelEvent) -> Void
    ) -> any Channel {
        guard let inner = inner.withLock({ $0 }) else { preconditionFailure("no server as yet") }
        let channel = inner.connect(to: address, security: security, on: loop, handler: handler)
        return QueueingChannel(queue: queue, inner: channel)
    }
}

private final class QueueingChannel: Channel {
    let queue: Locked<Duration>
    let inner: any Channel

    init(queue: Locked<Duration>, inner: any Channel) {
        (self.queue, self.inner) = (queue, inner)
    }

    var timeInQueue: Duration { queue.withLock { $0 } }
    var unsentBytes: Int { inner.unsentBytes }
    func send(_ bytes: [UInt8]) { inner.send(bytes) }
    func startTLS(_ settings: TLSSettings) { inner.startTLS(settings) }
    func close() { inner.close() }
    func abort() { inner.abort() }
    func setReading(_ isReading: Bool) { inner.setReading(isReading) }
}
