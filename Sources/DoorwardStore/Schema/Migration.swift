/// One step from a version of the schema to the next: plain SQL, which never changes once it has been released.
struct Migration {
    var sql: String

    /// All steps; the n-th makes version n.
    static let all = [
        schemaVersion1, schemaVersion2, schemaVersion3, schemaVersion4, moduleTables, schemaOfAvatars, introductions,
        contactWork, presence, origins, approvals,
    ]

    /// Marks the file as Doorward's ("DRWD").
    static let applicationID: Int64 = 0x4452_5744

    /// The first version that keeps what logins have shown.
    static let withLogins: Int64 = 2

    /// Whether what came with a version can be read in a file that is not brought up.
    ///
    /// - Throws: `newerSchema`, or `cannotOpen` where the file is not a store of ours.
    static func isReadable(_ connection: Connection, from first: Int64) throws(StoreError) -> Bool {
        try judge(connection, newest: all.count) >= first
    }

    /// Brings the file to the newest version, each step in a transaction of its own.
    ///
    /// - Throws: `newerSchema` where a newer program has written the file.
    static func bringUp(_ connection: Connection, steps: [Migration] = all) throws(StoreError) {
        let version = try judge(connection, newest: steps.count)
        for (index, step) in steps.enumerated() where Int64(index) >= version {
            try connection.transaction { () throws(StoreError) in
                try connection.execute(step.sql)
                try connection.execute("PRAGMA application_id = \(applicationID)")
                try connection.execute("PRAGMA user_version = \(index + 1)")
            }
        }
    }

    /// The version that a file has: 0 where nothing was written yet.
    private static func judge(_ connection: Connection, newest: Int) throws(StoreError) -> Int64 {
        let version = try number("user_version", connection)
        guard version <= Int64(newest) else {
            throw StoreError(
                .newerSchema,
                "the store has schema version \(version), this doorward knows up to \(newest): "
                    + "use the newer doorward that wrote it, or restore a backup from before the upgrade"
            )
        }
        let application = try number("application_id", connection)
        let tables = try connection.first("SELECT count(*) FROM sqlite_schema") { row throws(StoreError) in
            try row.integer()
        }
        guard version >= 0, application == applicationID || version == 0 && application == 0 && tables == 0 else {
            throw StoreError(.cannotOpen, "the store is a database of another program: give doorward another path")
        }
        return version
    }

    private static func number(_ pragma: String, _ connection: Connection) throws(StoreError) -> Int64 {
        try connection.first("PRAGMA " + pragma) { row throws(StoreError) in try row.integer() } ?? 0
    }
}
