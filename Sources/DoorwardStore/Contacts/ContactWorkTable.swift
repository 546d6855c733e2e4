import XMPPCore

/// Reads and writes what actions on contacts send, until the journal has their ends.
struct ContactWorkTable {
    let connection: Connection

    func write(_ work: ContactWork, _ id: Int64, _ account: BareJID) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO contact_work(id, account, name, old_name, groups, leaves, message, preapproves, entry, report)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(id), .text(account.description), SQLValue(work.name), SQLValue(work.oldName),
                .text(ContactTable.text(of: work.groups)), .text(ContactTable.text(of: work.leaves)),
                SQLValue(work.message), SQLValue(work.preApproves), SQLValue(work.entry?.description),
                SQLValue(work.report),
            ])
    }

    /// Whether it approves its contact ahead.
    func preApproves(_ id: Int64) throws(StoreError) -> Bool {
        try connection.first("SELECT preapproves FROM contact_work WHERE id = ?", [.integer(id)]) {
            row throws(StoreError) in try row.flag()
        } ?? false
    }

    /// - Returns: Whether it was there.
    func delete(_ id: Int64) throws(StoreError) -> Bool {
        try connection.run("DELETE FROM contact_work WHERE id = ?", [.integer(id)])
        return connection.changedRows > 0
    }

    /// The oldest first.
    func unfinished(_ account: BareJID) throws(StoreError) -> [UnfinishedAction] {
        try connection.all(
            """
            SELECT w.id, j.action, j.contact, j.operator, j.suggested_by, j.reason, j.session,
                w.name, w.old_name, w.groups, w.leaves, w.message, w.preapproves, w.entry, w.report
            FROM contact_work w JOIN journal j ON j.id = w.id WHERE w.account = ? ORDER BY w.id
            """, [.text(account.description)]
        ) { row throws(StoreError) in try Self.read(&row, account) }
    }

    private static func read(_ row: inout SQLRow, _ account: BareJID) throws(StoreError) -> UnfinishedAction {
        let id = try row.integer()
        let kind = try row.word(of: ContactAction.Kind.self)
        let contact = try row.address()
        let name = try row.optionalText()
        let author: ContactAction.Author =
            if let sender = try row.optionalAddress() { .suggestion(sender) } else { .operator(name ?? "") }
        var action = ContactAction(
            kind, account: account, contact: contact, author: author, detail: try row.optionalText(),
            session: try row.integer())
        action.work = ContactWork(
            name: try row.optionalText(), oldName: try row.optionalText(),
            groups: ContactTable.groups(try row.text()), leaves: ContactTable.groups(try row.text()),
            message: try row.optionalText(), preApproves: try row.flag(), entry: try entry(&row),
            report: try row.optionalText())
        return UnfinishedAction(id: id, action: action)
    }

    private static func entry(_ row: inout SQLRow) throws(StoreError) -> JID? {
        guard let text = try row.optionalText() else { return nil }
        do throws(JIDError) {
            return try JID(text)
        } catch {
            throw .corrupt("no address in contact_work")
        }
    }
}
