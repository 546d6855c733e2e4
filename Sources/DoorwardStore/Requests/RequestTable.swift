import DoorwardPolicy
import XMPPCore

/// Reads and writes rows of requests, and appends to the journal.
struct RequestTable {
    let connection: Connection

    private static let columns = columns(indexedBy: nil)

    private static func columns(indexedBy index: String?) -> String {
        """
        SELECT r.id, r.account, r.contact, r.message, r.nickname, r.received_at, r.last_seen_at, r.seen_count,
            r.session, r.version, r.state, r.on_desk, r.decision, r.options, r.rule, r.policy, r.revision,
            o.had_item, o.steps
        FROM request r \(index.map { "INDEXED BY " + $0 } ?? "") LEFT JOIN outbox o ON o.request = r.id

        """
    }

    // MARK: Reading

    func row(id: Int64) throws(StoreError) -> RequestRow? {
        try connection.first(Self.columns + "WHERE r.id = ?", [.integer(id)], Self.read)
    }

    /// The contact's row with the highest id.
    ///
    /// A live one is always the latest, for a new one is made only where there is no live one.
    func latest(_ account: BareJID, _ contact: BareJID) throws(StoreError) -> RequestRow? {
        try connection.first(
            Self.columns + "WHERE r.account = ? AND r.contact = ? ORDER BY r.id DESC LIMIT 1",
            [.text(account.description), .text(contact.description)],
            Self.read
        )
    }

    func live(_ account: BareJID) throws(StoreError) -> [RequestRow] {
        try connection.all(
            Self.columns + "WHERE r.account = ? AND r.live = 1 ORDER BY r.id",
            [.text(account.description)],
            Self.read
        )
    }

    /// The rows that wait on the desk with ids above `after`, oldest first; of more than `limit` the oldest.
    func waiting(_ account: BareJID?, after: Int64, limit: Int) throws(StoreError) -> [RequestRow] {
        // Named, because a scan by id looks cheaper to the planner and reads every request there ever was.
        let what = Self.columns(indexedBy: "request_waiting") + "WHERE r.state IN ('open', 'held') AND r.id > ? "
        let after = SQLValue.integer(after)
        let limit = SQLValue.integer(Int64(limit))
        guard let account else { return try connection.all(what + "ORDER BY r.id LIMIT ?", [after, limit], Self.read) }
        let values = [after, SQLValue.text(account.description), limit]
        return try connection.all(what + "AND r.account = ? ORDER BY r.id LIMIT ?", values, Self.read)
    }

    /// The rows that wait or have waited on the desk, oldest first; of more than `limit` the newest.
    func everOnDesk(_ account: BareJID?, limit: Int) throws(StoreError) -> [RequestRow] {
        let what = Self.columns + "WHERE r.on_desk = 1 "
        let limit = SQLValue.integer(Int64(limit))
        guard let account else {
            return try connection.all(what + "ORDER BY r.id DESC LIMIT ?", [limit], Self.read).reversed()
        }
        let values = [SQLValue.text(account.description), limit]
        return try connection.all(what + "AND r.account = ? ORDER BY r.id DESC LIMIT ?", values, Self.read).reversed()
    }

    func waitingCounts() throws(StoreError) -> [BareJID: Int] {
        let counts = try connection.all(
            "SELECT account, count(*) FROM request WHERE state IN ('open', 'held') GROUP BY account"
        ) { row throws(StoreError) in (try row.address(), try row.count()) }
        return Dictionary(counts) { first, _ in first }
    }

    /// The operator whose answer is the latest decision of a request, and when it was; nil where no person decided.
    func personWhoAnswered(_ id: Int64) throws(StoreError) -> (name: String, at: Timestamp)? {
        let latest = try connection.first(
            "SELECT operator, at FROM journal WHERE request = ? AND kind = 'decided' ORDER BY id DESC LIMIT 1",
            [.integer(id)]
        ) { row throws(StoreError) in (try row.optionalText(), try row.timestamp()) }
        guard let (name, at) = latest, let name else { return nil }
        return (name, at)
    }

