package import DoorwardStore
package import XMPPCore

/// What waits for an operator.
///
/// The rows are the truth; an answer is one guarded update, then the account is told.
package struct Desk: Sendable {
    private let store: Store
    private let supervisor: Supervisor
    private let events: EventSink

    init(store: Store, supervisor: Supervisor, events: @escaping EventSink) {
        self.store = store
        self.supervisor = supervisor
        self.events = events
    }

    /// Answers requests; each is written with its journal and outbox rows before any account is told.
    ///
    /// An account that is offline finds its row at the next login.
    package func answer(_ answers: [Answer], at: Timestamp) async throws -> [AnswerOutcome] {
        let outcomes = try await store.answer(answers, at: at)
        for (answer, outcome) in zip(answers, outcomes) {
            guard case .done(let row) = outcome else { continue }
            events(.answered(row, operator: answer.by))
            await supervisor.account(row.account)?.answered(row)
        }
        return outcomes
    }
}
