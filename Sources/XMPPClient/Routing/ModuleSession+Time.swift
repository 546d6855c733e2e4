public import XMPPCore
import XMPPTransport

/// What a module does later.
extension ModuleSession {
    /// Monotonic time since an arbitrary origin.
    public var now: Duration { time.now }

    /// The time of day.
    public var wallClock: Timestamp { Timestamp(milliseconds: time.wallMilliseconds) }

    /// Calls `body` in the module's isolation once the time has passed, also where the session has ended by then.
    ///
    /// - Parameters:
    ///   - delay: How long.
    ///   - body: Holds the module weakly, or it lives as long.
    /// - Returns: What takes it back.
    @discardableResult
    public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> ModuleTimer {
        // The loop is the isolation of the module.
        nonisolated(unsafe) let body = body
        return ModuleTimer(loop, loop.schedule(after: delay) { body() })
    }
}

/// A call that is to come.
public struct ModuleTimer {
    private let loop: EventLoop
    private let id: TimerID

    init(_ loop: EventLoop, _ id: TimerID) {
        self.loop = loop
        self.id = id
    }

    /// Takes it back: it is sure not to come.
    public func cancel() { loop.cancel(id) }
}

@available(*, unavailable)
extension ModuleTimer: Sendable {}
