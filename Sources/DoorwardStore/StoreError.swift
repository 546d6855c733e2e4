/// Why the store did not do what it was asked, and what to do about it.
///
/// A call that throws `full`, `ioError` or `busy` wrote nothing in most cases, but an I/O error can come after the
/// bytes have reached the disk: a caller treats a failed write as unknown and reads the rows again.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, as an open set: compare with the named values.
    package struct Code: Hashable, Sendable {
        let name: String

        /// The file or its folder cannot be made or opened.
        package static let cannotOpen = Code(name: "cannot open")
        /// A newer program has written it.
        package static let newerSchema = Code(name: "newer schema")
        /// Another process, or another `Store` of this one, has it.
        package static let inUse = Code(name: "in use")
        /// Another program holds a lock on the database for longer than we wait.
        package static let busy = Code(name: "busy")
        /// The disk, or the quota, is full.
        package static let full = Code(name: "full")
        /// Reading or writing failed, or the file is read-only.
        package static let ioError = Code(name: "I/O error")
        /// What stands in the file is not what was written.
        package static let corrupt = Code(name: "corrupt")
        /// The store was called in a way that it does not allow; a fault of the program.
        package static let misuse = Code(name: "misuse")
    }

    package let code: Code
    /// Words for an operator: what is wrong and what to do; no message bodies.
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

extension StoreError {
    static func corrupt(_ what: String) -> StoreError {
        StoreError(.corrupt, "the store is damaged (\(what)): stop doorward and restore the file from a backup")
    }

    static var closed: StoreError { StoreError(.misuse, "the store is closed") }
}
