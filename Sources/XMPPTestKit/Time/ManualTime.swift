public import XMPPTransport

/// Time that moves by hand; it wakes every loop made with it.
public final class ManualTime: TimeSource {
    private struct State {
        var now: Duration
        var wall: Int64
        var listeners: [@Sendable () -> Void] = []
    }

    private let state: Locked<State>

    /// - Parameter wallMilliseconds: the wall clock at the start; it moves with `advance(by:)` (2026-01-01 by default).
    public init(wallMilliseconds: Int64 = 1_767_225_600_000) {
        state = Locked(State(now: .zero, wall: wallMilliseconds))
    }

    package var now: Duration { state.withLock { $0.now } }
    package var wallMilliseconds: Int64 { state.withLock { $0.wall } }
    package var isManual: Bool { true }

    package func onAdvance(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.listeners.append(wake) }
    }

    /// Moves both clocks; the loops then fire what is due, in order, on their threads.
    ///
    /// `EventLoop.settle()` waits for that.
    public func advance(by duration: Duration) {
        let listeners = state.withLock { state in
            state.now += duration
            let (seconds, attoseconds) = duration.components
            state.wall += seconds * 1000 + attoseconds / 1_000_000_000_000_000
            return state.listeners
        }
        for wake in listeners { wake() }
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
}
