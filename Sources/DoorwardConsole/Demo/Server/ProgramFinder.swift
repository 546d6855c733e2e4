import Glibc

/// Where the programs of Debian's packages are.
enum ProgramFinder {
    /// Folders that a user's `PATH` may lack.
    private static let always = ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/bin"]

    /// The path of a program.
    ///
    /// - Parameters:
    ///   - name: The name of its file.
    ///   - package: The Debian package that has it, for the error's words.
    /// - Returns: An absolute path.
    /// - Throws: Where it is not installed; the error says how to install it.
    static func find(_ name: String, package: String) throws(DemoError) -> String {
        for folder in path + always where !folder.isEmpty {
            let candidate = "\(folder)/\(name)"
            if access(candidate, X_OK) == 0 { return candidate }
        }
        throw DemoError(
            .programMissing,
            "\(name) is not installed; run 'make deps' (or 'apt-get install \(package)') and try again"
        )
    }

    private static var path: [String] {
        guard let value = getenv("PATH") else { return [] }
        return String(cString: value).split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }
}
