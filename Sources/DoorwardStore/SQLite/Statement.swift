import CSQLite

/// A prepared statement, finalized when it goes away.
final class Statement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Binds from the first parameter on; false where the count is wrong.
    func bind(_ values: [SQLValue]) -> Bool {
        guard values.count == Int(sqlite3_bind_parameter_count(handle)) else { return false }
        var index: Int32 = 0
        for value in values {
            index += 1
            let status: Int32
            switch value {
            case .null: status = sqlite3_bind_null(handle, index)
            case .integer(let number): status = sqlite3_bind_int64(handle, index, number)
            case .text(var text):
                status = text.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { characters in
                        // An empty string has no address, and a null pointer would bind NULL.
                        characters.baseAddress.map {
                            csqlite_bind_text(handle, index, $0, UInt64(characters.count))
                        } ?? csqlite_bind_text(handle, index, "", 0)
                    }
                }
            }
            guard status == SQLITE_OK else { return false }
        }
        return true
    }

    func step() -> Int32 { sqlite3_step(handle) }

    /// Ends the run and lets go of the bound texts.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// The row that the latest step brought; valid until the next step.
    var row: SQLRow { SQLRow(handle) }
}

/// A value to bind.
enum SQLValue {
    case null
    case integer(Int64)
    case text(String)

    init(_ text: String?) {
        self = text.map(SQLValue.text) ?? .null
    }

    init(_ number: Int64?) {
        self = number.map(SQLValue.integer) ?? .null
    }

    init(_ flag: Bool?) {
        self = flag.map { .integer($0 ? 1 : 0) } ?? .null
    }
}
