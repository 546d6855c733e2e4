/// One end of a connection within the process, for tests of what lies above: same events, no sockets.
///
/// `startTLS` succeeds at once on the end that calls it, and protects nothing. What the peer has not taken counts as
/// unsent.
package final class MemoryChannel: Channel, @unchecked Sendable {
    // Unchecked because: everything but `incoming` (locked) is touched on `loop` only (checked); `peer` and `tls` are set
    // before the first use.

    private enum Item {
        case bytes([UInt8])
        case end(ChannelClosure)
    }

    /// What the peer sent and was not delivered yet.
    private struct Incoming {
        var items: [Item] = []
        var byteCount = 0
        var wasOverHighWater = false
    }

    private let loop: EventLoop
    private weak var peer: MemoryChannel?
    private var handler: (@Sendable (ChannelEvent) -> Void)?
    private let incoming = Locked(Incoming())
    private var isOpen = false
    private var isReading = true
    private var isClosed = false
    private var tls = TLSSummary(version: "memory", cipher: "none")
    /// Holds this end for as long as it is open, as a socket is held by its loop.
    private var keptAlive: MemoryChannel?

    private init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Two ends, joined; call `open(_:)` of each on its loop.
    package static func pair(_ first: EventLoop, _ second: EventLoop) -> (MemoryChannel, MemoryChannel) {
        let ends = (MemoryChannel(on: first), MemoryChannel(on: second))
        ends.0.peer = ends.1
        ends.1.peer = ends.0
        ends.0.keptAlive = ends.0
        ends.1.keptAlive = ends.1
        return ends
    }

    /// Says what both ends are told of TLS, before either is open.
    ///
    /// - Parameters:
    ///   - summary: What this end sees.
    ///   - peerSummary: What the other end sees: the same, unless somebody stands between the two.
    package func agree(on summary: TLSSummary, peerSees peerSummary: TLSSummary) {
        tls = summary
        peer?.tls = peerSummary
    }

    /// Sets who gets the events and delivers `.connected`.
    package func open(_ handler: @escaping @Sendable (ChannelEvent) -> Void) {
        attach(handler)
        open()
    }

    /// Sets who gets the events.
    func attach(_ handler: @escaping @Sendable (ChannelEvent) -> Void) {
        loop.checkIsolated()
        self.handler = handler
    }

    /// Delivers `.connected`, or `.secured` where TLS begins with the connection.
    func open(isDirectTLS: Bool = false) {
        loop.checkIsolated()
        loop.execute { [self] in
            isOpen = true
            deliver(isDirectTLS ? .secured(tls) : .connected)
            deliverIncoming()
        }
    }

    /// Its handshakes wait for nobody.
    package var timeInQueue: Duration { .zero }

    package var unsentBytes: Int { peer?.incoming.withLock { $0.byteCount } ?? 0 }

    package func send(_ bytes: [UInt8]) {
        loop.checkIsolated()
        guard !isClosed, !bytes.isEmpty else { return }
        guard unsentBytes + bytes.count <= ChannelLimits.unsentBytes else {
            finish(.failed(.outputOverflow), peerSees: .failed(.memoryPeerGone))
            return
        }
        peer?.receive(.bytes(bytes), byteCount: bytes.count)
    }

    package func startTLS(_ settings: TLSSettings) {
        loop.checkIsolated()
        guard !isClosed else { return }
        guard incoming.withLock({ $0.byteCount }) == 0 else {
            finish(.failed(.plaintextAfterStartTLS), peerSees: .failed(.memoryPeerGone))
            return
        }
        loop.execute { [self] in deliver(.secured(tls)) }
    }

    package func close() {
        loop.checkIsolated()
        finish(.local, peerSees: .endOfStream)
    }

    package func abort() {
        loop.checkIsolated()
        finish(.local, peerSees: .failed(.memoryPeerGone))
    }

    package func setReading(_ isReading: Bool) {
        loop.checkIsolated()
        self.isReading = isReading
        if isReading { loop.execute { [self] in deliverIncoming() } }
    }

    /// Breaks the connection as a pulled cable or a reset does: both ends see a failure.
    package func breakLink(_ error: TransportError = TransportError(.connectionLost, "the link was broken")) {
        loop.checkIsolated()
        finish(.failed(error), peerSees: .failed(error))
    }

    /// Ends this side without an event: nobody handles it.
    func abandon() {
        loop.checkIsolated()
        isClosed = true
        keptAlive = nil
    }

    /// From the peer's loop.
    private func receive(_ item: Item, byteCount: Int = 0) {
        incoming.withLock { incoming in
            incoming.items.append(item)
            incoming.byteCount += byteCount
            if incoming.byteCount > ChannelLimits.highWaterMark { incoming.wasOverHighWater = true }
        }
        loop.execute { [self] in deliverIncoming() }
    }

    private func deliverIncoming() {
        while isOpen, !isClosed, isReading {
            let (item, isDrained) = incoming.withLock { incoming in
                guard !incoming.items.isEmpty else { return (Item?.none, false) }
                let item = incoming.items.removeFirst()
                if case .bytes(let bytes) = item { incoming.byteCount -= bytes.count }
                let isDrained = incoming.wasOverHighWater && incoming.byteCount == 0
                if isDrained { incoming.wasOverHighWater = false }
                return (item, isDrained)
            }
            switch item {
            case .bytes(let bytes): deliver(.received(bytes))
            case .end(let closure): finish(closure, peerSees: nil)
            case nil: return
            }
            if isDrained, let peer { peer.loop.execute { peer.deliver(.writable) } }
        }
    }

    private func deliver(_ event: ChannelEvent) {
        guard !isClosed else { return }
        handler?(event)
    }

    private func finish(_ closure: ChannelClosure, peerSees peerClosure: ChannelClosure?) {
        guard !isClosed else { return }
        isClosed = true
        if let peerClosure { peer?.receive(.end(peerClosure)) }
        loop.execute { [self] in
            let last = handler
            handler = nil
            keptAlive = nil
            last?(.closed(closure))
        }
    }
}

extension TransportError {
    fileprivate static let memoryPeerGone = TransportError(.connectionLost, "the peer broke the connection")
}
