import DoorwardPolicy

/// A row of the journal before it is written; request, account, contact, session and time are those of its request.
struct JournalEntry: Hashable {
    enum Kind: String, Hashable {
        /// A policy, a mode or an operator has decided.
        case decided
        /// The request has gone without an answer of ours.
        case closed
        /// The verdict was given to a connection for the first time, later than it was decided.
        case sent
        /// The server has had the verdict.
        case confirmed
        /// Steps will not be sent.
        case dropped
        /// An operator does something to a contact; of no request.
        case contact
    }

    var kind: Kind
    var decision: Decision?
    var by: Authority?
    var rule: String?
    var `operator`: String?
    var reason: String?
    var policy: String?
    var policyDigest: String?
    var facts: String?
    var trace: String?
    var acts: Bool?
    var steps: [OutboxStep.Kind] = []
    var state: RequestState?
    /// Of a decision, the steps that were given to a connection in the same transaction.
    var sent: [OutboxStep.Kind] = []

    static func decided(_ record: DecisionRecord) -> JournalEntry {
        JournalEntry(
            kind: .decided,
            decision: record.decision,
            by: record.by,
            rule: record.rule,
            operator: record.operator,
            reason: record.reason,
            policy: record.policy,
            policyDigest: record.policyDigest,
            facts: TextBounds.json(record.facts, insteadOf: #"{"omitted":"too long"}"#),
            trace: TextBounds.json(record.trace, insteadOf: "[]"),
            acts: record.acts,
            steps: record.steps
        )
    }

    static func answered(_ answer: Answer) -> JournalEntry {
        JournalEntry(
            kind: .decided,
            decision: answer.decision,
            by: .operator,
            operator: answer.by,
            reason: answer.reason.map(TextBounds.reason),
            acts: true,
            steps: answer.steps
        )
    }

    static func closed(_ closure: Closure) -> JournalEntry {
        JournalEntry(
            kind: .closed,
            by: closure.by,
            reason: TextBounds.reason(closure.reason),
            state: closure.state
        )
    }
}
