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
        bind { binder in
            for value in values {
                switch value {
                case .null: binder.null()
                case .integer(let number): binder.integer(number)
                case .text(let text): binder.text(text)
                }
            }
        }
    }

    /// The same, by what `body` binds.
    func bind(_ body: (inout Binder) -> Void) -> Bool {
        var binder = binder
        body(&binder)
        return binder.isComplete
    }

    /// Binds from the first parameter on.
    var binder: Binder { Binder(handle) }

    func step() -> Int32 { sqlite3_step(handle) }

    /// Ends the run; what is bound stays so.
    func rewind() { sqlite3_reset(handle) }

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
