package import XMPPCore

/// Commits: what accounts have to write at the same time goes into one transaction.
extension Store {
    /// Writes changes of one account's requests, and what else its session brought: all of it or nothing.
    ///
    /// It may share its transaction with commits of other accounts, and waits for those of the window; any other call of
    /// the store, which may read what this one writes, ends the wait.
    ///
    /// Gives the row after each change, in order; nil for a change whose row is not live any more.
    package nonisolated func commit(
        account: BareJID,
        session: Int64,
        at: Timestamp,
        changes: [RequestChange],
        beside other: SessionChange = SessionChange()
    ) async throws(StoreError) -> [RequestRow?] {
        let result = await withCheckedContinuation { answer in
            commit(account: account, session: session, at: at, changes: changes, beside: other) {
                answer.resume(returning: $0)
            }
        }
        return try result.get()
    }

    /// The same; what became of it is told by a call on the store's thread, which must not take long.
    package nonisolated func commit(
        account: BareJID,
        session: Int64,
        at: Timestamp,
        changes: [RequestChange],
        beside other: SessionChange,
        then answer: @escaping @Sendable (Result<[RequestRow?], StoreError>) -> Void
    ) {
        guard !changes.isEmpty || !other.isEmpty else { return answer(.success([])) }
        thread.gather(
            PendingCommit(account: account, session: session, at: at, changes: changes, beside: other, answer: answer))
    }

    /// Writes a group; what became of each.
    func results(of group: [PendingCommit]) -> [Result<[RequestRow?], StoreError>] {
        do throws(StoreError) {
            return try transaction(group).map { .success($0) }
        } catch {
            // A fault in one account's rows, or a disk that has room for some of them only, is not the others' matter. Where
            // the disk itself fails nobody is better off alone.
            guard group.count > 1, error.code == .corrupt || error.code == .misuse || error.code == .full else {
                return group.map { _ in .failure(error) }
            }
            return group.map(alone)
        }
    }

    private func alone(_ commit: PendingCommit) -> Result<[RequestRow?], StoreError> {
        do throws(StoreError) {
            return .success(try transaction([commit]).first ?? [])
        } catch {
            return .failure(error)
        }
    }

    private func transaction(_ group: [PendingCommit]) throws(StoreError) -> [[RequestRow?]] {
        let connection = try openConnection()
        let requests = RequestTable(connection: connection)
        let sessions = SessionTable(connection: connection)
        var isWritten = false
        defer { if !isWritten { revisions.forget() } }
        let batches = try connection.transaction { () throws(StoreError) in
            let count = group.reduce(0) { $0 + $1.changes.count }
            var revision = count == 0 ? 0 : try revisions.take(count, connection)
            var batches: [RequestBatch] = []
            for commit in group {
                var batch = RequestBatch(
                    table: requests, recent: recent, account: commit.account, session: commit.session, at: commit.at)
                for change in commit.changes {
                    try batch.apply(change, revision: revision)
                    revision += 1
                }
                try batch.write()
                batches.append(batch)
                if !commit.beside.isEmpty { try sessions.write(commit.beside, of: commit.account, at: commit.at) }
            }
            return batches
        }
        isWritten = true
        for batch in batches { batch.remember() }
        return batches.map(\.rows)
    }
}
