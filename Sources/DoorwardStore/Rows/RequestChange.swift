package import DoorwardPolicy
package import XMPPCore

/// One change of one account's requests; those that a single read brought are committed as one transaction.
///
/// Changes name the contact, not the row: an account has at most one live row for a contact.
package enum RequestChange: Hashable, Sendable {
    /// A delivery that belongs to no live row opens a new one, decided as recorded.
    case opened(DeliveredRequest, DecisionRecord)
    /// The same, and what is decided hangs on facts that are still to be asked for.
    case received(DeliveredRequest)
    /// A delivery of the live row: counted, its session noted. A record is given where the row was decided without
    /// acting and is now decided otherwise.
    case redelivered(DeliveredRequest, DecisionRecord?)
    /// The facts that the decision hung on are there, or cannot be had.
    case decided(contact: BareJID, DecisionRecord)
    /// The request is gone without an answer of ours; what was still due is dropped.
    case closed(contact: BareJID, as: Closure)
    /// Steps were given to the connection in this session.
    case written(contact: BareJID, steps: [OutboxStep.Kind], hadItem: Bool)
    /// The server has had these steps.
    case confirmed(contact: BareJID, steps: [OutboxStep.Kind])
    /// These steps will not be sent, or the server refused them.
    case dropped(contact: BareJID, steps: [OutboxStep.Kind], reason: String)
    /// The old address says that it has moved to this contact.
    case moved(contact: BareJID, MoveClaim)

    /// The contact whose row it changes.
    package var contact: BareJID {
        switch self {
        case .opened(let delivered, _), .received(let delivered), .redelivered(let delivered, _): delivered.contact
        case .decided(let contact, _), .closed(let contact, _), .written(let contact, _, _), .confirmed(let contact, _),
            .dropped(let contact, _, _), .moved(let contact, _):
            contact
        }
    }
}

/// What one delivery of a request carried.
package struct DeliveredRequest: Hashable, Sendable {
    package var contact: BareJID
    package var message: String?
    package var nickname: String?
    /// SHA-256 of the token that it shows, in hexadecimal.
    package var token: String?
    /// A contact of ours that the one who asks says it was before.
    package var movedFrom: BareJID?

    package init(
        contact: BareJID, message: String?, nickname: String?, token: String? = nil, movedFrom: BareJID? = nil
    ) {
        self.contact = contact
        self.message = message
        self.nickname = nickname
        self.token = token
        self.movedFrom = movedFrom
    }
}

/// How a request ended without an answer of ours.
package struct Closure: Hashable, Sendable {
    /// `withdrawn`, `answeredElsewhere` or `covered`.
    package var state: RequestState
    package var by: Authority
    /// What was seen, in words for the history.
    package var reason: String

    package init(_ state: RequestState, by: Authority, reason: String) {
        self.state = state
        self.by = by
        self.reason = reason
    }
}

/// A decision with all that explains it.
package struct DecisionRecord: Hashable, Sendable {
    package var decision: Decision
    package var by: Authority
    package var rule: String?
    /// The operator who has decided it ahead; nil where nobody has.
    package var `operator`: String?
    package var policy: String?
    package var policyDigest: String?
    package var reason: String?
    /// The facts as a JSON object.
    package var facts: String
    /// The trace as a JSON array.
    package var trace: String
    /// False in a mode that only observes: recorded, nothing sent, nothing put on the desk.
    package var acts: Bool
    /// What an accept or a reject has to send; empty for `ask`, `ignore`, or where it does not act.
    package var steps: [OutboxStep.Kind]
    /// What an accept by an invitation has to send, where the request's token lets it in: that decides instead of this.
    ///
    /// Nil where no token counts: of a contact that is blocked. In a mode that only observes it counts, and is not used.
    package var stepsIfInvited: [OutboxStep.Kind]?
    /// What is decided instead where the request's token is worth nothing any more; nil where that is the same.
    package var ifExpired: Alternative?
    /// The invitation that decided; set by the store.
    var invitation: Int64?

    /// A decision in place of another.
    package indirect enum Alternative: Hashable, Sendable {
        case record(DecisionRecord)
    }

    package init(
        decision: Decision,
        by: Authority,
        rule: String? = nil,
        operator: String? = nil,
        policy: String? = nil,
        policyDigest: String? = nil,
        reason: String? = nil,
        facts: String = "{}",
        trace: String = "[]",
        acts: Bool = true,
        steps: [OutboxStep.Kind] = [],
        stepsIfInvited: [OutboxStep.Kind]? = nil,
        ifExpired: Alternative? = nil
    ) {
        self.decision = decision
        self.by = by
        self.rule = rule
        self.operator = `operator`
        self.policy = policy
        self.policyDigest = policyDigest
        self.reason = reason
        self.facts = facts
        self.trace = trace
        self.acts = acts
        self.steps = steps
        self.stepsIfInvited = stepsIfInvited
        self.ifExpired = ifExpired
    }
}
