import XMPPCore

/// What was done to contacts, in the journal; and who it was that a contact came or went by.
struct ContactActionTable {
    typealias Origin = (by: ContactEvidence.Origin, name: String?, at: Timestamp)

    let connection: Connection

    // MARK: Writing

    func begin(_ action: ContactAction, at: Timestamp) throws(StoreError) -> Int64 {
        let by: String
        var (name, sender): (String?, BareJID?) = (nil, nil)
        switch action.author {
        case .operator(let author): (by, name) = ("operator", author)
        case .suggestion(let author): (by, sender) = ("roster_exchange", author)
        }
        try connection.run(
            """
            INSERT INTO journal(at, kind, account, contact, session, by, operator, suggested_by, reason, action)
            VALUES (?, 'contact', ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(at.milliseconds), .text(action.account.description), .text(action.contact.description),
                .integer(action.session), .text(by), SQLValue(name), SQLValue(sender?.description),
                SQLValue(action.detail.map(TextBounds.reason)), .text(action.kind.rawValue),
            ])
        let id = connection.lastInsertedRow
        try ContactWorkTable(connection: connection).write(action.work, id, action.account)
        if action.work.preApproves { try ApprovalTable(connection: connection).give(id, at: at, isNew: true) }
        return id
    }

    /// What became of it, told once.
    ///
    /// - Parameters:
    ///   - id: Of its row.
    ///   - refusal: Why it was not done, in words; nil where it was.
    ///   - bounce: Why another server refused what was sent, in words.
    ///   - remark: What there is to say of what was done.
    ///   - at: When.
    /// - Throws: `StoreError`.
    func end(_ id: Int64, refusal: String?, bounce: String?, remark: String?, at: Timestamp) throws(StoreError) {
        let work = ContactWorkTable(connection: connection)
        let preApproves = try work.preApproves(id)
        guard try work.delete(id) else { return }
        if preApproves {
            let approvals = ApprovalTable(connection: connection)
            // It may have gone with the item while this was unfinished.
            if refusal == nil { try approvals.give(id, at: at, isNew: false) } else { try approvals.withdraw(id) }
        }
        try connection.run(
            """
            INSERT INTO journal(at, kind, account, contact, session, reason, state, concerns)
            SELECT ?, ?, account, contact, session, ?, ?, id FROM journal WHERE id = ? AND kind = 'contact'
            """,
            [
                .integer(at.milliseconds), .text(refusal == nil ? "confirmed" : "dropped"),
                SQLValue((refusal ?? bounce ?? remark).map(TextBounds.reason)),
                SQLValue(refusal == nil && bounce != nil ? HistoryRow.State.refused.rawValue : nil), .integer(id),
            ])
    }

    /// The contact's server refused what was sent and had its end already: the history of the asking says so too.
    ///
    /// What has no end yet is told when it has.
    func notDelivered(_ contact: String, _ account: String, _ reason: String, at: Timestamp) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO journal(at, kind, account, contact, session, reason, state, concerns)
            SELECT ?, 'confirmed', account, contact, session, ?, 'refused', id FROM journal j
            WHERE id = (SELECT max(id) FROM journal
                    WHERE account = ? AND contact = ? AND kind = 'contact' AND action IN ('add', 'ask'))
                AND EXISTS (SELECT 1 FROM journal e WHERE e.concerns = j.id)
                AND NOT EXISTS (
                    SELECT 1 FROM journal e WHERE e.concerns = j.id AND (e.kind = 'dropped' OR e.state = 'refused'))
            """, [.integer(at.milliseconds), .text(TextBounds.reason(reason)), .text(account), .text(contact)])
    }

    /// The server has let a contact in that was approved ahead; nobody was asked.
    func letIn(_ contact: String, _ account: String, by name: String?, at: Timestamp) throws(StoreError) {
        let reason = name.map { "pre-approved by \($0)" } ?? "pre-approved by another client of the account"
        try connection.run(
            """
            INSERT INTO journal(at, kind, account, contact, session, by, operator, reason, action)
            SELECT ?1, 'contact', ?2, ?3, ifnull(max(session), 0), ?4, ?5, ?6, ?7
            FROM account_session WHERE account = ?2
            """,
            [
                .integer(at.milliseconds), .text(account), .text(contact), .text(name == nil ? "server" : "operator"),
                SQLValue(name), .text(TextBounds.reason(reason)), .text(ContactAction.Kind.letIn.rawValue),
            ])
        try connection.run(
            """
            INSERT INTO journal(at, kind, account, contact, session, concerns)
            SELECT at, 'confirmed', account, contact, session, id FROM journal WHERE id = ?
            """, [.integer(connection.lastInsertedRow)])
    }

    // MARK: Who it was

    /// Whether anything was ever decided or done for contacts of the account.
    func hasPast(of account: String) throws(StoreError) -> Bool {
        let found = try connection.first(
            """
            SELECT EXISTS (SELECT 1 FROM journal WHERE account = ?1 AND kind IN ('decided', 'closed', 'contact'))
            """, [.text(account)]
        ) { row throws(StoreError) in try row.flag() }
        return found ?? false
    }

    /// Who let a contact in that is there now and was not before; nil where nothing of ours tells.
    ///
    /// `gone` is when it was last removed: what was done before that has nothing to do with it.
    func origin(of contact: String, _ account: String, after gone: Timestamp?) throws(StoreError) -> Origin? {
        let added = try latest(.add, contact, account)
        let accepted = try connection.first(
            """
            SELECT j.by, j.rule, j.operator, i.made_by, j.at FROM journal j JOIN request r ON r.id = j.request
                LEFT JOIN invitation i ON i.id = r.invitation
            WHERE j.kind = 'decided' AND j.decision = 'accept' AND j.acts = 1
                AND j.request = (SELECT max(id) FROM request WHERE account = ? AND contact = ?)
            ORDER BY j.id DESC LIMIT 1
            """, [.text(account), .text(contact)]
        ) { row throws(StoreError) -> Origin in
            let (by, rule, name) = (try row.optionalText(), try row.optionalText(), try row.optionalText())
            let (maker, at) = (try row.optionalText(), try row.timestamp())
            switch by {
            case "token": return (.invitation, maker, at)
            case "operator": return (.operator, name, at)
            case _: return (.rule, rule, at)
            }
        }
        let known = [added, accepted].compactMap(\.self)
        return known.filter { found in gone.map { found.at >= $0 } ?? true }.max { $0.at < $1.at }
    }

    /// The operator who removed a contact that is not there any more; nil where nobody did.
    func remover(of contact: String, _ account: String, since: Timestamp?) throws(StoreError) -> String? {
        guard let removed = try latest(.remove, contact, account) else { return nil }
        return since.map { removed.at >= $0 } ?? true ? removed.name : nil
    }

    /// The last of that kind which was not refused.
    private func latest(_ kind: ContactAction.Kind, _ contact: String, _ account: String) throws(StoreError) -> Origin?
    {
        try connection.first(
            """
            SELECT operator, suggested_by, at FROM journal j
            WHERE account = ? AND contact = ? AND kind = 'contact' AND action = ?
                AND NOT EXISTS (SELECT 1 FROM journal e WHERE e.concerns = j.id AND e.kind = 'dropped')
            ORDER BY id DESC LIMIT 1
            """, [.text(account), .text(contact), .text(kind.rawValue)]
        ) { row throws(StoreError) in
            let (name, sender) = (try row.optionalText(), try row.optionalText())
            return (sender == nil ? .contactAdd : .rosterExchange, name ?? sender, try row.timestamp())
        }
    }
}
