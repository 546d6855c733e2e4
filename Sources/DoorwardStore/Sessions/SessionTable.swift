import XMPPCore

/// Reads and writes the sessions that can be resumed, with what they know of contacts.
struct SessionTable {
    let connection: Connection

    // MARK: Reading

    func session(_ account: BareJID) throws(StoreError) -> SavedSession? {
        let saved = try connection.first(
            """
            SELECT s.session, s.jid, s.id, s.location, s.maximum, s.features, s.can_block, s.announced,
                c.inbound, c.outbound, c.acknowledged, c.at, a.session
            FROM resumable_session s JOIN stream_count c ON c.account = s.account
                LEFT JOIN account_session a ON a.account = s.account
            WHERE s.account = ?
            """,
            [.text(account.description)]
        ) { row throws(StoreError) in
            var session = SavedSession(
                number: try row.integer(), jid: try row.fullAddress(), id: try row.text(),
                location: try row.optionalText(), maximum: try row.optionalInteger().map { Int(clamping: $0) },
                features: try row.text(), canBlock: try row.flag(), counts: StreamCounts())
            session.announced = try row.optionalText()
            session.counts = StreamCounts(
                inbound: try row.serial(), outbound: try row.serial(), acknowledged: try row.serial())
            session.savedAt = try row.timestamp()
            // The account's last session, and no other, is the one in which its requests were delivered.
            guard session.number == (try row.optionalInteger() ?? session.number) else {
                throw .corrupt("the number of a session")
            }
            return session
        }
        if let saved, saved.jid.bare != account || saved.id.isEmpty || saved.savedAt.milliseconds < 0 {
            throw .corrupt("a session that cannot be the account's")
        }
        return saved
    }

    func mirror(_ account: BareJID) throws(StoreError) -> SessionMirror {
        let table = ContactTable(connection: connection)
        return SessionMirror(
            contacts: try table.contacts(account), available: try resources.rows(account.description),
            rosterVersion: try table.state(account)?.version)
    }

    // MARK: Writing

    func write(_ change: SessionChange, of account: BareJID, at: Timestamp) throws(StoreError) {
        if let begun = change.begun { try begin(begun, change.available, account) }
        var contacts = ContactChanges(connection: connection, account: account, at: at)
        try contacts.write(change)
        for part in change.mirror { try write(part, account) }
        if let announced = change.announced {
            try connection.run(
                "UPDATE resumable_session SET announced = ? WHERE account = ?",
                [.text(announced), .text(account.description)])
        }
        if let counts = change.counts ?? change.begun?.counts { try write(counts, account, at) }
        if let online = change.online { try OnlineTable(connection: connection).write(online, of: account) }
    }

    /// The session cannot be resumed any more; what is known of contacts stays until another begins.
    func discard(_ account: BareJID) throws(StoreError) {
        try connection.run("DELETE FROM resumable_session WHERE account = ?", [.text(account.description)])
    }

    /// Nothing is known any more of a session of the account, nor of its contacts.
    func forget(_ account: BareJID) throws(StoreError) {
        try discard(account)
        try ContactTable(connection: connection).forget(account)
        try resources.deleteAll(account.description)
    }

    func discardAll() throws(StoreError) {
        try connection.run("DELETE FROM resumable_session")
    }

    private func begin(_ session: SavedSession, _ available: [ResourceRow], _ account: BareJID) throws(StoreError) {
        try connection.run(
            """
            INSERT OR REPLACE INTO resumable_session(
                account, session, jid, id, location, maximum, features, can_block, announced)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(account.description), .integer(session.number), .text(session.jid.description),
                .text(session.id), SQLValue(session.location), SQLValue(session.maximum.map(Int64.init)),
                .text(session.features), SQLValue(session.canBlock), SQLValue(session.announced),
            ])
        try resources.deleteAll(account.description)
        for row in available { try resources.write(row, account.description) }
    }

    private func write(_ change: SessionChange.Mirror, _ account: BareJID) throws(StoreError) {
        let owner = account.description
        switch change {
        case .contact, .removed, .refused, .notDelivered, .letIn, .approvalUsed, .approvalEnded: break
        case .available(let row): try resources.write(row, owner)
        case .unavailable(let jid): try resources.delete(jid, owner)
        case .gone(let contact): try resources.deleteAll(of: contact, owner)
        }
    }

    private var resources: ResourceTable { ResourceTable(connection: connection) }

    private func write(_ counts: StreamCounts, _ account: BareJID, _ at: Timestamp) throws(StoreError) {
        try connection.run(Self.countsWrite) { values in
            values.text(account.description)
            values.integer(Int64(counts.inbound))
            values.integer(Int64(counts.outbound))
            values.integer(Int64(counts.acknowledged))
            values.integer(at.milliseconds)
        }
    }

    private static let countsWrite = Query(
        """
        INSERT INTO stream_count(account, inbound, outbound, acknowledged, at) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT(account) DO UPDATE SET inbound = excluded.inbound, outbound = excluded.outbound,
            acknowledged = excluded.acknowledged, at = excluded.at
        """)
}

extension SQLRow {
    fileprivate mutating func fullAddress() throws(StoreError) -> JID {
        let text = try text()
        do throws(JIDError) {
            return try JID(text)
        } catch {
            throw .corrupt("no address in jid")
        }
    }

    /// A number modulo 2^32.
    fileprivate mutating func serial() throws(StoreError) -> UInt32 {
        guard let number = UInt32(exactly: try integer()) else { throw .corrupt("a count of stanzas") }
        return number
    }
}
