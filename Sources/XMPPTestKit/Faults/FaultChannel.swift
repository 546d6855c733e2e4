import XMPPTransport

/// A channel whose events come late, in pieces or not at all.
final class FaultChannel: Channel, @unchecked Sendable {
    // Unchecked because every variable is touched on the loop only, as each call of a channel is.

    private let loop: EventLoop
    private let faults: LinkFaults
    private var handler: (@Sendable (ChannelEvent) -> Void)?
    private var inner: (any Channel)?
    /// What came and was not delivered yet.
    private var waiting: [ChannelEvent] = []
    private var isDelivering = false
    private var isReading = true
    private var isSecured = false
    /// Nothing goes either way any more.
    private var isSilent = false
    private var heard = 0
    private var said = 0

    init(on loop: EventLoop, _ faults: LinkFaults, handler: @escaping @Sendable (ChannelEvent) -> Void) {
        self.loop = loop
        self.faults = faults
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
        case .attempted, .connected, .secured, .writable, .closed: waiting.append(event)
        }
        deliverSoon()
    }

    private func receive(_ bytes: [UInt8]) {
        var rest = bytes[...]
        if let cut = faults.cut { rest = rest.prefix(max(0, cut.bytes - heard)) }
        heard += rest.count
        while !rest.isEmpty {
            let piece = rest.prefix(max(1, faults.pieceSize ?? rest.count))
            rest = rest.dropFirst(piece.count)
            waiting.append(.received(Array(piece)))
        }
        if let cut = faults.cut, heard >= cut.bytes { end(cut.ending) }
    }

    private func end(_ ending: RecordedServer.Cut.Ending) {
        guard !isSilent else { return }
        isSilent = true
        switch ending {
        case .silence: return
        case .endOfStream where isSecured:
            waiting.append(.closed(.failed(TransportError(.tlsTruncated, "the link was cut"))))
        case .endOfStream: waiting.append(.closed(.endOfStream))
        case .reset: waiting.append(.closed(.failed(TransportError(.connectionLost, "the link was reset"))))
        }
        inner?.abort()
        deliverSoon()
    }

    /// Each event in a turn of its own, so that what else happens comes in between.
    private func deliverSoon() {
        guard !isDelivering, !waiting.isEmpty else { return }
        isDelivering = true
        loop.execute { [self] in
            isDelivering = false
            guard let event = waiting.first else { return }
            if case .received = event, !isReading { return }
            waiting.removeFirst()
            deliver(event)
            deliverSoon()
        }
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
        inner = nil
        last?(event)
    }

    // MARK: - Calls

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
        let isBehind = waiting.contains { if case .received = $0 { true } else { false } }
        guard isBehind else {
            inner?.startTLS(settings)
            return
        }
        // As any channel: what came in clear and was not delivered before TLS is a failure.
        waiting = [.closed(.failed(TransportError(.plaintextAfterStartTLS, "pieces were still to come")))]
        isSilent = true
        inner?.abort()
        deliverSoon()
    }

    func close() { finish { $0.close() } }

    func abort() { finish { $0.abort() } }

    /// The end that this side wants comes from within, unless the link is dead by now.
    private func finish(_ end: (any Channel) -> Void) {
        waiting.removeAll { if case .received = $0 { true } else { false } }
        if isSilent {
            inner?.abort()
            waiting = [.closed(.local)]
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
