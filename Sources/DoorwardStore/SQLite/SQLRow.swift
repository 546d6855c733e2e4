import CSQLite
import XMPPCore

/// Reads the columns of one row from left to right, each as exactly the type that was written.
struct SQLRow {
    private let statement: OpaquePointer
    private var column: Int32 = 0

    init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    mutating func optionalInteger() throws(StoreError) -> Int64? {
        defer { column += 1 }
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return sqlite3_column_int64(statement, column)
        case SQLITE_NULL: return nil
        default: throw mismatch
        }
    }

    mutating func integer() throws(StoreError) -> Int64 {
        let at = name
        guard let value = try optionalInteger() else { throw .corrupt("nothing in \(at)") }
        return value
    }

    mutating func optionalText() throws(StoreError) -> String? {
        defer { column += 1 }
        switch sqlite3_column_type(statement, column) {
        case SQLITE_TEXT:
            guard let bytes = sqlite3_column_text(statement, column) else { throw mismatch }
            let count = Int(sqlite3_column_bytes(statement, column))
            guard let text = String(validating: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self) else {
                throw mismatch
            }
            return text
        case SQLITE_NULL: return nil
        default: throw mismatch
        }
    }

    mutating func text() throws(StoreError) -> String {
        let at = name
        guard let value = try optionalText() else { throw .corrupt("nothing in \(at)") }
        return value
    }

    mutating func count() throws(StoreError) -> Int { Int(try integer()) }

    mutating func flag() throws(StoreError) -> Bool { try integer() != 0 }

    mutating func optionalFlag() throws(StoreError) -> Bool? { try optionalInteger().map { $0 != 0 } }

    mutating func timestamp() throws(StoreError) -> Timestamp { Timestamp(milliseconds: try integer()) }

    mutating func optionalTimestamp() throws(StoreError) -> Timestamp? {
        try optionalInteger().map { Timestamp(milliseconds: $0) }
    }

    mutating func optionalAddress() throws(StoreError) -> BareJID? {
        let at = name
        guard let text = try optionalText() else { return nil }
        do throws(JIDError) {
            return try BareJID(text)
        } catch {
            throw .corrupt("no address in \(at)")
        }
    }

    mutating func address() throws(StoreError) -> BareJID {
        let at = name
        guard let value = try optionalAddress() else { throw .corrupt("nothing in \(at)") }
        return value
    }

    /// One of the words of an enumeration.
    mutating func word<Word: RawRepresentable<String>>(of type: Word.Type) throws(StoreError) -> Word {
        let at = name
        guard let word = Word(rawValue: try text()) else { throw .corrupt("unknown word in \(at)") }
        return word
    }

    private var name: String { sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "a column" }

    private var mismatch: StoreError { .corrupt("not what was written in \(name)") }
}
