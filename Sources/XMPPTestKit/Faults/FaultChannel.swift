import XMPPTransport

/// A channel whose events come late, in pieces or not at all.
final class FaultChannel: Channel, @unchecked Sendable {
    // Unchecked because every variable is touched on the loop only, as each call of a channel is.

    private let loop: EventLoop
    private let faults: LinkFaults
    /// Those of the channel that another one is passed over for.
    private let nextFaults: @Sendable () -> LinkFaults
    private var handler: (@Sendable (ChannelEvent) -> Void)?
    private var inner: (any Channel)?
    /// What came and was not delivered yet.
    private var waiting: [Waiting] = []
    private var isDelivering = false
    /// The end of a stall is awaited.
    private var stall: TimerID?
    private var isReading = true
    private var isSecured = false
    /// Nothing goes either way any more.
    private var isSilent = false
    private var heard = 0
    private var said = 0

    private enum Waiting {
        case event(ChannelEvent)
        case stall(Duration)
    }

    /// A channel without the one within as yet.
    ///
    /// - Parameters:
    ///   - loop: That of both.
    ///   - faults: Those of each connection, asked for once at its beginning.
    ///   - handler: Gets what is left of the events.
    init(
        on loop: EventLoop, _ faults: @escaping @Sendable () -> LinkFaults,
        handler: @escaping @Sendable (ChannelEvent) -> Void
    ) {
        self.loop = loop
        self.faults = faults()
        nextFaults = faults
        self.handler = handler
    }

    func wrap(_ channel: any Channel) {
        inner = channel
    }

    /// Takes an event of the channel within.
    func take(_ event: ChannelEvent) {
        guard handler != nil, !isSilent else { return }
        switch event {
        case .received(let bytes): receive(bytes)
        case .attempted, .connected, .secured, .writable, .closed: waiting.append(.event(event))
        }
        deliverSoon()
    }

    private func receive(_ bytes: [UInt8]) {
        var rest = bytes[...]
        if let cut = faults.cut { rest = rest.prefix(max(0, cut.bytes - heard)) }
        for portion in faults.portions(of: rest, from: heard) {
            switch portion {
            case .bytes(let piece): waiting.append(.event(.received(piece)))
            case .stall(let duration): waiting.append(.stall(duration))
            }
        }
        heard += rest.count
        if let cut = faults.cut, heard >= cut.bytes { end(cut.ending) }
    }

    private func end(_ ending: RecordedServer.Cut.Ending) {
        guard !isSilent else { return }
        isSilent = true
        switch ending {
        case .silence: return
        case .endOfStream where isSecured:
            waiting.append(.event(.closed(.failed(TransportError(.tlsTruncated, "the link was cut")))))
        case .endOfStream: waiting.append(.event(.closed(.endOfStream)))
        case .reset: waiting.append(.event(.closed(.failed(TransportError(.connectionLost, "the link was reset")))))
        }
        inner?.abort()
        deliverSoon()
    }

    /// Each event in a turn of its own, so that what else happens comes in between.
    private func deliverSoon() {
        guard !isDelivering, stall == nil, !waiting.isEmpty else { return }
        isDelivering = true
        loop.execute { [self] in
            isDelivering = false
            guard stall == nil, let next = waiting.first else { return }
            if case .event(.received) = next, !isReading { return }
            waiting.removeFirst()
            switch next {
            case .event(let event): deliver(event)
            case .stall(let duration): wait(duration)
            }
            deliverSoon()
        }
    }

    private func wait(_ duration: Duration) {
        stall = loop.schedule(after: duration) { [self] in
            stall = nil
            deliverSoon()
        }
    }

    /// The stall is over, or will not be.
    private func endStall() {
        if let stall { loop.cancel(stall) }
        stall = nil
    }

    private func deliver(_ event: ChannelEvent) {
        switch event {
        case .closed: close(event)
        case .secured:
            isSecured = true
            handler?(event)
        case .attempted, .connected, .received, .writable: handler?(event)
        }
        // The link may be one that ends before a byte.
        switch event {
        case .connected, .secured: if let cut = faults.cut, cut.bytes <= 0 { end(cut.ending) }
        case .attempted, .received, .writable, .closed: break
        }
    }

    private func close(_ event: ChannelEvent) {
        let last = handler
        handler = nil
        waiting = []
        endStall()
        // What is within stays, and has what may be left of its search.
        last?(event)
    }

    // MARK: - Calls

    func passOver(handler: @escaping @Sendable (ChannelEvent) -> Void) -> (any Channel)? {
        // Made late: what is left is no connection, and counts as none, where there is nothing.
        let link = Locked<FaultChannel?>(nil)
        guard let next = inner?.passOver(handler: { event in link.withLock { $0 }?.take(event) }) else { return nil }
        let channel = FaultChannel(on: loop, nextFaults, handler: handler)
        channel.wrap(next)
        link.withLock { $0 = channel }
        return channel
    }

    func settle() { inner?.settle() }

    var timeInQueue: Duration { inner?.timeInQueue ?? .zero }

    var unsentBytes: Int { inner?.unsentBytes ?? 0 }

    func send(_ bytes: [UInt8]) {
        guard !isSilent else { return }
        guard let cut = faults.outgoingCut else {
            inner?.send(bytes)
            return
        }
        let rest = bytes.prefix(max(0, cut.bytes - said))
        said += rest.count
        inner?.send(Array(rest))
        if said >= cut.bytes { end(cut.ending) }
    }

    func startTLS(_ settings: TLSSettings) {
        let isBehind = waiting.contains { if case .event(.received) = $0 { true } else { false } }
        guard isBehind else {
            inner?.startTLS(settings)
            return
        }
        // As any channel: what came in clear and was not delivered before TLS is a failure.
        waiting = [.event(.closed(.failed(TransportError(.plaintextAfterStartTLS, "pieces were still to come"))))]
        endStall()
        isSilent = true
        inner?.abort()
        deliverSoon()
    }

    func close() { finish { $0.close() } }

    func abort() { finish { $0.abort() } }

    /// The end that this side wants comes from within, unless the link is dead by now.
    private func finish(_ end: (any Channel) -> Void) {
        waiting.removeAll {
            switch $0 {
            case .event(.received), .stall: true
            case .event: false
            }
        }
        endStall()
        if isSilent {
            inner?.abort()
            waiting = [.event(.closed(.local))]
            deliverSoon()
        } else if let inner {
            end(inner)
        }
    }

    func setReading(_ isReading: Bool) {
        self.isReading = isReading
        inner?.setReading(isReading)
        if isReading { deliverSoon() }
    }
}
