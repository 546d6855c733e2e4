/// A second connection to the store's file, which only reads, on a thread of its own.
///
/// A writer waits for the disk at each commit; with the write-ahead log a reader does not wait for the writer
/// (https://www.sqlite.org/wal.html).
actor StoreReader {
    private let thread = StoreThread()
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// To be opened after the writer has brought the file to the newest schema.
    init(path: String) throws(StoreError) {
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA busy_timeout = 5000; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY")
        self.connection = connection
        thread.start()
    }

    /// Lets go of the file; later calls throw.
    func close() { connection = nil }

    func read<Result: Sendable>(
        _ body: @Sendable (Connection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard let connection else { throw .closed }
        return try body(connection)
    }
}
