public import XMPPCore

/// How many fetches an account may begin: so many a minute, which may be used all at once.
public struct AvatarBudget: Hashable, Sendable {
    private static let minute: Int64 = 60_000

    /// Milliseconds that one fetch costs.
    private let cost: Int64
    /// Up to when the budget is used, in milliseconds of the wall clock.
    private var used: Int64 = .min

    /// A budget that is whole.
    ///
    /// - Parameter perMinute: From 1 to 60,000.
    public init(perMinute: Int) {
        cost = Self.minute / Int64(min(max(perMinute, 1), 60_000))
    }

    /// Takes one fetch out of it.
    ///
    /// - Returns: Nil where one may begin, else the time until then.
    public mutating func take(at now: Timestamp) -> Duration? {
        // A clock that was set back must not stop everything.
        let (ahead, overflows) = used.subtractingReportingOverflow(now.milliseconds)
        if overflows || ahead < 0 || ahead > Self.minute { used = now.milliseconds }
        let wait = used - now.milliseconds - (Self.minute - cost)
        guard wait <= 0 else { return .milliseconds(wait) }
        used += cost
        return nil
    }
}
