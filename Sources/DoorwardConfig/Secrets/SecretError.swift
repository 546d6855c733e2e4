/// Why a secret could not be read: what to do, and never the secret.
package struct SecretError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as an open set: compare with the named values.
    package struct Code: Hashable, Sendable {
        let name: String

        /// The file, variable or credential is not there.
        package static let missing = Code(name: "missing")
        /// It is there and this user cannot read it.
        package static let unreadable = Code(name: "unreadable")
        /// Others can read it.
        package static let openToOthers = Code(name: "open to others")
        /// It is a link, a pipe, a folder.
        package static let notRegular = Code(name: "no regular file")
        /// There is nothing in its first line.
        package static let empty = Code(name: "empty")
        /// It is longer than a password may be.
        package static let tooLong = Code(name: "too long")
        /// The program could not be started, or did not end well.
        package static let commandFailed = Code(name: "command failed")
        /// The program did not end in time, and was stopped.
        package static let timedOut = Code(name: "timed out")
    }

    package let code: Code
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