    private static func read(_ row: inout SQLRow) throws(StoreError) -> RequestRow {
        var request = RequestRow(
            id: try row.integer(),
            account: try row.address(),
            contact: try row.address(),
            message: try row.optionalText(),
            nickname: try row.optionalText(),
            receivedAt: try row.timestamp(),
            lastSeenAt: try row.timestamp(),
            seenCount: try row.count(),
            session: try row.integer(),
            version: try row.count(),
            state: try row.word(of: RequestState.self),
            onDesk: try row.flag(),
            decision: try DecisionColumns.decision(word: try row.optionalText(), options: try row.optionalText()),
            rule: try row.optionalText(),
            policy: try row.optionalText(),
            outbox: nil,
            revision: try row.integer()
        )
        let hadItem = try row.optionalFlag()
        if let steps = try row.optionalText() {
            request.outbox = OutboxRow(steps: try OutboxColumns.steps(steps), hadItem: hadItem)
        }
        return request
    }

    // MARK: Writing

    /// Writes a row and what the journal has to say of it; a row with the id 0 is new.
    ///
    /// `session` is the one in which it happened.
    ///
    /// - Returns: The row's id.
    func write(
        _ row: RequestRow, _ journal: [JournalEntry], session: Int64, at: Timestamp
    ) throws(StoreError) -> Int64 {
        var row = row
        if row.id == 0 { row.id = try insert(row) } else { try update(row) }
        if let outbox = row.outbox {
            try connection.run(
                """
                INSERT INTO outbox(request, had_item, steps) VALUES (?, ?, ?)
                ON CONFLICT(request) DO UPDATE SET had_item = excluded.had_item, steps = excluded.steps
                """,
                [.integer(row.id), SQLValue(outbox.hadItem), .text(OutboxColumns.text(of: outbox.steps))]
            )
        }
        for entry in journal { try append(entry, of: row, session: session, at: at) }
        return row.id
    }

    /// Takes so many revisions, and gives the first.
    func takeRevisions(_ count: Int) throws(StoreError) -> Int64 {
        let last = try connection.first(
            "UPDATE counter SET value = value + ? WHERE name = 'revision' RETURNING value", [.integer(Int64(count))]
        ) { row throws(StoreError) in try row.integer() }
        guard let last else { throw .corrupt("the counter of revisions") }
        return last - Int64(count) + 1
    }

    private func insert(_ row: RequestRow) throws(StoreError) -> Int64 {
        try connection.run(
            """
            INSERT INTO request(message, nickname, last_seen_at, seen_count, session, version, state, live, on_desk,
                decision, options, rule, policy, revision, account, contact, received_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            Self.values(row) + [
                .text(row.account.description), .text(row.contact.description),
                .integer(row.receivedAt.milliseconds),
            ]
        )
        return connection.lastInsertedRow
    }

    private func update(_ row: RequestRow) throws(StoreError) {
        try connection.run(
            """
            UPDATE request SET message = ?, nickname = ?, last_seen_at = ?, seen_count = ?, session = ?, version = ?,
                state = ?, live = ?, on_desk = ?, decision = ?, options = ?, rule = ?, policy = ?, revision = ?
            WHERE id = ?
            """,
            Self.values(row) + [.integer(row.id)]
        )
        if row.outbox == nil { try connection.run("DELETE FROM outbox WHERE request = ?", [.integer(row.id)]) }
    }

    private static func values(_ row: RequestRow) -> [SQLValue] {
        [
            SQLValue(row.message), SQLValue(row.nickname), .integer(row.lastSeenAt.milliseconds),
            .integer(Int64(row.seenCount)), .integer(row.session), .integer(Int64(row.version)),
            .text(row.state.rawValue), SQLValue(row.isLive), SQLValue(row.onDesk), SQLValue(row.decision?.word),
            SQLValue(DecisionColumns.options(of: row.decision)), SQLValue(row.rule), SQLValue(row.policy),
            .integer(row.revision),
        ]
    }

    private func append(_ entry: JournalEntry, of row: RequestRow, session: Int64, at: Timestamp) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO journal(request, at, kind, account, contact, session, decision, options, by, rule, operator,
                reason, policy, policy_digest, facts, trace, acts, steps, state)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(row.id), .integer(at.milliseconds), .text(entry.kind.rawValue),
                .text(row.account.description), .text(row.contact.description), .integer(session),
                SQLValue(entry.decision?.word), SQLValue(DecisionColumns.options(of: entry.decision)),
                SQLValue(entry.by?.rawValue), SQLValue(entry.rule), SQLValue(entry.operator),
                SQLValue(entry.reason), SQLValue(entry.policy), SQLValue(entry.policyDigest), SQLValue(entry.facts),
                SQLValue(entry.trace), SQLValue(entry.acts), SQLValue(OutboxColumns.kinds(entry.steps)),
                SQLValue(entry.state?.rawValue),
            ]
        )
    }
}
