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
            r.had_item, r.steps, r.token, r.invitation, r.moved_from, r.moved, \(shownColumns)
        FROM request r \(index.map { "INDEXED BY " + $0 } ?? "")
            LEFT JOIN invitation i ON i.digest = r.token

        """
    }

    // MARK: Reading

    func row(id: Int64) throws(StoreError) -> RequestRow? {
        try connection.first(Self.columns + "WHERE r.id = ?", [.integer(id)], Self.read)
    }

    /// The contact's row with the highest id.
    ///
    /// A live one is always the latest, for a new one is made only where there is no live one.
    func latest(_ names: Names) throws(StoreError) -> RequestRow? {
        try connection.first(
            Self.latestQuery,
            { values in
                values.text(names.account)
                values.text(names.contact)
            }, Self.read)
    }

    private static let latestQuery = Query(
        columns + "WHERE r.account = ? AND r.contact = ? ORDER BY r.id DESC LIMIT 1")

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
        request.token = try row.optionalText()
        request.invitation = try row.optionalInteger()
        request.move = try Self.move(&row)
        request.shown = try Self.shown(&row, request)
        return request
    }

    // MARK: Writing

    /// The addresses of a row as they are written.
    struct Names {
        let account: String
        let contact: String

        init(account: String, contact: BareJID) {
            self.account = account
            self.contact = contact.description
        }
    }

    /// What of a row is to be written.
    enum Extent: Comparable {
        case nothing
        /// Its steps and what follows from them: that it is live.
        case steps
        case all
    }

    /// Writes a row and what the journal has to say of it; a row with the id 0 is new.
    ///
    /// `session` is the one in which it happened.
    ///
    /// - Returns: The row's id.
    func write(
        _ row: RequestRow, _ extent: Extent, _ journal: [JournalEntry], names: Names, session: Int64, at: Timestamp
    ) throws(StoreError) -> Int64 {
        var id = row.id
        switch extent {
        case _ where id == 0: id = try insert(row, names)
        case .all: try update(row)
        case .steps: try updateSteps(row)
        case .nothing: break
        }
        for entry in journal { try append(entry, of: id, names, session: session, at: at) }
        return id
    }

    private func insert(_ row: RequestRow, _ names: Names) throws(StoreError) -> Int64 {
        try connection.run(Self.insertion) { values in
            Self.bind(row, &values)
            values.text(names.account)
            values.text(names.contact)
            values.integer(row.receivedAt.milliseconds)
        }
        return connection.lastInsertedRow
    }

    private static let insertion = Query(
        """
        INSERT INTO request(message, nickname, last_seen_at, seen_count, session, version, state, live, on_desk,
            decision, options, rule, policy, revision, had_item, steps, token, invitation, moved_from, moved,
            account, contact, received_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)

    private func update(_ row: RequestRow) throws(StoreError) {
        try connection.run(Self.fullUpdate) { values in
            Self.bind(row, &values)
            values.integer(row.id)
        }
    }

    private static let fullUpdate = Query(
        """
        UPDATE request SET message = ?, nickname = ?, last_seen_at = ?, seen_count = ?, session = ?, version = ?,
            state = ?, live = ?, on_desk = ?, decision = ?, options = ?, rule = ?, policy = ?, revision = ?,
            had_item = ?, steps = ?, token = ?, invitation = ?, moved_from = ?, moved = ?
        WHERE id = ?
        """)

    private func updateSteps(_ row: RequestRow) throws(StoreError) {
        try connection.run(Self.stepsUpdate) { values in
            values.flag(row.isLive)
            values.integer(row.revision)
            values.flag(row.outbox?.hadItem)
            values.text(row.outbox.map { OutboxColumns.text(of: $0.steps) })
            values.integer(row.id)
        }
    }

    private static let stepsUpdate = Query(
        "UPDATE request SET live = ?, revision = ?, had_item = ?, steps = ? WHERE id = ?")

    private static func bind(_ row: RequestRow, _ values: inout Binder) {
        values.text(row.message)
        values.text(row.nickname)
        values.integer(row.lastSeenAt.milliseconds)
        values.integer(Int64(row.seenCount))
        values.integer(row.session)
        values.integer(Int64(row.version))
        values.text(row.state.rawValue)
        values.flag(row.isLive)
        values.flag(row.onDesk)
        values.text(row.decision?.word)
        values.text(DecisionColumns.options(of: row.decision))
        values.text(row.rule)
        values.text(row.policy)
        values.integer(row.revision)
        values.flag(row.outbox?.hadItem)
        values.text(row.outbox.map { OutboxColumns.text(of: $0.steps) })
        bindIntroduction(of: row, &values)
    }
}
