import XMPPCore

/// Reads and writes invitations.
struct InvitationTable {
    let connection: Connection

    private static let columns = """
        SELECT id, account, name, contact, uses, used, made_by, made_at, expires_at, revoked_by, revoked_at
        FROM invitation

        """

    func row(id: Int64) throws(StoreError) -> InvitationRow? {
        try connection.first(Self.columns + "WHERE id = ?", [.integer(id)], Self.read)
    }

    /// Newest first, with ids below `before`.
    func rows(_ account: BareJID?, before: Int64, limit: Int) throws(StoreError) -> [InvitationRow] {
        let order = "ORDER BY id DESC LIMIT ?"
        let limit = SQLValue.integer(Int64(limit))
        guard let account else {
            return try connection.all(Self.columns + "WHERE id < ? " + order, [.integer(before), limit], Self.read)
        }
        let values = [SQLValue.integer(before), .text(account.description), limit]
        return try connection.all(Self.columns + "WHERE id < ? AND account = ? " + order, values, Self.read)
    }

    /// How many of an account let somebody in at that moment.
    func countOfValid(_ account: BareJID, at: Timestamp) throws(StoreError) -> Int {
        let values = [SQLValue.text(account.description), .integer(at.milliseconds)]
        return try connection.first(
            """
            SELECT count(*) FROM invitation
            WHERE account = ? AND expires_at > ? AND used < uses AND revoked_at IS NULL
            """, values
        ) { row throws(StoreError) in try row.count() } ?? 0
    }

    func insert(_ row: InvitationRow, digest: String) throws(StoreError) -> Int64 {
        try connection.run(
            """
            INSERT INTO invitation(account, digest, name, contact, uses, made_by, made_at, expires_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(row.account.description), .text(digest), SQLValue(row.name),
                SQLValue(row.contact?.description), .integer(Int64(row.uses)), .text(row.madeBy),
                .integer(row.madeAt.milliseconds), .integer(row.expiresAt.milliseconds),
            ])
        return connection.lastInsertedRow
    }

    func revoke(_ id: Int64, by name: String, at: Timestamp) throws(StoreError) {
        try connection.run(
            "UPDATE invitation SET revoked_by = ?, revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
            [.text(name), .integer(at.milliseconds), .integer(id)])
    }

    func has(_ digest: String) throws(StoreError) -> Bool {
        try connection.first("SELECT 1 FROM invitation WHERE digest = ?", [.text(digest)]) { row throws(StoreError) in
            try row.integer()
        } != nil
    }

    /// What a token is worth.
    enum Worth: Hashable {
        /// Nothing: this account never made it, or made it for somebody else (XEP-0379 section 3.3 has it ignored).
        case nothing
        /// Nothing any more: it is too old, used up, or revoked.
        case expired
        /// It lets the contact in, by that invitation.
        case valid(Int64)
    }

    /// Finds what a token is worth to a contact at a moment, and uses its invitation once.
    ///
    /// - Parameters:
    ///   - digest: Of the token that was shown.
    ///   - account: Who is asked.
    ///   - contact: Who asks.
    ///   - at: When.
    ///   - known: The one that the request has used before, and does not use again.
    ///   - isUsed: Whether a valid one is used, not only looked at.
    /// - Throws: `StoreError` where the database failed.
    /// - Returns: What it is worth.
    func worth(
        _ digest: String, of account: BareJID, to contact: BareJID, at: Timestamp, known: Int64?, isUsed: Bool
    ) throws(StoreError) -> Worth {
        let values = [
            SQLValue.integer(at.milliseconds), .text(digest), .text(account.description), .text(contact.description),
        ]
        let found = try connection.first(
            """
            SELECT id, used < uses, expires_at > ? AND revoked_at IS NULL FROM invitation
            WHERE digest = ? AND account = ? AND (contact IS NULL OR contact = ?)
            """, values
        ) { row throws(StoreError) in (id: try row.integer(), hasUse: try row.flag(), isAlive: try row.flag()) }
        guard let found else { return .nothing }
        guard found.isAlive, found.hasUse || found.id == known else { return .expired }
        guard isUsed, found.id != known else { return .valid(found.id) }
        try connection.run("UPDATE invitation SET used = used + 1 WHERE id = ?", [.integer(found.id)])
        return .valid(found.id)
    }

    private static func read(_ row: inout SQLRow) throws(StoreError) -> InvitationRow {
        InvitationRow(
            id: try row.integer(), account: try row.address(), name: try row.optionalText(),
            contact: try row.optionalAddress(), uses: try row.count(), used: try row.count(), madeBy: try row.text(),
            madeAt: try row.timestamp(), expiresAt: try row.timestamp(), revokedBy: try row.optionalText(),
            revokedAt: try row.optionalTimestamp())
    }
}
