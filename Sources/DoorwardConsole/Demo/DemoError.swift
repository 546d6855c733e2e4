/// Why the demo could not start.
package struct DemoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as an open set: compare with the named values.
    package struct Code: Hashable, Sendable {
        let name: String

        /// A program of Debian's is not installed.
        package static let programMissing = Code(name: "program missing")
        /// A program ended with an error.
        package static let programFailed = Code(name: "program failed")
        /// A file or folder could not be written.
        package static let fileFailed = Code(name: "file failed")
        /// The port asked for is taken, or every port that was tried is.
        package static let portTaken = Code(name: "port taken")
        /// Another demo has the folder.
        package static let alreadyRunning = Code(name: "already running")
        /// Prosody ended, or did not accept connections in time.
        package static let serverFailed = Code(name: "server failed")
        /// A host or an account that the private server cannot have.
        package static let badAddress = Code(name: "bad address")
        /// The configuration has nothing that the demo could run.
        package static let nothingToRun = Code(name: "nothing to run")
        /// An account did not come online.
        package static let notOnline = Code(name: "not online")
        /// A guest could not log in.
        package static let guestFailed = Code(name: "guest failed")
    }

    package let code: Code
    /// What is wrong and what to do; no secrets.
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
