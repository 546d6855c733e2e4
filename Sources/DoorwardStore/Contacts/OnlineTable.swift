import XMPPCore

/// Reads and writes when accounts were online.
struct OnlineTable {
    let connection: Connection

    /// How many of the latest times are kept of one account.
    static let kept: Int64 = 1000
    /// Two times that are no farther apart are one, in milliseconds.
    static let gap: Int64 = 60_000

    /// The oldest first.
    func rows(_ account: BareJID) throws(StoreError) -> [OnlineTime] {
        try connection.all(
            "SELECT since, until FROM account_online WHERE account = ? ORDER BY since", [.text(account.description)]
        ) { row throws(StoreError) in OnlineTime(since: try row.timestamp(), until: try row.timestamp()) }
    }

    func last(_ account: BareJID) throws(StoreError) -> OnlineTime? {
        try connection.first(
            "SELECT since, until FROM account_online WHERE account = ? ORDER BY since DESC LIMIT 1",
            [.text(account.description)]
        ) { row throws(StoreError) in OnlineTime(since: try row.timestamp(), until: try row.timestamp()) }
    }

    /// The account is or was online in that time: a new one, or the last one goes on.
    func write(_ time: OnlineTime, of account: BareJID) throws(StoreError) {
        let owner = SQLValue.text(account.description)
        if let last = try last(account),
            time.since.milliseconds <= last.until.milliseconds.addingReportingOverflow(Self.gap).partialValue
        {
            guard time.until > last.until else { return }
            try connection.run(
                "UPDATE account_online SET until = ? WHERE account = ? AND since = ?",
                [.integer(time.until.milliseconds), owner, .integer(last.since.milliseconds)])
            return
        }
        try connection.run(
            "INSERT OR REPLACE INTO account_online(account, since, until) VALUES (?, ?, ?)",
            [owner, .integer(time.since.milliseconds), .integer(max(time.since, time.until).milliseconds)])
        try connection.run(
            """
            DELETE FROM account_online WHERE account = ?1 AND since <=
                (SELECT since FROM account_online WHERE account = ?1 ORDER BY since DESC LIMIT 1 OFFSET ?2)
            """, [owner, .integer(Self.kept)])
    }
}
