/// Watches for a connection that is dead without having ended (RFC 6120 section 4.6).
///
/// A value with a clock passed in: it names the exact time at which there is something to do, so that an idle connection
/// costs one timer in five minutes.
package struct Keepalive: Sendable {
    package enum Step: Sendable, Hashable {
        /// Ask for a sign of life now; then call `tick` again for the time to wait.
        case ask
        /// Nothing came for too long: drop the connection.
        case dead
        /// Nothing to do before that time.
        case wait(until: Duration)
    }

    /// How long nothing may come.
    package struct Patience: Sendable {
        /// After so long without a byte the other side is asked, though nothing is out.
        package var idle: Duration
        /// After so long without a byte it is asked where something is out that it must answer or acknowledge.
        package var unanswered: Duration
        /// How long it then has.
        package var answer: Duration

        package init(idle: Duration, unanswered: Duration, answer: Duration) {
            self.idle = max(idle, .milliseconds(1))
            self.unanswered = max(unanswered, .milliseconds(1))
            self.answer = max(answer, .milliseconds(1))
        }
    }

    private let patience: Patience
    private var lastHeard: Duration
    private var waitingSince: Duration?
    private var asked: Duration?

    /// - Parameters:
    ///   - patience: How long nothing may come.
    ///   - now: The time now, on any monotonic clock.
    package init(_ patience: Patience, now: Duration) {
        self.patience = patience
        lastHeard = now
    }

    /// Something came, be it white space.
    package mutating func heard(at now: Duration) {
        lastHeard = max(lastHeard, now)
        asked = nil
        if waitingSince != nil { waitingSince = lastHeard }
    }

    /// Something is out that the other side must answer or acknowledge.
    package mutating func expects(at now: Duration) {
        if waitingSince == nil { waitingSince = max(lastHeard, now) }
    }

    package var isExpecting: Bool { waitingSince != nil }

    /// Nothing is out any more.
    package mutating func expectsNothing() {
        waitingSince = nil
    }

    /// When `tick` is to be called next.
    package var due: Duration {
        if let asked { return asked + patience.answer }
        let idle = lastHeard + patience.idle
        return waitingSince.map { min(idle, $0 + patience.unanswered) } ?? idle
    }

    /// Time has passed.
    package mutating func tick(at now: Duration) -> Step {
        guard now >= due else { return .wait(until: due) }
        guard asked == nil else { return .dead }
        // From now and not from when it was due: after a standstill of this machine the other side has its full time.
        asked = now
        return .ask
    }
}
