import CShims
import Glibc

/// A channel over a stream socket: TCP or Unix, connecting or accepted, in clear or with TLS.
///
/// No event is delivered within a call: handlers run from the loop only, so that a caller's own state is at rest.
final class SocketChannel: Channel, @unchecked Sendable {
    // Unchecked because: every variable is touched on `loop` only; each call checks it. Overlapping access is not checked
    // for at run time, since none is lent out over a call of the handler.

    enum State {
        case connecting
        case plain
        /// TLS begins once what was queued in clear has left.
        indirect case upgrading(TLSSettings)
        case handshaking(TLSEngine)
        case secured(TLSEngine)
        case closed
    }

    /// How far `close()` has come.
    enum Ending {
        case none
        /// What is queued still leaves.
        case flushing
        /// Our end was said: input is dropped until the peer ends too, so that no reset overtakes our last bytes.
        case lingering
    }

    let loop: EventLoop
    @exclusivity(unchecked) private var handler: (@Sendable (ChannelEvent) -> Void)?
    private var attempt: ConnectAttempt?
    /// What that had left when it was done, until it is known that this was the server.
    private var remainder: ConnectRemainder?
    @exclusivity(unchecked) var state = State.connecting
    @exclusivity(unchecked) var ending = Ending.none
    /// The peer has ended its direction in order: nothing more is read, and what is queued still leaves.
    @exclusivity(unchecked) var hasPeerEnded = false
    @exclusivity(unchecked) private(set) var descriptor: Int32 = -1
    /// The target that it goes to, for the sessions of TLS; let go of when TLS has begun.
    var peer = ""
    @exclusivity(unchecked) private var registration: Registration?
    @exclusivity(unchecked) private(set) var interest: UInt32 = 0
    @exclusivity(unchecked) var output = OutputBuffer()
    /// What was sent behind `startTLS` and waits for the handshake.
    @exclusivity(unchecked) var held = OutputBuffer()
    @exclusivity(unchecked) var isOverHighWater = false
    @exclusivity(unchecked) private var isFlushScheduled = false
    /// Whether the loop is telling what happened on the socket: what is sent meanwhile leaves at the end of that.
    @exclusivity(unchecked) var isInTurn = false
    @exclusivity(unchecked) var mustFlush = false
    /// Since when a step of the handshake waits for its turn: until then nothing is asked of the socket.
    @exclusivity(unchecked) private var waitingSince: Duration?
    /// How long those before have waited.
    private var waited = Duration.zero
    /// Tells the sockets apart that connecting goes through: a step that waited must not meet another one.
    private var socketNumber: UInt32 = 0
    @exclusivity(unchecked) private var isReading = true
    /// The handshake's deadline, or that of closing.
    var deadline: TimerID?

