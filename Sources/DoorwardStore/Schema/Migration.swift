/// One step from a version of the schema to the next: plain SQL, which never changes once it has been released.
struct Migration {
    var sql: String

    /// All steps; the n-th makes version n.
    static let all = [schemaVersion1, schemaVersion2]

    /// Marks the file as Doorward's ("DRWD").
    static let applicationID: Int64 = 0x4452_5744

    /// Brings the file to the newest version, each step in a transaction of its own.
    ///
    /// - Throws: `newerSchema` where a newer program has written the file.
    static func bringUp(_ connection: Connection, steps: [Migration] = all) throws(StoreError) {
        let version = try number("user_version", connection)
        guard version <= Int64(steps.count) else {
            throw StoreError(
                .newerSchema,
                "the store has schema version \(version), this doorward knows up to \(steps.count): "
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
        for (index, step) in steps.enumerated() where Int64(index) >= version {
            try connection.transaction { () throws(StoreError) in
                try connection.execute(step.sql)
                try connection.execute("PRAGMA application_id = \(applicationID)")
                try connection.execute("PRAGMA user_version = \(index + 1)")
            }
        }
    }

    private static func number(_ pragma: String, _ connection: Connection) throws(StoreError) -> Int64 {
        try connection.first("PRAGMA " + pragma) { row throws(StoreError) in try row.integer() } ?? 0
    }
}
