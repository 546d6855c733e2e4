/// How long to wait before a connection is tried again: exponential backoff with full jitter.
///
/// The wait is drawn evenly from nothing up to a ceiling that doubles with each failure, so that the clients of a server
/// that comes back do not all come at once. It starts from the bottom again only after a session has held for a while:
/// merely getting a connection does not reset it.
public struct Backoff: Sendable {
    /// The ceiling after the first failure.
    public var base: Duration
    /// The highest ceiling.
    public var cap: Duration
    /// A session that was online so long has recovered.
    public var recovery: Duration
    /// Failures since the last session that held.
    public private(set) var failures = 0

    /// A backoff without failures.
    public init(
        base: Duration = .seconds(2), cap: Duration = .seconds(600), recovery: Duration = .seconds(60)
    ) {
        self.base = max(base, .milliseconds(1))
        self.cap = max(cap, base)
        self.recovery = recovery
    }

    /// A connection ended.
    ///
    /// - Parameters:
    ///   - online: How long its session was online; zero where there was none.
    ///   - random: Evenly from 0 up to 1.
    /// - Returns: How long to wait.
    public mutating func failed(online: Duration, random: Double) -> Duration {
        if online >= recovery { failures = 0 }
        failures = min(failures + 1, 32)
        return ceiling * min(max(random, 0), 1)
    }

    /// The longest wait after the failures so far.
    public var ceiling: Duration {
        guard failures > 0 else { return .zero }
        var ceiling = base
        for _ in 1..<failures where ceiling < cap { ceiling = ceiling * 2 }
        return min(ceiling, cap)
    }
}
