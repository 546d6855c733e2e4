public import XMPPCore
import XMPPTransport

/// How often somebody is answered: so many times within a span, and not more.
///
/// Whoever answers by itself may meet another that does so too; with a limit the two fall quiet whatever they say.
public final class AnswerLimit: Sendable {
    /// How many people are kept in mind; while as many were answered within the span, nobody else is.
    public static let people = 10_000

    private struct Count {
        var began: Duration
        var answers = 1
    }

    /// The most answers in a span.
    public let most: Int
    /// The span; it begins with the first answer.
    public let span: Duration
    private let counts = Locked<[BareJID: Count]>([:])

    /// A limit.
    ///
    /// - Parameters:
    ///   - most: How many answers one person gets in a span.
    ///   - span: How long it is.
    public init(_ most: Int, in span: Duration = .seconds(60)) {
        self.most = most
        self.span = span
    }

    /// Takes one answer.
    ///
    /// - Parameters:
    ///   - person: Who is to be answered.
    ///   - now: The time, as ``ModuleContext/uptime`` has it.
    /// - Returns: Whether it may be given; where not, nothing is counted.
    public func allows(_ person: BareJID, at now: Duration) -> Bool {
        counts.withLock { counts in
            if let count = counts[person], now - count.began < span {
                guard count.answers < most else { return false }
                counts[person]?.answers += 1
                return true
            }
            if counts.count >= Self.people {
                counts = counts.filter { now - $0.value.began < span }
                guard counts.count < Self.people else { return false }
            }
            guard most > 0 else { return false }
            counts[person] = Count(began: now)
            return true
        }
    }
}
