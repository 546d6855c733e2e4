import CShims
import Glibc

/// A channel over a stream socket: TCP or Unix, connecting or accepted, in clear or with TLS.
final class SocketChannel: Channel, @unchecked Sendable {
    // Unchecked because: every variable is touched on `loop` only; each call checks it.

    enum State {
        case connecting
        case plain
        /// TLS begins once what was queued in clear has left.
        case upgrading(TLSSettings)
        case handshaking(TLSEngine)
        case secured(TLSEngine)
        case closed
    }

    /// How the channel is to end once its output has left.
    enum Ending: Equatable {
        case none
        /// The peer has ended its direction: no more is read, the rest is sent.
        case peerEnded
        /// `close()` was called: flush, say the end.
        case flushing
        /// The end was said: input is dropped until the peer ends too, so that no reset overtakes our last bytes.
        case lingering
    }

    let loop: EventLoop
    private var handler: (@Sendable (ChannelEvent) -> Void)?
    private var attempt: ConnectAttempt?
    private(set) var state = State.connecting
    private var ending = Ending.none
    private var descriptor: Int32 = -1
    private var registration: Registration?
    private var interest: UInt32 = 0
    private var output = OutputBuffer()
    /// What was sent behind `startTLS` and waits for the handshake.
    private var held = OutputBuffer()
    private var isFlushScheduled = false
    private var isOverHighWater = false
    private var isReading = true
    /// The handshake's deadline, or that of closing.
    private var deadline: TimerID?

    /// - Parameter handler: `nil` for an accepted connection, which gets it by `accept(_:handler:)`.
    init(on loop: EventLoop, handler: (@Sendable (ChannelEvent) -> Void)? = nil) {
        self.loop = loop
        self.handler = handler
    }

