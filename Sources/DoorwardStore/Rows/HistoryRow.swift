package import XMPPCore

/// One row of `history`: a decision or a closing, with what became of it.
package struct HistoryRow: Hashable, Sendable {
    package enum Event: String, Hashable, Sendable {
        case decided, closed
        /// An operator did something to a contact, or a service suggested it.
        case contact
    }

    /// `waiting`, `held`, `queued`, `sent`, `confirmed`, `not_sent`, `withdrawn`, `answered_elsewhere`, `covered` or `refused`.
    package enum State: String, Hashable, Sendable {
        case waiting, held, queued, sent, confirmed
        case notSent = "not_sent"
        case withdrawn
        case answeredElsewhere = "answered_elsewhere"
        case covered
        /// A contact was asked, and its server did not take that.
        case refused
    }

    package var id: Int64
    /// Nil for what is about a contact and no request.
    package var request: Int64?
    package var at: Timestamp
    package var account: BareJID
    package var contact: BareJID
    package var event: Event
    /// The decision's word; nil for a request closed without one.
    package var decision: String?
    package var by: String
    package var rule: String?
    package var `operator`: String?
    package var reason: String?
    package var policy: String?
    package var policyDigest: String?
    /// What was done to a contact (``ContactAction/Kind``).
    package var action: String?
    /// The service that suggested it (XEP-0144); nil where an operator did it.
    package var suggestedBy: BareJID?
    package var sentAt: Timestamp?
    package var state: State

    package init(
        id: Int64,
        request: Int64?,
        at: Timestamp,
        account: BareJID,
        contact: BareJID,
        event: Event,
        decision: String?,
        by: String,
        rule: String?,
        operator: String?,
        reason: String?,
        policy: String?,
        policyDigest: String?,
        action: String? = nil,
        suggestedBy: BareJID? = nil,
        sentAt: Timestamp?,
        state: State
    ) {
        self.id = id
        self.request = request
        self.at = at
        self.account = account
        self.contact = contact
        self.event = event
        self.decision = decision
        self.by = by
        self.rule = rule
        self.operator = `operator`
        self.reason = reason
        self.policy = policy
        self.policyDigest = policyDigest
        self.action = action
        self.suggestedBy = suggestedBy
        self.sentAt = sentAt
        self.state = state
    }
}
