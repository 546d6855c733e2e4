import XMPPCore

/// Reads and writes alerts.
struct AlertTable {
    let connection: Connection

    /// How many of the latest alerts are kept once they are cleared.
    static let kept: Int64 = 1000

    private static let columns = "SELECT id, at, account, code, text, cleared_at FROM alert "
    private static let raised = "WHERE code = ? AND ifnull(account, '') = ? AND cleared_at IS NULL"

    func raise(_ code: String, _ account: BareJID?, _ text: String, _ at: Timestamp) throws(StoreError) -> AlertRow {
        try connection.transaction { () throws(StoreError) in
            let key = Self.key(code, account)
            if var row = try connection.first(Self.columns + Self.raised, key, Self.read) {
                row.text = text
                try connection.run("UPDATE alert SET text = ? WHERE id = ?", [.text(text), .integer(row.id)])
                return row
            }
            try connection.run(
                "INSERT INTO alert(at, account, code, text) VALUES (?, ?, ?, ?)",
                [.integer(at.milliseconds), SQLValue(account?.description), .text(code), .text(text)]
            )
            let id = connection.lastInsertedRow
            // A condition that comes and goes must not fill the disk.
            try connection.run(
                "DELETE FROM alert WHERE id <= ? AND cleared_at IS NOT NULL",
                [.integer(id - Self.kept)]
            )
            return AlertRow(id: id, at: at, account: account, code: code, text: text, clearedAt: nil)
        }
    }

    func clear(_ code: String, _ account: BareJID?, _ at: Timestamp) throws(StoreError) -> Bool {
        try connection.run(
            "UPDATE alert SET cleared_at = ? " + Self.raised,
            [.integer(at.milliseconds)] + Self.key(code, account)
        )
        return connection.changedRows > 0
    }

    func rows(all: Bool) throws(StoreError) -> [AlertRow] {
        let what = all ? "" : "WHERE cleared_at IS NULL "
        return try connection.all(
            Self.columns + what + "ORDER BY id DESC LIMIT ?",
            [.integer(Int64(Store.rowLimit))],
            Self.read
        )
    }

    private static func key(_ code: String, _ account: BareJID?) -> [SQLValue] {
        [.text(code), .text(account?.description ?? "")]
    }

    private static func read(_ row: inout SQLRow) throws(StoreError) -> AlertRow {
        let id = try row.integer()
        let at = try row.timestamp()
        let account = try row.optionalAddress()
        return AlertRow(
            id: id,
            at: at,
            account: account,
            code: try row.text(),
            text: try row.text(),
            clearedAt: try row.optionalTimestamp()
        )
    }
}
