public import XMPPTransport

/// Time that moves by hand; it wakes every loop made with it.
///
/// ```swift
/// let time = ManualTime()
/// options.transport = server.transport(time: time)
/// // …run the client, and break its link:
/// await server.dropLink(of: account)
/// // It has seen that, and waits.
/// await time.settle()
/// time.advance(by: .seconds(100))
/// ```
public final class ManualTime: TimeSource {
    private struct State {
        var now: Duration
        var wall: Int64
        var listeners: [@Sendable () -> Void] = []
        var loops: [WeakLoop] = []
    }

    private struct WeakLoop {
        weak var loop: EventLoop?
    }

    private let state: Locked<State>

    /// - Parameter wallMilliseconds: the wall clock at the start; it moves with `advance(by:)` (2026-01-01 by default).
    public init(wallMilliseconds: Int64 = 1_767_225_600_000) {
        state = Locked(State(now: .zero, wall: wallMilliseconds))
    }

    package var now: Duration { state.withLock { $0.now } }
    package var wallMilliseconds: Int64 { state.withLock { $0.wall } }
    package var isManual: Bool { true }

    package func onAdvance(of loop: EventLoop, _ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.listeners.append(wake) }
        settles(loop)
    }

    /// `settle()` waits for that loop as well, whatever its clock is.
    func settles(_ loop: EventLoop) {
        state.withLock { state in
            state.loops.removeAll { $0.loop == nil || $0.loop === loop }
            state.loops.append(WeakLoop(loop: loop))
        }
    }

    /// Moves both clocks; the clients then do what is due, in order, on their threads.
    ///
    /// ``settle()`` waits for that.
    public func advance(by duration: Duration) {
        let listeners = state.withLock { state in
            state.now += duration
            let (seconds, attoseconds) = duration.components
            state.wall += seconds * 1000 + attoseconds / 1_000_000_000_000_000
            return state.listeners
        }
        for wake in listeners { wake() }
    }

    /// Returns once the clients by this clock, and the servers in memory that they reach, have nothing left to do at this time:
    /// what one says has arrived, and all that was due has been done.
    ///
    /// What other threads do for them is not waited for, nor is the network: the hashing of a password, which comes before the
    /// session, and what a test's own tasks make of what arrives.
    public func settle() async {
        var before: [Int] = []
        while true {
            let known = state.withLock { $0.loops.compactMap(\.loop) }
            // Behind the lock: a loop reads the time while it holds its own.
            let loops = known.filter { !$0.hasStopped }
            var counts: [Int] = []
            for loop in loops { counts.append(await loop.jobsDone()) }
            // Each has run the question of before since it was asked, and nothing else.
            if counts == before.map({ $0 + 1 }) { return }
            before = counts
        }
    }

    /// Moves the wall clock alone, as an administrator or NTP does.
    public func jumpWall(byMilliseconds milliseconds: Int64) {
        state.withLock { $0.wall += milliseconds }
    }
}

extension EventLoop {
    /// Returns once the loop has fired what was due and run what was queued when this was called.
    package func settle() async {
        await withCheckedContinuation { continuation in
            execute { continuation.resume() }
        }
    }

    /// How many jobs it has run, those among them that were queued before this call; this call is one too.
    fileprivate func jobsDone() async -> Int {
        await withCheckedContinuation { continuation in
            execute { continuation.resume(returning: self.jobCount) }
        }
    }
}
