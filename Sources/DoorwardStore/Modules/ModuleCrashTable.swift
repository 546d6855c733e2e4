import XMPPCore

/// Which modules ended the process, on what, and which of them are run no more.
struct ModuleCrashTable {
    let connection: Connection

    /// So many ends on the same event shut a module off.
    static let limitOfEvent = 2
    /// So many on any events.
    static let limitOfModule = 3

    /// The process before ended while these were in the hands of their modules.
    func add(_ notes: [EventNote], at: Timestamp) throws(StoreError) {
        guard !notes.isEmpty else { return }
        try connection.transaction { () throws(StoreError) in
            for note in notes {
                try connection.run(
                    """
                    INSERT INTO module_crash(account, module, event, count, at) VALUES (?, ?, ?, 1, ?)
                    ON CONFLICT(account, module, event) DO UPDATE SET count = count + 1, at = excluded.at
                    """,
                    [.text(note.account), .text(note.module), .text(note.event), .integer(at.milliseconds)])
                let worst = try connection.first(
                    "SELECT max(count), sum(count) FROM module_crash WHERE account = ? AND module = ?",
                    [.text(note.account), .text(note.module)]
                ) { row throws(StoreError) in (try row.optionalInteger() ?? 0, try row.optionalInteger() ?? 0) }
                guard let worst, worst.0 >= Self.limitOfEvent || worst.1 >= Self.limitOfModule else { continue }
                try connection.run(
                    "UPDATE module_run SET disabled_at = ? WHERE account = ? AND module = ? AND disabled_at IS NULL",
                    [.integer(at.milliseconds), .text(note.account), .text(note.module)])
            }
        }
    }

    /// A module is about to be run.
    ///
    /// - Parameters:
    ///   - account: Whose it is.
    ///   - module: Its name.
    ///   - settings: The digest of what the configuration says of it. Where that is another than before, all is forgotten.
    ///   - isGivenAnotherChance: Whether somebody said that it is to be tried again: then the next end on any event is enough.
    /// - Throws: What the store throws.
    /// - Returns: Since when it is not to be run; nil where it is.
    func begin(
        _ account: BareJID, _ module: String, settings: String, isGivenAnotherChance: Bool
    ) throws(StoreError) -> Timestamp? {
        let key: [SQLValue] = [.text(account.description), .text(module)]
        return try connection.transaction { () throws(StoreError) in
            let known = try connection.first(
                "SELECT settings, disabled_at FROM module_run WHERE account = ? AND module = ?", key
            ) { row throws(StoreError) in (try row.text(), try row.optionalTimestamp()) }
            if let known, known.0.utf8.elementsEqual(settings.utf8) {
                guard let since = known.1 else { return nil }
                guard isGivenAnotherChance else { return since }
                try connection.run("UPDATE module_run SET disabled_at = NULL WHERE account = ? AND module = ?", key)
                // One more is enough, on whatever event.
                try connection.run("DELETE FROM module_crash WHERE account = ? AND module = ?", key)
                try connection.run(
                    "INSERT INTO module_crash(account, module, event, count, at) VALUES (?, ?, '', ?, ?)",
                    key + [.integer(Int64(Self.limitOfModule - 1)), .integer(since.milliseconds)])
                return nil
            }
            try connection.run("DELETE FROM module_crash WHERE account = ? AND module = ?", key)
            try connection.run(
                """
                INSERT INTO module_run(account, module, settings) VALUES (?, ?, ?)
                ON CONFLICT(account, module) DO UPDATE SET settings = excluded.settings, disabled_at = NULL
                """, key + [.text(settings)])
            return nil
        }
    }

    /// How often it ended the process.
    func count(_ account: BareJID, _ module: String) throws(StoreError) -> Int {
        try connection.first(
            "SELECT ifnull(sum(count), 0) FROM module_crash WHERE account = ? AND module = ?",
            [.text(account.description), .text(module)]
        ) { row throws(StoreError) in try row.count() } ?? 0
    }
}
