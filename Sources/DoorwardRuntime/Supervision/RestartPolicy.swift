import XMPPCore

/// When a child that failed is tried again: a pure value, told the failure and the time.
///
/// Exponential backoff with full jitter: the wait is drawn evenly from nothing up to a ceiling that doubles with each
/// failure. The ceiling is shared by the accounts of one host, so that a server that comes back is not met by all of
/// them at once.
struct RestartPolicy {
    /// How a session ended, as far as restarting is concerned.
    enum Failure: Hashable {
        /// The host could not be reached, dropped the link, or said that it stops or breaks: likely the same for its other
        /// accounts.
        case host
        /// The domain says in DNS that it has no XMPP service: that changes in minutes at best (B065).
        case absent
        /// Only this account is concerned.
        case account
        /// Another client of the account took our resource.
        case conflict
        /// Trying again would be hammering: a wrong password, an account gone.
        case permanent
    }

    /// What to do.
    enum Decision: Hashable {
        case retry(after: Duration)
        /// Never with the same resource (RFC 6120 section 4.9.3.3): the two would throw each other out for ever.
        case retryWithNewResource(after: Duration)
        case park
    }

    /// The ceiling after the first failure.
    static let base = Duration.seconds(2)
    /// The highest ceiling.
    static let cap = Duration.seconds(600)
    /// The more accounts fail with their host, the wider they come back, up to a minute (RFC 6120 section 3.3): so much
    /// for each of them.
    static let spread = Duration.milliseconds(1200)
    static let widest = Duration.seconds(60)
    /// A session that was online so long has recovered: its failures are forgotten.
    ///
    /// Merely getting a connection does not reset them.
    static let recovery = Duration.seconds(60)

    /// The least wait after the first conflict; it doubles, and chance adds up to as much again.
    static let conflictBase = Duration.seconds(30)
    /// So many conflicts, and the account is parked: whoever throws us out does not mind the resource.
    static let conflictLimit = 3
    /// A session that was online so long shows that the other client left us alone.
    static let conflictRecovery = Duration.seconds(3600)

    private struct Record {
        var failures = 0
        var lastFailure = Duration.zero
    }

    private var accounts: [BareJID: Record] = [:]
    private var hosts: [String: Record] = [:]
    /// How many accounts failed by their host lately, and when the last one did.
    private var outages: [String: (accounts: Int, latest: Duration)] = [:]
    private var conflicts: [BareJID: Int] = [:]

    /// A session ended.
    ///
    /// - Parameters:
    ///   - account: The account's address.
    ///   - host: What its connection goes to.
    ///   - failure: How it ended.
    ///   - online: How long it was online; zero where it never was.
    ///   - now: Monotonic time.
    ///   - random: Evenly from 0 up to 1.
    /// - Returns: When to try again, if ever by itself.
    mutating func failed(
        account: BareJID, host: String, failure: Failure, online: Duration, now: Duration, random: Double
    ) -> Decision {
        if online >= Self.recovery {
            accounts[account] = nil
            hosts[host] = nil
        }
        if online >= Self.conflictRecovery { conflicts[account] = nil }
        switch failure {
        case .permanent:
            return .park
        case .conflict:
            let count = (conflicts[account] ?? 0) + 1
            conflicts[account] = count
            guard count < Self.conflictLimit else { return .park }
            return .retryWithNewResource(after: Self.conflictBase * (1 << (count - 1)) * (1 + Self.fraction(random)))
        case .account:
            return .retry(after: wait(Self.count(account, in: &accounts, now), random))
        case .absent:
            return .retry(after: Self.cap * ((1 + Self.fraction(random)) / 2))
        case .host:
            let own = Self.count(account, in: &accounts, now)
            let shared = hostFailures(host, now)
            let ceiling = max(Self.ceiling(max(own, shared)), width(of: host, now))
            return .retry(after: ceiling * Self.fraction(random))
        }
    }

    /// The account was stopped, or its configuration changed: it starts afresh.
    mutating func forget(account: BareJID) {
        accounts[account] = nil
        conflicts[account] = nil
    }

    private static func count(_ key: BareJID, in records: inout [BareJID: Record], _ now: Duration) -> Int {
        var record = records[key] ?? Record()
        record.failures = min(record.failures + 1, 32)
        record.lastFailure = now
        records[key] = record
        return record.failures
    }

    /// One outage fails every account of a host once: within one ceiling they count as one failure.
    private mutating func hostFailures(_ host: String, _ now: Duration) -> Int {
        var record = hosts[host] ?? Record()
        if record.failures == 0 || now - record.lastFailure > Self.ceiling(record.failures) {
            record.failures = min(record.failures + 1, 32)
            record.lastFailure = now
        }
        hosts[host] = record
        return record.failures
    }

    /// How far those are spread that come back to a host, counted so far.
    private mutating func width(of host: String, _ now: Duration) -> Duration {
        var outage = outages[host] ?? (0, now)
        if now - outage.latest > Self.widest { outage.accounts = 0 }
        outage = (min(outage.accounts + 1, 1000), now)
        outages[host] = outage
        return min(Self.widest, Self.spread * outage.accounts)
    }

    private func wait(_ failures: Int, _ random: Double) -> Duration {
        Self.ceiling(failures) * Self.fraction(random)
    }

    private static func fraction(_ random: Double) -> Double { min(max(random, 0), 1) }

    /// The longest wait after so many failures.
    static func ceiling(_ failures: Int) -> Duration {
        guard failures > 0 else { return .zero }
        return failures > 9 ? cap : min(cap, base * (1 << (failures - 1)))
    }
}
