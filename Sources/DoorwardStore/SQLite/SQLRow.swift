import CSQLite
import Glibc
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
        guard let value = try optionalInteger() else { throw nothing }
        return value
    }

    mutating func optionalText() throws(StoreError) -> String? {
        defer { column += 1 }
        switch sqlite3_column_type(statement, column) {
        case SQLITE_TEXT:
            guard let bytes = sqlite3_column_text(statement, column) else { throw mismatch }
            let count = Int(sqlite3_column_bytes(statement, column))
            let written = UnsafeBufferPointer(start: bytes, count: count)
            var text = String(decoding: written, as: UTF8.self)
            // What is no UTF-8 was repaired by that: it has other bytes now.
            let isWhole = text.withUTF8 { $0.count == count && memcmp($0.baseAddress ?? bytes, bytes, count) == 0 }
            guard isWhole else { throw mismatch }
            return text
        case SQLITE_NULL: return nil
        default: throw mismatch
        }
    }

    mutating func text() throws(StoreError) -> String {
        guard let value = try optionalText() else { throw nothing }
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
        guard let text = try optionalText() else { return nil }
        do throws(JIDError) {
            return try BareJID(text)
        } catch {
            throw .corrupt("no address in \(name(of: column - 1))")
        }
    }

    mutating func address() throws(StoreError) -> BareJID {
        guard let value = try optionalAddress() else { throw nothing }
        return value
    }

    /// One of the words of an enumeration.
    mutating func word<Word: RawRepresentable<String>>(of type: Word.Type) throws(StoreError) -> Word {
        guard let word = Word(rawValue: try text()) else {
            throw .corrupt("unknown word in \(name(of: column - 1))")
        }
        return word
    }

    private func name(of column: Int32) -> String {
        sqlite3_column_name(statement, column).map { String(cString: $0) } ?? "a column"
    }

    /// The column that is being read has another type, or is no text.
    private var mismatch: StoreError { .corrupt("not what was written in \(name(of: column))") }

    /// The column that was read is null.
    private var nothing: StoreError { .corrupt("nothing in \(name(of: column - 1))") }
}
