import DoorwardPolicy
package import XMPPCore

/// What a block means for the requests that wait.
extension Store {
    /// Closes the requests that a block covers: each leaves the desk as `covered`, and its sender is to be told no.
    ///
    /// - Parameters:
    ///   - account: Whose.
    ///   - name: The operator's name.
    ///   - reason: In words for the history.
    ///   - at: When.
    ///   - actions: What the journal is to have of the block itself.
    ///   - covers: Whether the block covers a contact.
    /// - Throws: `StoreError`.
    /// - Returns: The rows that were closed, oldest first, and the numbers of the actions.
    package func cover(
        _ account: BareJID, by name: String, reason: String, at: Timestamp, beginning actions: [ContactAction] = [],
        where covers: @Sendable (BareJID) -> Bool
    ) throws(StoreError) -> (rows: [RequestRow], actions: [Int64]) {
        let connection = try openConnection()
        let table = RequestTable(connection: connection)
        var isWritten = false
        defer { if !isWritten { revisions.forget() } }
        let covered = try connection.transaction { () throws(StoreError) in
            let journal = ContactActionTable(connection: connection)
            var ids: [Int64] = []
            for action in actions { ids.append(try journal.begin(action, at: at)) }
            let live = try table.live(account).filter { covers($0.contact) && $0.isUndecided }
            guard !live.isEmpty else { return (rows: [RequestRow](), actions: ids) }
            let revision = try revisions.take(live.count, connection)
            var covered: [RequestRow] = []
            for (index, row) in live.enumerated() {
                let transition = RequestTransition(covering: row, by: name, reason: reason)
                guard var row = transition.row else { continue }
                row.revision = revision + Int64(index)
                let names = RequestTable.Names(account: row.account.description, contact: row.contact)
                _ = try table.write(row, .all, transition.journal, names: names, session: row.session, at: at)
                covered.append(row)
            }
            return (rows: covered, actions: ids)
        }
        isWritten = true
        for row in covered.rows { recent.wrote(row) }
        return covered
    }
}

extension RequestRow {
    /// Whether nobody has answered it, and nothing is on its way.
    fileprivate var isUndecided: Bool {
        switch state {
        case .open, .held, .recorded: true
        case .accepted, .rejected, .withdrawn, .answeredElsewhere, .covered: false
        }
    }
}

extension RequestTransition {
    /// An operator blocked the one who asks, or the domain.
    init(covering row: RequestRow, by name: String, reason: String) {
        var row = row
        row.state = .covered
        row.decision = .reject(Rejection())
        row.outbox = OutboxRow(steps: [OutboxStep(.verdict)])
        self.row = row
        extent = .all
        var entry = JournalEntry.closed(Closure(.covered, by: .operator, reason: reason))
        entry.operator = name
        journal = [entry]
    }
}
