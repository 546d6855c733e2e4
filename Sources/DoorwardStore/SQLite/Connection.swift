import CSQLite

/// One connection to SQLite with its prepared statements; belongs to the isolation of its owner.
final class Connection {
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    private var queries: [ObjectIdentifier: Statement] = [:]
    let commits = CommitCount()

    /// Opens or makes the file of that path; `:memory:` is one that ends with the connection.
    convenience init(path: String) throws(StoreError) {
        try self.init(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "read and write")
    }

    /// Opens a file that is there, and changes nothing in it.
    convenience init(reading path: String) throws(StoreError) {
        try self.init(path, SQLITE_OPEN_READONLY, "read")
    }

    private init(_ path: String, _ mode: Int32, _ purpose: String) throws(StoreError) {
        _ = Self.isConfigured
        // A relative path gets a "./", so that no name is taken for something special.
        let name = path == Self.inMemory || path.utf8.first == UInt8(ascii: "/") ? path : "./" + path
        var opened: OpaquePointer?
        // NOMUTEX: the owner's isolation is the mutex.
        let flags = mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let status = sqlite3_open_v2(name, &opened, flags, nil)
        guard status == SQLITE_OK, let opened else {
            let reason = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
            sqlite3_close_v2(opened)
            throw StoreError(
                .cannotOpen,
                "cannot open the store \(path): \(reason); check that this user may \(purpose) it"
            )
        }
        handle = opened
        sqlite3_commit_hook(
            handle,
            { count in
                if let count { Unmanaged<CommitCount>.fromOpaque(count).takeUnretainedValue().add() }
                return 0
            }, Unmanaged.passUnretained(commits).toOpaque())
    }

    deinit {
        (statements, queries) = ([:], [:])
        sqlite3_close_v2(handle)
    }

    static let inMemory = ":memory:"

    /// Settings of the process; once, before its first connection.
    private static let isConfigured = csqlite_count_no_memory() == SQLITE_OK

    /// Runs statements that return nothing and are run once: pragmas and migrations.
    func execute(_ sql: String) throws(StoreError) {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        guard status == SQLITE_OK else { throw error(status) }
    }

    /// Runs a statement that returns no rows.
    func run(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) {
        let statement = try statement(sql)
        defer { statement.reset() }
        guard statement.bind(values) else { throw error(SQLITE_RANGE) }
        while try step(statement) {}
    }

    /// The same for one that runs often, with what `bind` binds.
    func run(_ query: Query, _ bind: (inout Binder) -> Void = { _ in }) throws(StoreError) {
        let statement = try statement(of: query)
        defer { statement.reset() }
        guard statement.bind(bind) else { throw error(SQLITE_RANGE) }
        while try step(statement) {}
    }

    /// The same for each of many rows: what `first` binds holds for all of them, and `each` binds the rest.
    func run<Row>(
        _ query: Query, for rows: some Sequence<Row>, first: (inout Binder) -> Void, each: (inout Binder, Row) -> Void
    ) throws(StoreError) {
        let statement = try statement(of: query)
        defer { statement.reset() }
        var common = statement.binder
        first(&common)
        for row in rows {
            var binder = common
            each(&binder, row)
            guard binder.isComplete else { throw error(SQLITE_RANGE) }
            while try step(statement) {}
            statement.rewind()
        }
    }

    /// The first row of a query that runs often, read by `body`.
    func first<Result>(
        _ query: Query,
        _ bind: (inout Binder) -> Void,
        _ body: (inout SQLRow) throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        let statement = try statement(of: query)
        defer { statement.reset() }
        guard statement.bind(bind) else { throw error(SQLITE_RANGE) }
        guard try step(statement) else { return nil }
        var row = statement.row
        return try body(&row)
    }

    /// The first row of a query, read by `body`.
    func first<Result>(
        _ sql: String,
        _ values: [SQLValue] = [],
        _ body: (inout SQLRow) throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        let statement = try statement(sql)
        defer { statement.reset() }
        guard statement.bind(values) else { throw error(SQLITE_RANGE) }
        guard try step(statement) else { return nil }
        var row = statement.row
        return try body(&row)
    }

    /// All rows of a query, read by `body`.
    ///
    /// The body must not run the same query.
    func all<Result>(
        _ sql: String,
        _ values: [SQLValue] = [],
        _ body: (inout SQLRow) throws(StoreError) -> Result
    ) throws(StoreError) -> [Result] {
        var results: [Result] = []
        try walk(sql, values) { row throws(StoreError) in
            results.append(try body(&row))
            return true
        }
        return results
    }

    /// Rows of a query until `body` returns false.
    ///
    /// The body must not run the same query.
    func walk(
        _ sql: String,
        _ values: [SQLValue] = [],
        _ body: (inout SQLRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let statement = try statement(sql)
        defer { statement.reset() }
        guard statement.bind(values) else { throw error(SQLITE_RANGE) }
        while try step(statement) {
            var row = statement.row
            guard try body(&row) else { return }
        }
    }

    /// Runs `body` in one transaction that takes the write lock at its beginning; all of it or nothing is written.
    func transaction<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try run(Self.begin)
        do throws(StoreError) {
            let result = try body()
            try run(Self.commit)
            return result
        } catch {
            // Some errors have rolled back already (a full disk); a rollback that fails leaves nothing to do.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    private static let begin = Query("BEGIN IMMEDIATE")
    private static let commit = Query("COMMIT")

    /// The row id of the latest insert.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// How many rows the latest statement changed.
    var changedRows: Int { Int(sqlite3_changes(handle)) }

    private func statement(of query: Query) throws(StoreError) -> Statement {
        if let statement = queries[ObjectIdentifier(query)] { return statement }
        let statement = try prepare(query.sql)
        queries[ObjectIdentifier(query)] = statement
        return statement
    }

    private func statement(_ sql: String) throws(StoreError) -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try prepare(sql)
        statements[sql] = statement
        return statement
    }

    private func prepare(_ sql: String) throws(StoreError) -> Statement {
        var prepared: OpaquePointer?
        let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard status == SQLITE_OK, let prepared else { throw error(status) }
        return Statement(prepared)
    }

    private func step(_ statement: Statement) throws(StoreError) -> Bool {
        let status = statement.step()
        switch status {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw error(status)
        }
    }

    /// What SQLite's result code means to an operator (https://www.sqlite.org/rescode.html).
    private func error(_ status: Int32) -> StoreError {
        let reason = String(cString: sqlite3_errmsg(handle))
        switch status & 0xFF {
        case SQLITE_FULL:
            return StoreError(.full, "the store cannot grow (\(reason)): make room on its disk")
        case SQLITE_BUSY, SQLITE_LOCKED:
            return StoreError(.busy, "another program holds a lock on the store (\(reason)): end it")
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_MISMATCH:
            return .corrupt(reason)
        case SQLITE_CANTOPEN:
            return StoreError(
                .cannotOpen,
                "cannot open the store (\(reason)): check that this user may read and write its folder"
            )
        case SQLITE_IOERR, SQLITE_READONLY, SQLITE_PERM, SQLITE_NOMEM, SQLITE_INTERRUPT:
            return StoreError(
                .ioError,
                "the store cannot be read or written (\(reason), SQLite code \(status)): check its disk"
            )
        case SQLITE_CONSTRAINT:
            return StoreError(.misuse, "the store refused a change (\(reason)); this is a fault of doorward")
        default:
            return StoreError(.misuse, "SQLite: \(reason) (code \(status)); this is a fault of doorward")
        }
    }
}
