/// What the invitation token of a request is worth (XEP-0379).
package enum TokenFact: String, Hashable, Sendable, CaseIterable {
    /// There is none, or one that this account knows nothing of: it counts as none (XEP-0379 section 3.3).
    case absent
    /// It lets the one who asks in.
    case valid
    /// It did once: it is too old, used up, or was revoked.
    case expired
}

/// What is known of a request's claim to come from a contact under another address (XEP-0283).
package enum MoveFact: String, Hashable, Sendable, CaseIterable {
    /// There is no claim, or one to have been somebody who never saw the account: it counts as none.
    case absent
    /// Only the one who asks says so.
    case claimed
    /// The old address says so too.
    case verified
}

/// A fact that costs a round trip: it is asked for only where a rule needs it.
package enum CostlyFact<Value: Hashable & Sendable>: Hashable, Sendable {
    case known(Value)
    /// It could not be had.
    case unknown
    case notAsked
}

/// The facts that cost a round trip, by their conditions' names.
package enum CostlyFactName: String, Hashable, Sendable, CaseIterable {
    case moved
}
