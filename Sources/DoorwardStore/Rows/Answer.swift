package import DoorwardPolicy
package import XMPPCore

/// An operator's answer to one request.
package struct Answer: Hashable, Sendable {
    package var id: Int64
    /// The version the operator saw; nil means the current one.
    package var version: Int?
    /// An accept or a reject.
    package var decision: Decision
    package var steps: [OutboxStep.Kind]
    /// The operator's name.
    package var by: String
    package var reason: String?

    package init(
        id: Int64,
        version: Int?,
        decision: Decision,
        steps: [OutboxStep.Kind],
        by: String,
        reason: String?
    ) {
        self.id = id
        self.version = version
        self.decision = decision
        self.steps = steps
        self.by = by
        self.reason = reason
    }
}

/// What came of an answer.
package enum AnswerOutcome: Hashable, Sendable {
    /// Written: journal and outbox row with it.
    case done(RequestRow)
    /// There is no such request.
    case notFound(id: Int64)
    /// It is no longer open: the row as it is, and who answered it when, where a person did.
    case notOpen(RequestRow, answeredBy: String?, at: Timestamp?)
    /// It changed since the version that the operator saw.
    case stale(RequestRow)
}
