import XMPPCore

/// Reads and writes who is there in a session that can be resumed.
struct ResourceTable {
    let connection: Connection

    func rows(_ account: String) throws(StoreError) -> [ResourceRow] {
        try connection.all(
            """
            SELECT contact, resource, priority, show, status, idle_since, at FROM contact_resource WHERE account = ?
            """, [.text(account)]
        ) { row throws(StoreError) in
            var found = ResourceRow(try Self.address(try row.text(), try row.text()))
            guard let priority = Int8(exactly: try row.integer()) else { throw .corrupt("a priority") }
            found.priority = priority
            let show = try row.optionalText()
            guard let show = show.map(ResourceRow.Show.init(rawValue:)) ?? .online else {
                throw .corrupt("unknown word in show")
            }
            found.show = show
            found.status = try row.optionalText()
            found.idleSince = try row.optionalTimestamp()
            found.at = try row.timestamp()
            return found
        }
    }

    /// It says this now, whether or not it was there before.
    func write(_ row: ResourceRow, _ account: String) throws(StoreError) {
        try connection.run(Self.writing) { values in
            values.text(account)
            values.text(row.jid.bare.description)
            values.text(row.jid.resource ?? "")
            values.integer(Int64(row.priority))
            values.text(row.show == .online ? nil : row.show.rawValue)
            values.text(row.status.map(Self.kept))
            values.integer(row.idleSince?.milliseconds)
            values.integer(row.at.milliseconds)
        }
    }

    func delete(_ jid: JID, _ account: String) throws(StoreError) {
        try connection.run(
            "DELETE FROM contact_resource WHERE account = ? AND contact = ? AND resource = ?",
            [.text(account), .text(jid.bare.description), .text(jid.resource ?? "")])
    }

    func deleteAll(of contact: BareJID, _ account: String) throws(StoreError) {
        try connection.run(
            "DELETE FROM contact_resource WHERE account = ? AND contact = ?",
            [.text(account), .text(contact.description)])
    }

    func deleteAll(_ account: String) throws(StoreError) {
        try connection.run("DELETE FROM contact_resource WHERE account = ?", [.text(account)])
    }

    private static let writing = Query(
        """
        INSERT INTO contact_resource(account, contact, resource, priority, show, status, idle_since, at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT(account, contact, resource) DO UPDATE SET priority = excluded.priority, show = excluded.show,
            status = excluded.status, idle_since = excluded.idle_since, at = excluded.at
        """)

    private static func kept(_ status: String) -> String {
        let limit = ResourceRow.statusLimit
        return status.utf8.count <= limit ? status : TextBounds.cut(status, limit - "…".utf8.count) + "…"
    }

    private static func address(_ contact: String, _ resource: String) throws(StoreError) -> JID {
        do throws(JIDError) {
            let bare = try BareJID(contact)
            return resource.isEmpty ? JID(bare) : try JID(contact + "/" + resource)
        } catch {
            throw .corrupt("no address in contact_resource")
        }
    }
}
