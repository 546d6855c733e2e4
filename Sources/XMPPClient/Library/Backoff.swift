/// How long to wait before a connection is tried again: exponential backoff with full jitter.
///
/// The wait is drawn evenly from nothing up to a ceiling that doubles with each failure, so that the clients of a server
/// that comes back do not all come at once. It starts from the bottom again only after a session has held for a while:
/// merely getting a connection does not reset it.
///
/// Three ends of a connection make the wait longer. A server that says that it stops or breaks (such as `system-shutdown`) says
/// so to all its clients at once: the wait is drawn below ``spread`` at least (RFC 6120 section 3.3). A link that breaks may be
/// this client's alone, which then comes back soon; where other clients of the process lost theirs to the same server within
/// a minute, each of them widens the wait by a fiftieth of ``spread``, up to all of it. A domain whose DNS says that it has no
/// XMPP service is not asked again before half of ``cap``.
public struct Backoff: Sendable {
    /// What ended a connection, as far as the wait is concerned.
    package enum Reason: Hashable, Sendable {
        /// This client's own, or nobody knows whose.
        case own
        /// The link broke, or none came about: it may be the same for all clients of the server.
        case link
        /// The server said that it is its own trouble.
        case server
        /// The domain has no such service.
        case notOffered
    }

    /// The ceiling after the first failure.
    public var base: Duration
    /// The highest ceiling.
    public var cap: Duration
    /// A session that was online so long has recovered.
    public var recovery: Duration
    /// The least ceiling where the server said that it stops or breaks, and where fifty clients of a process lost their links
    /// at once; never above ``cap``.
    public var spread: Duration
    /// Failures since the last session that held.
    public private(set) var failures = 0

    /// A backoff without failures.
    public init(
        base: Duration = .seconds(2), cap: Duration = .seconds(600), recovery: Duration = .seconds(60),
        spread: Duration = .seconds(60)
    ) {
        self.base = max(base, .milliseconds(1))
        self.cap = max(cap, base)
        self.recovery = recovery
        self.spread = spread
    }

    /// A connection ended.
    ///
    /// - Parameters:
    ///   - online: How long its session was online; zero where there was none.
    ///   - random: Evenly from 0 up to 1.
    /// - Returns: How long to wait.
    public mutating func failed(online: Duration, random: Double) -> Duration {
        failed(online: online, by: .own, random: random)
    }

    /// As that, where it is known by what it ended, and how many clients lost their links with this one.
    package mutating func failed(
        online: Duration, by reason: Reason, among clients: Int = 1, random: Double
    ) -> Duration {
        if online >= recovery { failures = 0 }
        failures = min(failures + 1, 32)
        let random = min(max(random, 0), 1)
        return switch reason {
        case .own: ceiling * random
        case .link: max(ceiling, min(spread * min(max(clients, 1), LinkOutages.most) / LinkOutages.most, cap)) * random
        case .server: max(ceiling, min(spread, cap)) * random
        case .notOffered: cap * ((1 + random) / 2)
        }
    }

    /// The longest wait after the failures so far.
    public var ceiling: Duration {
        guard failures > 0 else { return .zero }
        var ceiling = base
        for _ in 1..<failures where ceiling < cap { ceiling = ceiling * 2 }
        return min(ceiling, cap)
    }
}
