import XMPPCore

/// Reads and writes what modules keep.
struct ModuleValueTable {
    let connection: Connection

    /// How much an area may hold.
    struct Room {
        let values: Int
        let bytes: Int
    }

    func value(_ account: BareJID, _ module: String, _ key: String) throws(StoreError) -> [UInt8]? {
        let text = try connection.first(
            "SELECT value FROM module_value WHERE account = ? AND module = ? AND key = ?",
            Self.key(account, module, key)
        ) { row throws(StoreError) in try row.text() }
        guard let text else { return nil }
        guard let bytes = Base64.decode(text) else { throw .corrupt("a value of the module \(module)") }
        return bytes
    }

    /// - Returns: False where there is no room for it; then nothing is written.
    func set(
        _ value: [UInt8], _ account: BareJID, _ module: String, _ key: String, within room: Room
    ) throws(StoreError) -> Bool {
        let size = key.utf8.count + value.count
        return try connection.transaction { () throws(StoreError) in
            let others = try connection.first(
                """
                SELECT count(*), ifnull(sum(size), 0) FROM module_value WHERE account = ? AND module = ? AND key <> ?
                """, Self.key(account, module, key)
            ) { row throws(StoreError) in (try row.count(), try row.count()) }
            let (count, bytes) = others ?? (0, 0)
            guard count < room.values, bytes <= room.bytes - size else { return false }
            try connection.run(
                """
                INSERT INTO module_value(account, module, key, value, size) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT(account, module, key) DO UPDATE SET value = excluded.value, size = excluded.size
                """,
                Self.key(account, module, key) + [.text(Base64.encode(value)), .integer(Int64(size))])
            return true
        }
    }

    func remove(_ account: BareJID, _ module: String, _ key: String) throws(StoreError) {
        try connection.run(
            "DELETE FROM module_value WHERE account = ? AND module = ? AND key = ?", Self.key(account, module, key))
    }

    /// In the order of their bytes.
    func keys(_ account: BareJID, _ module: String) throws(StoreError) -> [String] {
        try connection.all(
            "SELECT key FROM module_value WHERE account = ? AND module = ? ORDER BY key",
            [.text(account.description), .text(module)]
        ) { row throws(StoreError) in try row.text() }
    }

    private static func key(_ account: BareJID, _ module: String, _ key: String) -> [SQLValue] {
        [.text(account.description), .text(module), .text(key)]
    }
}
