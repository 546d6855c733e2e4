import XMPPCore

/// Reads and writes contacts who were there.
struct GoneTable {
    let connection: Connection

    /// How many of the latest are kept of one account.
    static let kept: Int64 = 1000

    /// The latest first.
    func rows(_ account: BareJID, limit: Int) throws(StoreError) -> [GoneContact] {
        try connection.all(
            """
            SELECT at, by, operator, contact, subscription, asked, name, groups, first_known, \(EvidenceTable.columns)
            FROM contact_gone WHERE account = ? ORDER BY id DESC LIMIT ?
            """, [.text(account.description), .integer(Int64(limit))]
        ) { row throws(StoreError) in
            let at = try row.timestamp()
            let by = try row.word(of: GoneContact.Remover.self)
            let name = try row.optionalText()
            let contact = try ContactTable.contact(&row)
            let isKnown = try row.optionalInteger() != nil
            return GoneContact(
                contact: contact, evidence: isKnown ? try EvidenceTable.read(&row) : nil, at: at, by: by, operator: name
            )
        }
    }

    /// When the contact was last removed.
    func last(_ contact: String, _ account: String) throws(StoreError) -> Timestamp? {
        try connection.first(
            "SELECT at FROM contact_gone WHERE account = ? AND contact = ? ORDER BY id DESC LIMIT 1",
            [.text(account), .text(contact)]
        ) { row throws(StoreError) in try row.timestamp() }
    }

    /// Moves a contact here, with what is known of it; nothing where it is not there.
    func take(
        _ contact: String, _ account: String, at: Timestamp, by remover: GoneContact.Remover, operator name: String?
    ) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO contact_gone(account, contact, at, by, operator, subscription, asked, name, groups,
                first_known, added_by, added_name, asked_at, refused_at, refusal, last_presence, last_message_in,
                last_message_out, last_avatar_change)
            SELECT c.account, c.contact, ?, ?, ?, c.subscription, c.asked, c.name, c.groups,
                e.first_known, e.added_by, e.added_name, e.asked_at, e.refused_at, e.refusal, e.last_presence,
                e.last_message_in, e.last_message_out, e.last_avatar_change
            FROM contact c LEFT JOIN contact_evidence e ON e.account = c.account AND e.contact = c.contact
            WHERE c.account = ? AND c.contact = ?
            """,
            [
                .integer(at.milliseconds), .text(remover.rawValue), SQLValue(name), .text(account), .text(contact),
            ])
    }

    /// Forgets the oldest of an account where there are too many.
    func bound(_ account: String) throws(StoreError) {
        try connection.run(
            """
            DELETE FROM contact_gone WHERE account = ?1 AND id <=
                (SELECT id FROM contact_gone WHERE account = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
            """, [.text(account), .integer(Self.kept)])
    }
}
