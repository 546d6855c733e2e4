import XMPPCore

/// Reads and writes what is known of contacts' pictures.
struct AvatarTable {
    private static let columns = "contact, hash, source, checked_at, failed_hash, failed_until"

    let connection: Connection

    func rows(of account: BareJID, limit: Int) throws(StoreError) -> [AvatarRow] {
        try connection.all(
            "SELECT \(Self.columns) FROM avatar WHERE account = ? LIMIT ?",
            [.text(account.description), .integer(Int64(limit))], Self.read)
    }

    func row(of account: BareJID, _ contact: BareJID) throws(StoreError) -> AvatarRow? {
        try connection.first(
            "SELECT \(Self.columns) FROM avatar WHERE account = ? AND contact = ?",
            [.text(account.description), .text(contact.description)], Self.read)
    }

    func write(_ row: AvatarRow, of account: BareJID) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO avatar(account, \(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(account, contact) DO UPDATE SET hash = excluded.hash, source = excluded.source,
                checked_at = excluded.checked_at, failed_hash = excluded.failed_hash,
                failed_until = excluded.failed_until
            """,
            [
                .text(account.description), .text(row.contact.description), SQLValue(row.hash?.description),
                SQLValue(row.source?.rawValue), .integer(row.checkedAt.milliseconds),
                SQLValue(row.failure?.hash.description), SQLValue(row.failure?.until.milliseconds),
            ])
    }

    func remove(_ contact: BareJID, of account: BareJID) throws(StoreError) {
        try connection.run(
            "DELETE FROM avatar WHERE account = ? AND contact = ?",
            [.text(account.description), .text(contact.description)])
    }

    /// Whose contacts something is known of.
    func accounts() throws(StoreError) -> [String] {
        // Each is found behind the one before, whatever number of rows that has.
        var accounts: [String] = []
        while let next = try connection.first(
            "SELECT min(account) FROM avatar WHERE account > ?", [.text(accounts.last ?? "")],
            { row throws(StoreError) in try row.optionalText() }) ?? nil
        {
            accounts.append(next)
        }
        return accounts
    }

    func forget(_ account: String) throws(StoreError) {
        try connection.run("DELETE FROM avatar WHERE account = ?", [.text(account)])
    }

    private static func read(_ row: inout SQLRow) throws(StoreError) -> AvatarRow {
        let contact = try row.address()
        let hash = try row.optionalText().flatMap { AvatarHash($0) }
        let source = try row.optionalText().flatMap { AvatarRow.Source(rawValue: $0) }
        var avatar = AvatarRow(contact: contact, hash: hash, source: source, checkedAt: try row.timestamp())
        let failed = try row.optionalText().flatMap { AvatarHash($0) }
        let until = try row.optionalTimestamp()
        if let failed, let until { avatar.failure = AvatarRow.Failure(hash: failed, until: until) }
        return avatar
    }
}
