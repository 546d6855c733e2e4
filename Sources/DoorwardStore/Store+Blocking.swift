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
    ///   - covers: Whether the block covers a contact.
    /// - Throws: `StoreError`.
    /// - Returns: The rows that were closed, oldest first.
    package func cover(
        _ account: BareJID, by name: String, reason: String, at: Timestamp,
        where covers: @Sendable (BareJID) -> Bool
    ) throws(StoreError) -> [RequestRow] {
        let connection = try openConnection()
        let table = RequestTable(connection: connection)
        var isWritten = false
        defer { if !isWritten { revisions.forget() } }
        let rows = try connection.transaction { () throws(StoreError) in
            let live = try table.live(account).filter { covers($0.contact) && $0.isUndecided }
            guard !live.isEmpty else { return [RequestRow]() }
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
            return covered
        }
        isWritten = true
        for row in rows { recent.wrote(row) }
        return rows
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
