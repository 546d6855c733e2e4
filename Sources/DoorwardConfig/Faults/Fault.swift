/// One thing wrong with a file: its place, its stable code, and its mend.
package struct Fault: Hashable, Sendable {
    package enum Severity: String, Hashable, Sendable { case error, warning }

    /// The path as the user named it, or relative to the working folder; empty where the fault is of no file.
    package var path: String
    /// From 1; 0 where the file has no line: it is missing, cannot be read, or is empty.
    package var line: Int
    /// From 1, in Unicode scalars.
    package var column: Int
    package var severity: Severity
    /// `DW` and three digits; never used for another fault again.
    package var code: String
    package var message: String
    /// What to write instead, where that is known.
    package var suggestion: String?
    /// The line of the source that it stands in; nil where there is none, or where it may hold a secret.
    package var source: String?

    package init(
        path: String,
        line: Int,
        column: Int,
        severity: Severity = .error,
        code: String,
        message: String,
        suggestion: String? = nil,
        source: String? = nil
    ) {
        self.path = path
        self.line = line
        self.column = column
        self.severity = severity
        self.code = code
        self.message = message
        self.suggestion = suggestion
        self.source = source
    }

    /// A fault of a file that was not read, or of none where the path is empty.
    package init(_ kind: FaultKind, path: String, _ message: String) {
        let path = path.isEmpty ? "" : FilePath.shown(path)
        self.init(path: path, line: 0, column: 0, severity: kind.severity, code: kind.code, message: message)
    }
}
