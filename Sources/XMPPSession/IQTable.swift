package import XMPPCore

/// Our requests that wait for an answer.
///
/// An answer must have the kind, the id and the sender (RFC 6120 section 8.2.3): by the id alone, anybody who guesses
/// it could answer in the place of a server.
package struct IQTable<Waiter> {
    /// What came back.
    package struct Match {
        package let waiter: Waiter
        package let answer: Answer
    }

    package enum Answer: Hashable, Sendable {
        case result(Element?)
        case error(StanzaError)
    }

    fileprivate struct Entry {
        let to: JID?
        let waiter: Waiter
        let deadline: Duration
    }

    /// Requests that may wait at once.
    package static var bound: Int { 1024 }

    private let account: JID
    // Ids are compared as bytes.
    private var entries: [[UInt8]: Entry] = [:]

    /// - Parameter account: Our own full address.
    package init(account: JID) {
        self.account = account
    }

    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }
    /// Whether as many wait as may.
    package var isFull: Bool { entries.count >= Self.bound }

    /// When the first request's time is over.
    package var nextDeadline: Duration? { entries.values.lazy.map(\.deadline).min() }

    /// Notes a request that is about to be sent.
    ///
    /// Without `to` it goes to our own account. The deadline is on the clock that `expired(at:)` is told. False comes
    /// back where it was not noted: too many wait, or the id is taken.
    @discardableResult
    package mutating func register(to: JID?, id: String, waiter: Waiter, deadline: Duration) -> Bool {
        let key = Array(id.utf8)
        guard entries.count < Self.bound, entries[key] == nil else { return false }
        entries[key] = Entry(to: to, waiter: waiter, deadline: deadline)
        return true
    }

    /// Finds the request that an iq answers, and forgets it.
    ///
    /// - Returns: Nil where it answers none: a request, a late answer, or somebody else's.
    package mutating func received(_ iq: IQ) -> Match? {
        guard let id = iq.id, !iq.fromIsInvalid else { return nil }
        let answer: Answer
        switch iq.type {
        case .result: answer = .result(iq.payload)
        case .error: answer = .error(iq.error ?? StanzaError(.undefinedCondition))
        case .get, .set, .other: return nil
        }
        let key = Array(id.utf8)
        guard let entry = entries[key], isSender(iq.from, of: entry.to) else { return nil }
        entries[key] = nil
        return Match(waiter: entry.waiter, answer: answer)
    }

    /// Takes out the requests whose time is over.
    package mutating func expired(at now: Duration) -> [Waiter] {
        let over = entries.filter { $0.value.deadline <= now }
        for key in over.keys { entries[key] = nil }
        return over.values.sorted { $0.deadline < $1.deadline }.map(\.waiter)
    }

    /// Takes out a request whose answer nobody wants any more.
    package mutating func withdraw(id: String) -> Waiter? { entries.removeValue(forKey: Array(id.utf8))?.waiter }

    /// Takes out all, because the connection has ended.
    package mutating func drain() -> [Waiter] {
        defer { entries = [:] }
        return entries.values.sorted { $0.deadline < $1.deadline }.map(\.waiter)
    }

    private func isSender(_ from: JID?, of to: JID?) -> Bool {
        let own = JID(account.bare)
        guard let to, to != own else {
            // No `from` is our own account (RFC 6120 section 8.1.2.1).
            return from == nil || from == own
        }
        guard let from else {
            // Only our own server can leave `from` out, so this is as good as its name.
            return to == JID(account.bare.server)
        }
        return from == to || from.isEqualAsNodeprep(to)
    }
}

extension IQTable: Sendable where Waiter: Sendable {}
extension IQTable.Entry: Sendable where Waiter: Sendable {}
extension IQTable.Match: Sendable where Waiter: Sendable {}