    deinit {
        // Only when the loop ended before the channel.
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    // MARK: - Opening

    func beginConnecting(_ attempt: ConnectAttempt) {
        self.attempt = attempt
        loop.execute {
            // Closed in the meantime: the attempt was dropped.
            self.attempt?.start()
        }
    }

    func finishConnecting(_ result: Result<Int32, TransportError>) {
        attempt = nil
        switch result {
        case .success(let descriptor): adopt(descriptor)
        case .failure(let error): finish(.failed(error))
        }
    }

    /// Takes over an accepted socket.
    func accept(_ descriptor: Int32, handler: @escaping @Sendable (ChannelEvent) -> Void) {
        self.handler = handler
        loop.execute { [self] in adopt(descriptor) }
    }

    /// Takes over a connected socket and delivers `.connected`. To be called from the loop itself, not from a caller's code.
    func adopt(_ descriptor: Int32) {
        loop.checkIsolated()
        guard case .connecting = state else {
            Glibc.close(descriptor)
            return
        }
        self.descriptor = descriptor
        state = .plain
        deliver(.connected)
        guard case .plain = state else { return updateInterest() }
        updateInterest()
    }

    // MARK: - Calls

    var unsentBytes: Int { output.count + held.count }

    func send(_ bytes: [UInt8]) {
        loop.checkIsolated()
        guard !bytes.isEmpty, ending == .none || ending == .peerEnded else { return }
        guard unsentBytes + bytes.count <= ChannelLimits.unsentBytes else {
            finish(.failed(.outputOverflow))
            return
        }
        switch state {
        case .closed: return
        case .connecting, .plain, .secured: output.append(bytes)
        case .upgrading, .handshaking: held.append(bytes)
        }
        if unsentBytes > ChannelLimits.highWaterMark { isOverHighWater = true }
        scheduleFlush()
    }

    func startTLS(_ settings: TLSSettings) {
        loop.checkIsolated()
        guard case .plain = state, ending == .none else { return }
        // On the client's side the server must be silent until it gets our hello: anything there already was sent in clear.
        if settings.context.role == .client && hasUnreadInput() {
            finish(.failed(.plaintextAfterStartTLS))
            return
        }
        state = .upgrading(settings)
        deadline = loop.schedule(after: ChannelLimits.handshake) { [weak self] in
            self?.finish(.failed(TransportError(.timedOut, "the TLS handshake took over \(ChannelLimits.handshake)")))
        }
        scheduleFlush()
    }

    func close() {
        loop.checkIsolated()
        switch state {
        case .closed: return
        case .connecting, .upgrading, .handshaking: finish(.local)
        case .plain, .secured:
            guard ending == .none || ending == .peerEnded else { return }
            let hasPeerEnded = ending == .peerEnded
            ending = .flushing
            if !hasPeerEnded { startClosingDeadline(.local) }
            scheduleFlush()
        }
    }

    func abort() {
        loop.checkIsolated()
        finish(.local)
    }

    func setReading(_ isReading: Bool) {
        loop.checkIsolated()
        self.isReading = isReading
        updateInterest()
    }

    // MARK: - Readiness

    private func becomeReady(_ events: UInt32) {
        if events & Readiness.writable != 0 || (events & Readiness.broken != 0 && interest & Readiness.writable != 0) {
            flush()
        }
        guard descriptor >= 0 else { return }
        let isBroken = events & Readiness.broken != 0
        if events & Readiness.readable != 0 || isBroken {
            // A broken socket is read also where reading is paused: it would be reported for ever.
            if interest & Readiness.readable != 0 || isBroken { readOnce() }
        }
        updateInterest()
    }

    /// One read a turn: the rest is reported again, after the other channels had their turn.
    private func readOnce() {
        let buffer = loop.readBuffer
        let count = Glibc.recv(descriptor, buffer.baseAddress, buffer.count, 0)
        guard count >= 0 else {
            if errno == EAGAIN || errno == EINTR { return }
            finish(.failed(TransportError(.connectionLost, "receiving", errno: errno)))
            return
        }
        if ending == .lingering || ending == .flushing || ending == .peerEnded {
            if count == 0 { finishAfterPeerEnd() }
            return
        }
        guard count > 0 else {
            peerEnded()
            return
        }
        use(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer).prefix(count)))
    }

    private func use(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .connecting, .closed: return
        case .plain: deliver(.received(Array(bytes)))
        case .upgrading: finish(.failed(.plaintextAfterStartTLS))
        case .handshaking(let engine): handshake(engine, bytes)
        case .secured(let engine): decrypt(engine, bytes)
        }
    }

    private func peerEnded() {
        switch state {
        case .connecting, .closed: return
        case .upgrading, .handshaking:
            finish(.failed(TransportError(.tlsFailed, "the peer ended the connection within the TLS handshake")))
        case .secured(let engine) where !engine.hasPeerEnded:
            finish(.failed(TransportError(.tlsTruncated, "the connection ended without TLS's close_notify")))
        case .plain, .secured:
            endAfterFlush()
        }
    }

    /// The peer says no more: what is queued still goes out, then the channel ends.
    private func endAfterFlush() {
        ending = .peerEnded
        startClosingDeadline(.endOfStream)
        flush()
    }

    private func finishAfterPeerEnd() {
        switch ending {
        case .lingering: finish(.local)
        case .flushing where output.isEmpty: finish(.local)
        case .none, .peerEnded, .flushing: hasPeerFinished = true
        }
    }

    /// The peer ended while our last output was still leaving: there is nothing more to read.
    private var hasPeerFinished = false

    // MARK: - TLS

    private func beginHandshake(_ settings: TLSSettings) {
        do throws(TransportError) {
            let engine = try TLSEngine(settings, descriptor: descriptor)
            state = .handshaking(engine)
            handshake(engine, UnsafeRawBufferPointer(start: nil, count: 0))
        } catch {
            finish(.failed(error))
        }
    }

    private func handshake(_ engine: TLSEngine, _ bytes: UnsafeRawBufferPointer) {
        switch engine.handshake(bytes) {
        case .waiting: return
        case .failed(let error): finish(.failed(error))
        case .done:
            cancelDeadline()
            state = .secured(engine)
            output = held
            held.removeAll()
            deliver(.secured(engine.summary))
            guard case .secured = state else { return }
            // What came behind the handshake's last message in the same read.
            if !engine.leftOver.isEmpty { decrypt(engine, UnsafeRawBufferPointer(start: nil, count: 0)) }
            flush()
        }
    }

    private func decrypt(_ engine: TLSEngine, _ bytes: UnsafeRawBufferPointer) {
        let read = engine.read(bytes)
        if !read.plaintext.isEmpty && ending == .none { deliver(.received(read.plaintext)) }
        // The handler may have closed the channel.
        guard case .secured = state else { return }
        if let error = read.error {
            finish(.failed(error))
        } else if read.isEnd {
            if ending == .none { endAfterFlush() }
        }
    }

    // MARK: - Output

    private func scheduleFlush() {
        guard !isFlushScheduled, descriptor >= 0 else { return }
        isFlushScheduled = true
        loop.execute { [self] in
            isFlushScheduled = false
            flush()
            updateInterest()
        }
    }

    private func flush() {
        switch state {
        case .connecting, .closed: return
        case .plain: sendPlain()
        case .upgrading(let settings):
            guard sendPlain() else { return }
            beginHandshake(settings)
        case .handshaking(let engine):
            if engine.needsWritable { handshake(engine, UnsafeRawBufferPointer(start: nil, count: 0)) }
        case .secured(let engine): sendEncrypted(engine)
        }
        finishFlush()
    }

    /// - Returns: whether all is sent.
    @discardableResult
    private func sendPlain() -> Bool {
        while !output.isEmpty {
            let count = output.withUnsent { sendBytes(descriptor, $0) }
            guard count >= 0 else {
                if errno != EAGAIN && errno != EWOULDBLOCK {
                    finish(.failed(TransportError(.connectionLost, "sending", errno: errno)))
                }
                return false
            }
            output.drop(count)
        }
        return true
    }

    private func sendEncrypted(_ engine: TLSEngine) {
        if engine.needsWritable && output.isEmpty || !engine.leftOver.isEmpty {
            decrypt(engine, UnsafeRawBufferPointer(start: nil, count: 0))
            guard case .secured = state else { return }
        }
        guard !output.isEmpty else { return }
        let (count, error) = output.withUnsent { engine.write($0) }
        output.drop(count)
        if let error { finish(.failed(error)) }
    }

    private func finishFlush() {
        guard unsentBytes == 0, descriptor >= 0 else { return }
        switch ending {
        case .none:
            guard isOverHighWater else { return }
            isOverHighWater = false
            deliver(.writable)
        case .peerEnded:
            sayEnd()
            finish(.endOfStream)
        case .flushing:
            guard sayEnd() else { return }
            if hasPeerFinished {
                finish(.local)
            } else {
                ending = .lingering
                Glibc.shutdown(descriptor, Int32(SHUT_WR))
            }
        case .lingering: return
        }
    }

    /// Sends TLS's close_notify where there is TLS; whether it has left.
    @discardableResult
    private func sayEnd() -> Bool {
        guard case .secured(let engine) = state else { return true }
        return engine.sendEnd()
    }

    // MARK: - Ending

    private func startClosingDeadline(_ closure: ChannelClosure) {
        cancelDeadline()
        deadline = loop.schedule(after: ChannelLimits.closing) { [weak self] in self?.finish(closure) }
    }

    private func cancelDeadline() {
        deadline.map(loop.cancel)
        deadline = nil
    }

    private func finish(_ closure: ChannelClosure) {
        if case .closed = state { return }
        state = .closed
        cancelDeadline()
        attempt?.cancel()
        attempt = nil
        registration.map(loop.unregister)
        registration = nil
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        output.removeAll()
        held.removeAll()
        // In a turn of its own: the caller may be the handler's owner, within a call.
        loop.execute { [self] in
            let last = handler
            handler = nil
            last?(.closed(closure))
        }
    }

    private func deliver(_ event: ChannelEvent) {
        handler?(event)
    }

    private func hasUnreadInput() -> Bool {
        var byte: UInt8 = 0
        return Glibc.recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    private func updateInterest() {
        guard descriptor >= 0 else { return }
        var wanted: UInt32 = 0
        var needsRoom = !output.isEmpty
        var mayRead = isReading && ending != .peerEnded && !hasPeerFinished
        switch state {
        case .handshaking(let engine):
            needsRoom = engine.needsWritable
            mayRead = true
        case .secured(let engine):
            needsRoom = needsRoom || engine.needsWritable
            // Its input waits for room in the socket: more would pile up.
            if !engine.leftOver.isEmpty { mayRead = false }
        case .connecting, .plain, .upgrading, .closed: break
        }
        if ending == .lingering || ending == .flushing { mayRead = !hasPeerFinished }
        if mayRead { wanted |= Readiness.readable }
        if needsRoom { wanted |= Readiness.writable }
        register(wanted)
    }

    private func register(_ wanted: UInt32) {
        if let registration {
            guard wanted != interest else { return }
            interest = wanted
            loop.modify(registration, events: wanted)
            return
        }
        interest = wanted
        do throws(TransportError) {
            registration = try loop.register(descriptor, events: wanted) { [self] events in becomeReady(events) }
        } catch {
            finish(.failed(error))
        }
    }
}