    /// A channel without a socket as yet; an accepted one gets its handler by `accept(_:handler:)`.
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
        // Closed in the meantime, there is no attempt any more.
        loop.execute { self.attempt?.start() }
    }

    /// TCP is up, to a target where TLS is begun later or never.
    func finishConnecting(_ descriptor: Int32) {
        adopt(descriptor)
    }

    /// TCP is up, to a target where TLS begins at once (XEP-0368).
    ///
    /// The attempt stays until TLS is up: where it fails, other targets are left.
    func beginDirectTLS(_ descriptor: Int32, _ settings: TLSSettings) {
        self.descriptor = descriptor
        swap(&output, &held)
        let settings = named(settings)
        state = .upgrading(settings)
        startHandshakeDeadline()
        takeTurn { [self] in beginHandshake(settings) }
    }

    func failConnecting(_ error: TransportError) {
        attempt = nil
        finish(.failed(error))
    }

    /// TCP is up, or with direct TLS, TLS is: this ends connecting.
    func endAttempt() {
        // With STARTTLS it ended before.
        guard let attempt else { return }
        remainder = attempt.remainder
        attempt.cancel()
        self.attempt = nil
    }

    /// Goes back to connecting after a target's TLS failed.
    private func retreat(from error: TransportError, to attempt: ConnectAttempt) {
        cancelDeadline()
        dropSocket()
        state = .connecting
        hasPeerEnded = false
        swap(&output, &held)
        loop.execute { attempt.handshakeFailed(error) }
    }

    /// Takes over an accepted socket.
    func accept(_ descriptor: Int32, handler: @escaping @Sendable (ChannelEvent) -> Void) {
        self.handler = handler
        loop.execute { self.adopt(descriptor) }
    }

    private func adopt(_ descriptor: Int32) {
        guard case .connecting = state else {
            Glibc.close(descriptor)
            return
        }
        self.descriptor = descriptor
        state = .plain
        deliver(.connected)
        flush()
        updateInterest()
    }

    // MARK: - Calls

    var unsentBytes: Int { output.count + held.count }

    func send(_ bytes: [UInt8]) {
        loop.checkIsolated()
        guard !bytes.isEmpty, ending == .none else { return }
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
        // The server must be silent until it gets our hello: anything there already was sent in clear.
        if settings.context.role == .client && hasUnreadInput() {
            finish(.failed(.plaintextAfterStartTLS))
            return
        }
        state = .upgrading(named(settings))
        startHandshakeDeadline()
        scheduleFlush()
    }

    func passOver(handler: @escaping @Sendable (ChannelEvent) -> Void) -> (any Channel)? {
        loop.checkIsolated()
        return remainder.take()?.connect(on: loop, handler: handler)
    }

    func settle() {
        loop.checkIsolated()
        remainder = nil
    }

    private func named(_ settings: TLSSettings) -> TLSSettings {
        defer { peer = "" }
        guard settings.peer.isEmpty else { return settings }
        var named = settings
        named.peer = peer
        return named
    }

    func close() {
        loop.checkIsolated()
        switch state {
        case .closed: return
        case .connecting, .upgrading, .handshaking: finish(.local)
        case .plain, .secured:
            guard ending == .none else { return }
            ending = .flushing
            startDeadline(ChannelLimits.closing, .local)
            scheduleFlush()
        }
    }

    func abort() {
        loop.checkIsolated()
        finish(.local)
    }

    /// Lets closing be a reset instead of an end in order.
    func resetWhenClosed() {
        loop.checkIsolated()
        if descriptor >= 0 { shim_reset_when_closed(descriptor) }
    }

    func setReading(_ isReading: Bool) {
        loop.checkIsolated()
        self.isReading = isReading
        updateInterest()
    }

    private func scheduleFlush() {
        guard !isFlushScheduled, descriptor >= 0 else { return }
        guard !isInTurn else {
            mustFlush = true
            return
        }
        isFlushScheduled = true
        loop.execute { [self] in
            isFlushScheduled = false
            flush()
            updateInterest()
        }
    }

    /// Does a step of the handshake among those of other channels.
    func takeTurn(_ step: @escaping () -> Void) {
        guard waitingSince == nil else { return }
        waitingSince = loop.time.now
        let number = socketNumber
        loop.executeHeavy { [self] in
            guard number == socketNumber else { return }
            endWaiting()
            step()
            updateInterest()
        }
        updateInterest()
    }

    var timeInQueue: Duration { waited + (waitingSince.map { loop.time.now - $0 } ?? .zero) }

    private func endWaiting() {
        waited = timeInQueue
        waitingSince = nil
    }

    private func hasUnreadInput() -> Bool {
        var byte: UInt8 = 0
        return Glibc.recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    // MARK: - Ending

    func finish(_ closure: ChannelClosure) {
        if case .closed = state { return }
        if case .failed(let error) = closure, error != .outputOverflow, descriptor >= 0, let attempt {
            retreat(from: error, to: attempt)
            return
        }
        state = .closed
        cancelDeadline()
        attempt?.cancel()
        attempt = nil
        dropSocket()
        output.removeAll()
        held.removeAll()
        loop.execute { [self] in
            let last = handler
            handler = nil
            last?(.closed(closure))
        }
    }

    private func dropSocket() {
        socketNumber &+= 1
        endWaiting()
        registration.map(loop.unregister)
        registration = nil
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// To be called from the loop itself, never within a call of the channel.
    func deliver(_ event: ChannelEvent) {
        if case .closed = state { return }
        handler?(event)
    }

    // MARK: - Readiness

    /// Says to the loop what to wait for, after anything may have changed it.
    func updateInterest() {
        guard descriptor >= 0 else { return }
        guard waitingSince == nil else { return register(0) }
        // What waits for its flush has not met a full socket as yet.
        var needsRoom = !output.isEmpty && !isFlushScheduled
        var mayRead = isReading || ending != .none
        switch state {
        case .handshaking(let engine):
            needsRoom = engine.needsWritable
            mayRead = true
        case .secured(let engine):
            needsRoom = needsRoom || engine.needsWritable
            // Its input waits for room in the socket: more would pile up.
            mayRead = mayRead && engine.leftOver.isEmpty
        case .connecting, .plain, .upgrading, .closed: break
        }
        let wanted = (mayRead && !hasPeerEnded ? Readiness.readable : 0) | (needsRoom ? Readiness.writable : 0)
        if wanted != interest || registration == nil { register(wanted) }
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
