import Glibc

/// The system's clocks.
package struct SystemTime: TimeSource {
    package init() {}

    package var now: Duration { Self.read(CLOCK_MONOTONIC) }

    package var wallMilliseconds: Int64 {
        let (seconds, attoseconds) = Self.read(CLOCK_REALTIME).components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    package func onAdvance(of loop: EventLoop, _ wake: @escaping @Sendable () -> Void) {}

    private static func read(_ clock: clockid_t) -> Duration {
        Duration(nanosecondsOnClock: nanoseconds(clock))
    }
}
