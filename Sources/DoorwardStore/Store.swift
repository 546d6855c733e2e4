package import XMPPCore

/// All that outlives a process: requests, answers on their way, the journal and the alerts, in one SQLite file.
///
/// Runs on a thread of its own. What a call has returned is on the disk (WAL with `synchronous=FULL`).
package actor Store {
    nonisolated let thread: StoreThread
    private var file: StoreFile?
    private var connection: Connection?
    let recent = RecentRows()
    let revisions = RevisionCounter()
    private nonisolated let commitCount: CommitCount
    /// For what only reads; nil for a store in memory, which has one connection.
    private nonisolated let reader: StoreReader?
    /// Which events modules have in their hands; nil for a store in memory, where nothing is noted.
    package nonisolated let eventNotes: EventNoteFile?
    /// Those that the process before has left.
    var leftNotes: [EventNote]

    /// The most rows that one call returns.
    static let rowLimit = 10_000

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Opens the store, makes it where it is missing, and brings it to the newest schema.
    ///
    /// - Parameters:
    ///   - path: A path, or `:memory:` for a store that ends with the process.
    ///   - window: While commits follow each other, those of so long are written as one transaction.
    /// - Throws: `inUse` where another process has it, `newerSchema`, `cannotOpen`, `corrupt`, `full`.
    package init(path: String, window: Duration = .zero) throws(StoreError) {
        thread = StoreThread(window: window)
        file = path == Connection.inMemory ? nil : try StoreFile(path: path)
        let connection = try Connection(path: path)
        commitCount = connection.commits
        try Self.configure(connection, inMemory: path == Connection.inMemory)
        try Migration.bringUp(connection)
        self.connection = connection
        let notes = path == Connection.inMemory ? nil : EventNoteFile.open(beside: path)
        (eventNotes, leftNotes) = (notes?.file, notes?.left ?? [])
        reader = path == Connection.inMemory ? nil : try StoreReader(path: path)
        thread.start { [weak self] group in
            let results = self?.assumeIsolated { $0.results(of: group) } ?? group.map { _ in .failure(.closed) }
            // Not within: nobody who is told may find that the store is still held here.
            for (commit, result) in zip(group, results) { commit.answer(result) }
        }
    }

    /// Writes everything into the main file and lets go of it; later calls throw.
    package func close() async {
        // First, since its view of the file would keep the checkpoint from ending.
        await reader?.close()
        // A checkpoint that fails loses nothing: the next opening reads the WAL.
        try? connection?.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection = nil
        file = nil
        eventNotes?.clear()
    }

    private static func configure(_ connection: Connection, inMemory: Bool) throws(StoreError) {
        try connection.execute("PRAGMA busy_timeout = 5000")
        let mode = try connection.first("PRAGMA journal_mode = WAL") { row throws(StoreError) in try row.text() }
        guard inMemory || mode == "wal" else {
            throw StoreError(.cannotOpen, "the store's file system has no write-ahead log: put it on a local disk")
        }
        try connection.execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA recursive_triggers = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -8192;
            -- Pages, of 4 KiB each: one that is written again and again is put in its place once for all.
            PRAGMA wal_autocheckpoint = 4000;
            PRAGMA journal_size_limit = 67108864;
            """
        )
    }

    /// How many transactions were written since it was opened.
    package nonisolated var commits: Int { commitCount.value }

    /// The open connection.
    func openConnection() throws(StoreError) -> Connection {
        guard let connection else { throw .closed }
        return connection
    }

    /// Begins a session of an account and returns its number, higher than any before in this store.
    ///
    /// With it is kept what its login has shown, where that is new.
    package func beginSession(
        account: BareJID, at: Timestamp, keeping login: LoginRow? = nil
    ) throws(StoreError) -> Int64 {
        let connection = try openConnection()
        return try connection.transaction { () throws(StoreError) in
            let number = try connection.first(
                "UPDATE counter SET value = value + 1 WHERE name = 'session' RETURNING value"
            ) { row throws(StoreError) in try row.integer() }
            guard let number else { throw .corrupt("the counter of sessions") }
            try connection.run(
                """
                INSERT INTO account_session(account, session, started_at) VALUES (?, ?, ?)
                ON CONFLICT(account) DO UPDATE SET session = excluded.session, started_at = excluded.started_at
                """,
                [.text(account.description), .integer(number), .integer(at.milliseconds)]
            )
            // Another session of the account: the one before is over.
            try SessionTable(connection: connection).discard(account)
            if let login { try LoginTable(connection: connection).write(login, of: account) }
            return number
        }
    }

    // MARK: Requests

    /// The rows that a delivery would belong to, oldest first.
    package func liveRequests(of account: BareJID) throws(StoreError) -> [RequestRow] {
        try RequestTable(connection: openConnection()).live(account)
    }

    /// What waits on the desk, or with `all` what ever was on it; with ids above `after`, oldest first, at most 10,000.
    package nonisolated func pending(
        all: Bool, account: BareJID?, after: Int64 = 0
    ) async throws(StoreError) -> [RequestRow] {
        try await read { connection throws(StoreError) in
            let table = RequestTable(connection: connection)
            guard all else { return try table.waiting(account, after: after, limit: Self.rowLimit) }
            return try table.everOnDesk(account, limit: Self.rowLimit).filter { $0.id > after }
        }
    }

    /// The request of that number, whether or not it was ever on the desk.
    package func request(id: Int64) throws(StoreError) -> RequestRow? {
        try RequestTable(connection: openConnection()).row(id: id)
    }

    /// How many requests wait on the desk, by account; an account with none is not in it.
    package nonisolated func pendingCounts() async throws(StoreError) -> [BareJID: Int] {
        try await read { connection throws(StoreError) in try RequestTable(connection: connection).waitingCounts() }
    }

    // MARK: History

    /// Decisions and closings, newest first: at most `limit` and never more than 10,000, with ids below `before`.
    package nonisolated func history(limit: Int, before: Int64?, account: BareJID?) async throws(StoreError)
        -> [HistoryRow]
    {
        let limit = min(max(limit, 0), Self.rowLimit)
        return try await read { connection throws(StoreError) in
            try HistoryTable(connection: connection).rows(limit: limit, before: before, account: account)
        }
    }

    // MARK: Alerts

    /// Raises an alert; one that is raised already keeps its id and time and takes the new text.
    package func raiseAlert(code: String, account: BareJID?, text: String, at: Timestamp) throws(StoreError) -> AlertRow
    {
        try AlertTable(connection: openConnection()).raise(code, account, TextBounds.reason(text), at)
    }

    /// Clears the raised alert of that code and account.
    ///
    /// - Returns: Whether there was one.
    package func clearAlert(code: String, account: BareJID?, at: Timestamp) throws(StoreError) -> Bool {
        try AlertTable(connection: openConnection()).clear(code, account, at)
    }

    /// The raised alerts, or with `all` also the cleared ones that are still kept; newest first.
    package nonisolated func alerts(all: Bool) async throws(StoreError) -> [AlertRow] {
        try await read { connection throws(StoreError) in try AlertTable(connection: connection).rows(all: all) }
    }

    // MARK: Reading

    /// Lets `body` read, beside what is being written: a look at the desk waits for no disk.
    ///
    /// It sees everything whose write has returned before.
    nonisolated func read<Result: Sendable>(
        _ body: @Sendable (Connection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        if let reader { return try await reader.read(body) }
        return try await readHere(body)
    }

    private func readHere<Result: Sendable>(
        _ body: @Sendable (Connection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try body(openConnection())
    }
}
