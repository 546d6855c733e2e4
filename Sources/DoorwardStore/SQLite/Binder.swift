import CSQLite

/// Binds the parameters of a statement from left to right.
struct Binder {
    private let handle: OpaquePointer
    private var index: Int32 = 0
    /// Whether all were taken so far.
    private(set) var isGood = true

    init(_ handle: OpaquePointer) { self.handle = handle }

    /// Whether there was one value for each parameter.
    var isComplete: Bool { isGood && index == sqlite3_bind_parameter_count(handle) }

    mutating func null() {
        index += 1
        keep(sqlite3_bind_null(handle, index))
    }

    mutating func integer(_ number: Int64) {
        index += 1
        keep(sqlite3_bind_int64(handle, index, number))
    }

    mutating func integer(_ number: Int64?) {
        guard let number else { return null() }
        integer(number)
    }

    mutating func flag(_ flag: Bool?) {
        if let flag { integer(flag ? 1 : 0) } else { null() }
    }

    mutating func text(_ text: String?) {
        guard let text else { return null() }
        self.text(text)
    }

    mutating func text(_ text: String) {
        index += 1
        let index = index
        var text = text
        let status = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                // An empty string has no address, and a null pointer would bind NULL.
                characters.baseAddress.map { csqlite_bind_text(handle, index, $0, UInt64(characters.count)) }
                    ?? csqlite_bind_text(handle, index, "", 0)
            }
        }
        keep(status)
    }

    private mutating func keep(_ status: Int32) {
        if status != SQLITE_OK { isGood = false }
    }
}
