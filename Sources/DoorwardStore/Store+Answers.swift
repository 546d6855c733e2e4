import DoorwardPolicy
package import XMPPCore

/// Operators' answers to requests.
extension Store {
    /// Writes operators' answers as one transaction; each is done only while its row is open and unchanged since the
    /// version that the operator saw.
    package func answer(_ answers: [Answer], at: Timestamp) throws(StoreError) -> [AnswerOutcome] {
        let connection = try openConnection()
        guard !answers.isEmpty else { return [] }
        return try answer(answers, at: at, connection) { () throws(StoreError) in }.outcomes
    }

    /// Writes down what is to be done to a contact together with the answer to its request: both, or none of them.
    ///
    /// - Returns: The number of the action's row, for `end`, and what came of the answer.
    package func begin(
        _ action: ContactAction, answering answer: Answer, at: Timestamp
    ) throws(StoreError) -> (id: Int64, answer: AnswerOutcome?) {
        let connection = try openConnection()
        let done = try self.answer([answer], at: at, connection) { () throws(StoreError) in
            try ContactActionTable(connection: connection).begin(action, at: at)
        }
        return (done.value, done.outcomes.first)
    }

    /// Answers, and writes what else belongs to them in the same transaction.
    private func answer<Value>(
        _ answers: [Answer], at: Timestamp, _ connection: Connection, beside write: () throws(StoreError) -> Value
    ) throws(StoreError) -> (outcomes: [AnswerOutcome], value: Value) {
        var isWritten = false
        defer { if !isWritten { revisions.forget() } }
        let done = try connection.transaction { () throws(StoreError) in
            (outcomes: try outcomes(of: answers, at: at, connection), value: try write())
        }
        isWritten = true
        for case .done(let row) in done.outcomes { recent.wrote(row) }
        return done
    }

    private func outcomes(
        of answers: [Answer], at: Timestamp, _ connection: Connection
    ) throws(StoreError) -> [AnswerOutcome] {
        let table = RequestTable(connection: connection)
        var outcomes: [AnswerOutcome] = []
        let revision = try revisions.take(answers.count, connection)
        for (index, answer) in answers.enumerated() {
            guard let row = try table.row(id: answer.id) else {
                outcomes.append(.notFound(id: answer.id))
                continue
            }
            guard row.state == .open else {
                let person = try table.personWhoAnswered(row.id)
                outcomes.append(.notOpen(row, answeredBy: person?.name, at: person?.at))
                continue
            }
            guard answer.version == nil || answer.version == row.version else {
                outcomes.append(.stale(row))
                continue
            }
            let transition = try RequestTransition(
                answer, to: row, old: try item(row.move?.from, of: row.account, connection),
                new: row.move == nil ? nil : try item(row.contact, of: row.account, connection))
            guard var answered = transition.row else { continue }
            answered.revision = revision + Int64(index)
            let names = RequestTable.Names(account: row.account.description, contact: row.contact)
            _ = try table.write(answered, .all, transition.journal, names: names, session: row.session, at: at)
            outcomes.append(.done(answered))
        }
        return outcomes
    }

    /// The item that is kept of a contact.
    private func item(
        _ contact: BareJID?, of account: BareJID, _ connection: Connection
    ) throws(StoreError) -> RosterFact? {
        guard let contact else { return nil }
        return try ContactTable(connection: connection).contact(contact, of: account)?.item
    }
}
