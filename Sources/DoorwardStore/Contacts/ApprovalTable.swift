import XMPPCore

/// Reads and writes whom operators have approved ahead.
struct ApprovalTable {
    let connection: Connection

    func all(_ account: BareJID) throws(StoreError) -> [BareJID: Approval] {
        var known: [BareJID: Approval] = [:]
        try connection.walk(
            "SELECT contact, action, operator, at, used FROM approval WHERE account = ?", [.text(account.description)]
        ) { row throws(StoreError) in
            let contact = try row.address()
            known[contact] = Approval(
                action: try row.integer(), operator: try row.text(), at: try row.timestamp(), isUsed: try row.flag())
            return true
        }
        return known
    }

    /// Given by a row of the journal.
    ///
    /// - Parameters:
    ///   - id: Of that row.
    ///   - at: When.
    ///   - isNew: Whether it is given now, so that it stands again where it was used; else only where there is none.
    /// - Throws: `StoreError`.
    func give(_ id: Int64, at: Timestamp, isNew: Bool) throws(StoreError) {
        let conflict =
            isNew
            ? """
            UPDATE SET action = excluded.action, operator = excluded.operator, at = excluded.at, used = 0
            WHERE used = 1
            """ : "NOTHING"
        try connection.run(
            """
            INSERT INTO approval(account, contact, action, operator, at, used)
            SELECT account, contact, id, ifnull(operator, ''), ?, 0 FROM journal WHERE id = ?
            ON CONFLICT(account, contact) DO \(conflict)
            """, [.integer(at.milliseconds), .integer(id)])
    }

    /// What was to give it was not done.
    func withdraw(_ id: Int64) throws(StoreError) {
        try connection.run("DELETE FROM approval WHERE action = ?", [.integer(id)])
    }

    func use(_ contact: String, _ account: String) throws(StoreError) {
        try connection.run(
            "UPDATE approval SET used = 1 WHERE account = ? AND contact = ?", [.text(account), .text(contact)])
    }

    func delete(_ contact: String, _ account: String) throws(StoreError) {
        try connection.run(
            "DELETE FROM approval WHERE account = ? AND contact = ?", [.text(account), .text(contact)])
    }
}
