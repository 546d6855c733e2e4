/// Gathers the faults of one run over all files.
///
/// A class, because readers of nested parts report to the same one; it never leaves the call that made it.
final class FaultCollector {
    /// So many errors, and so many warnings, of one file are kept; a note behind them says that there are others.
    static let limitOfFile = 100

    /// What one file has of one severity.
    private struct Tally {
        var count = 0
        /// The note that some are not shown; it stands where the first of them would.
        var note: Fault?
    }

    private var faults: [(file: Int, fault: Fault)] = []
    /// The files in the order in which they were met.
    private var paths: [String] = []
    private var fileNumbers: [String: Int] = [:]
    private var tallies: [String: [Fault.Severity: Tally]] = [:]

    func report(
        _ kind: FaultKind,
        in file: SourceFile,
        at mark: YAMLMark,
        _ message: String,
        suggestion: String? = nil
    ) {
        // What is wrong with a whole file is shown at its begin, where it has one.
        let mark = mark == .wholeFile && !file.bytes.isEmpty ? YAMLMark(line: 1, column: 1) : mark
        add(kind, file.path, mark, message, suggestion, file.line(mark.line))
    }

    /// Whether no further error of a file would be shown.
    func isFull(_ file: SourceFile) -> Bool {
        tallies[file.path]?[.error]?.count ?? 0 > FaultCollector.limitOfFile
    }

    /// Reports a fault of a file that could not be read.
    func report(_ kind: FaultKind, path: String, _ message: String) {
        add(kind, path, .wholeFile, message, nil, nil)
    }

    /// By file in the order in which they were met, then by line; behind them, that more of the file are not shown.
    var sorted: [Fault] {
        let ordered = faults.enumerated()
            .sorted { left, right in
                let (a, b) = (left.element, right.element)
                return (a.file, a.fault.line, a.fault.column, left.offset)
                    < (b.file, b.fault.line, b.fault.column, right.offset)
            }
            .map(\.element)
        var all: [Fault] = []
        var rest = ordered[...]
        for (number, path) in paths.enumerated() {
            let ofFile = rest.prefix { $0.file == number }
            rest = rest.dropFirst(ofFile.count)
            all += ofFile.map(\.fault) + notes(of: path)
        }
        return all
    }

    func hasError(in path: String) -> Bool { tallies[path]?[.error]?.count ?? 0 > 0 }

    private func notes(of path: String) -> [Fault] {
        [Fault.Severity.error, .warning]
            .compactMap { severity in
                guard let tally = tallies[path]?[severity], var note = tally.note else { return nil }
                let more = tally.count - FaultCollector.limitOfFile
                let words = severity == .error ? "error" : "warning"
                // The reading of a file ends at some point, so there may be still more.
                note.message =
                    more == 1
                    ? "at least one more \(words) of this file is not shown; mend these and check again"
                    : "at least \(more) more \(words)s of this file are not shown; mend these and check again"
                return note
            }
    }

    private func add(
        _ kind: FaultKind,
        _ path: String,
        _ mark: YAMLMark,
        _ message: String,
        _ suggestion: String?,
        _ source: @autoclosure () -> String?
    ) {
        let number = fileNumbers[path] ?? paths.count
        if number == paths.count {
            paths.append(path)
            fileNumbers[path] = number
        }
        var tally = tallies[path, default: [:]][kind.severity, default: Tally()]
        tally.count += 1
        let isShown = tally.count <= FaultCollector.limitOfFile
        defer { tallies[path, default: [:]][kind.severity] = tally }
        guard isShown || tally.note == nil else { return }
        var fault = Fault(
            path: path,
            line: mark.line,
            column: mark.column,
            severity: kind.severity,
            code: kind.code,
            message: message,
            suggestion: suggestion,
            source: source()
        )
        if isShown {
            faults.append((number, fault))
        } else {
            let more = kind.severity == .error ? FaultCatalogue.tooManyFaults : FaultCatalogue.tooManyWarnings
            fault.code = more.code
            fault.suggestion = nil
            tally.note = fault
        }
    }
}
