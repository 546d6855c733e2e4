/// Watches for a connection that is dead without having ended (RFC 6120 section 4.6).
package struct Keepalive: Sendable {
    package enum Step: Sendable, Hashable {
        /// Send a ping now; then call `tick` again for the time to wait.
        case ping
        /// Nothing came for too long: drop the connection.
        case dead
        /// Nothing to do before that time.
        case wait(until: Duration)
    }

    private let idle: Duration
    private let timeout: Duration
    private var lastHeard: Duration
    private var pinged: Duration?

    /// - Parameters:
    ///   - idle: After so long without a byte the other side is asked for a sign of life.
    ///   - timeout: How long it has for that.
    ///   - now: The time now, on any monotonic clock.
    package init(idle: Duration, timeout: Duration, now: Duration) {
        self.idle = max(idle, .milliseconds(1))
        self.timeout = max(timeout, .milliseconds(1))
        lastHeard = now
    }

    /// Something came, be it white space.
    package mutating func heard(at now: Duration) {
        lastHeard = max(lastHeard, now)
        pinged = nil
    }

    /// Time has passed.
    package mutating func tick(at now: Duration) -> Step {
        if let pinged {
            return now >= pinged + timeout ? .dead : .wait(until: pinged + timeout)
        }
        guard now >= lastHeard + idle else { return .wait(until: lastHeard + idle) }
        // From now and not from when it was due: after a standstill of this machine the other side has its full time.
        pinged = now
        return .ping
    }
}
