package import XMPPCore

/// Invitations that operators make.
extension Store {
    /// Most invitations of an account that let somebody in at the same time.
    package static let invitationLimit = 1_000

    /// Keeps a new invitation.
    ///
    /// - Parameters:
    ///   - row: Its id is given here.
    ///   - digest: SHA-256 of its token, in hexadecimal.
    /// - Throws: `StoreError`.
    /// - Returns: The row as it is kept; nil where the account has too many.
    package func keep(_ row: InvitationRow, digest: String) throws(StoreError) -> InvitationRow? {
        let connection = try openConnection()
        let table = InvitationTable(connection: connection)
        return try connection.transaction { () throws(StoreError) in
            guard try table.countOfValid(row.account, at: row.madeAt) < Self.invitationLimit else { return nil }
            var kept = row
            kept.id = try table.insert(row, digest: digest)
            return kept
        }
    }

    /// Whether there is, or was, an invitation of that token: its SHA-256, in hexadecimal.
    package func hasInvitation(digest: String) throws(StoreError) -> Bool {
        try InvitationTable(connection: openConnection()).has(digest)
    }

    /// Invitations with ids below `before`, newest first, those that let nobody in any more too; at most 10,000.
    package func invitations(
        of account: BareJID?, before: Int64 = .max, limit: Int = Store.rowLimit
    ) throws(StoreError) -> [InvitationRow] {
        try InvitationTable(connection: openConnection())
            .rows(account, before: before, limit: min(max(limit, 0), Self.rowLimit))
    }

    /// Lets an invitation let nobody in any more.
    ///
    /// - Parameters:
    ///   - id: Which.
    ///   - name: The operator's name.
    ///   - at: When.
    /// - Throws: `StoreError`.
    /// - Returns: What came of it.
    package func revokeInvitation(_ id: Int64, by name: String, at: Timestamp) throws(StoreError) -> RevocationOutcome {
        let connection = try openConnection()
        let table = InvitationTable(connection: connection)
        return try connection.transaction { () throws(StoreError) in
            guard let row = try table.row(id: id) else { return .notFound(id: id) }
            guard row.state(at: at) == .valid else { return .ended(row) }
            try table.revoke(id, by: name, at: at)
            return .done(try table.row(id: id) ?? row)
        }
    }
}
