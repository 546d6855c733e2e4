package import XMPPCore

/// Contacts: what is kept of them, and what operators did to them.
extension Store {
    /// The account's roster as it was when it was last online; nil where none was ever seen.
    ///
    /// One that cannot be read is forgotten: it comes as a whole with the next login, and nil is given meanwhile.
    package nonisolated func keptRoster(of account: BareJID) async throws(StoreError) -> KeptRoster? {
        do throws(StoreError) {
            return try await read { connection throws(StoreError) in try Self.keptRoster(of: account, connection) }
        } catch {
            guard error.code == .corrupt else { throw error }
            try await forgetRoster(of: account)
            return nil
        }
    }

    private func forgetRoster(of account: BareJID) throws(StoreError) {
        let connection = try openConnection()
        try connection.transaction { () throws(StoreError) in
            try ContactTable(connection: connection).forget(account)
        }
    }

    private static func keptRoster(of account: BareJID, _ connection: Connection) throws(StoreError) -> KeptRoster? {
        let table = ContactTable(connection: connection)
        guard let state = try table.state(account) else { return nil }
        let online = try OnlineTable(connection: connection).last(account)
        return KeptRoster(
            contacts: try table.contacts(account), version: state.version,
            asOf: max(state.at, online?.until ?? state.at))
    }

    /// What is known of each contact of an account.
    package nonisolated func evidence(of account: BareJID) async throws(StoreError) -> [BareJID: ContactEvidence] {
        try await read { connection throws(StoreError) in try EvidenceTable(connection: connection).all(account) }
    }

    /// Contacts who were there, the latest first: at most 1,000 are kept of each account.
    package nonisolated func goneContacts(of account: BareJID, limit: Int) async throws(StoreError) -> [GoneContact] {
        let limit = min(max(limit, 0), Self.rowLimit)
        return try await read { connection throws(StoreError) in
            try GoneTable(connection: connection).rows(account, limit: limit)
        }
    }

    /// When an account was online, the oldest first: the last 1,000 times, where a gap of less than a minute counts as none.
    package nonisolated func onlineTimes(of account: BareJID) async throws(StoreError) -> [OnlineTime] {
        try await read { connection throws(StoreError) in try OnlineTable(connection: connection).rows(account) }
    }

    /// A contact's request that waits on the desk; nil where there is none.
    package nonisolated func openRequest(
        of contact: BareJID, to account: BareJID
    ) async throws(StoreError) -> RequestRow? {
        try await read { connection throws(StoreError) in
            let names = RequestTable.Names(account: account.description, contact: contact)
            let row = try RequestTable(connection: connection).latest(names)
            return row?.state == .open ? row : nil
        }
    }

    /// Whom operators have approved ahead; also those who were let in by that, until it is taken back at the server.
    package nonisolated func approvals(of account: BareJID) async throws(StoreError) -> [BareJID: Approval] {
        try await read { connection throws(StoreError) in try ApprovalTable(connection: connection).all(account) }
    }

    // MARK: What is done to contacts

    /// Writes down what is to be done, before it is sent.
    ///
    /// - Returns: The number of its row, for `end`.
    package func begin(_ action: ContactAction, at: Timestamp) throws(StoreError) -> Int64 {
        let connection = try openConnection()
        return try connection.transaction { () throws(StoreError) in
            try ContactActionTable(connection: connection).begin(action, at: at)
        }
    }

    /// The same for several, all of them or none; one that has a refusal at its place in `refusals` ends with that.
    @discardableResult
    package func begin(
        _ actions: [ContactAction], refusals: [String?] = [], at: Timestamp
    ) throws(StoreError) -> [Int64] {
        guard !actions.isEmpty else { return [] }
        let connection = try openConnection()
        return try connection.transaction { () throws(StoreError) in
            let table = ContactActionTable(connection: connection)
            var ids: [Int64] = []
            for (place, action) in actions.enumerated() {
                let id = try table.begin(action, at: at)
                ids.append(id)
                guard place < refusals.count, let refusal = refusals[place] else { continue }
                try table.end(id, refusal: refusal, bounce: nil, remark: nil, at: at)
            }
            return ids
        }
    }

    /// Writes down what became of it; what has its end keeps it.
    ///
    /// - Parameters:
    ///   - ids: The rows.
    ///   - refusal: Why it was not done, in words; nil where it was.
    ///   - bounce: Why another server refused what was sent, in words.
    ///   - remark: What there is to say of what was done.
    ///   - at: When.
    /// - Throws: `StoreError`.
    package func end(
        actions ids: [Int64], refusal: String?, bounce: String? = nil, remark: String? = nil, at: Timestamp
    ) throws(StoreError) {
        guard !ids.isEmpty else { return }
        let connection = try openConnection()
        try connection.transaction { () throws(StoreError) in
            let table = ContactActionTable(connection: connection)
            for id in ids { try table.end(id, refusal: refusal, bounce: bounce, remark: remark, at: at) }
        }
    }

    /// What an account has to go on with at a login.
    package nonisolated func backlog(of account: BareJID) async throws(StoreError) -> ContactBacklog {
        try await read { connection throws(StoreError) in
            ContactBacklog(
                actions: try ContactWorkTable(connection: connection).unfinished(account),
                delayed: try EvidenceTable(connection: connection).delayed(account))
        }
    }
}
