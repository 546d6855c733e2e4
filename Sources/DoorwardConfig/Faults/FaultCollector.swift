/// Gathers the faults of one run over all files.
///
/// A class, because readers of nested parts report to the same one; it never leaves the call that made it.
final class FaultCollector {
    /// So many of one file are kept; one more says that there are others.
    static let limitOfFile = 100

    private var faults: [(file: Int, fault: Fault)] = []
    private var fileNumbers: [String: Int] = [:]
    private var counts: [String: [Fault.Severity: Int]] = [:]

    func report(
        _ kind: FaultKind,
        in file: SourceFile,
        at mark: YAMLMark,
        _ message: String,
        suggestion: String? = nil
    ) {
        let path = file.path
        let count = counts[path, default: [:]][kind.severity, default: 0] + 1
        counts[path, default: [:]][kind.severity] = count
        guard count <= FaultCollector.limitOfFile else {
            guard count == FaultCollector.limitOfFile + 1 else { return }
            let more = kind.severity == .error ? FaultCatalogue.tooManyFaults : FaultCatalogue.tooManyWarnings
            add(more, path, .wholeFile, "only the first \(FaultCollector.limitOfFile) are shown", nil, nil)
            return
        }
        add(kind, path, mark, message, suggestion, file.line(mark.line))
    }

    /// Whether no further error of a file would be shown.
    func isFull(_ file: SourceFile) -> Bool {
        counts[file.path]?[.error] ?? 0 > FaultCollector.limitOfFile
    }

    /// Reports a fault of a file that could not be read.
    func report(_ kind: FaultKind, path: String, _ message: String) {
        add(kind, path, .wholeFile, message, nil, nil)
    }

    /// By file in the order in which they were met, then by line.
    var sorted: [Fault] {
        faults.enumerated()
            .sorted { left, right in
                let (a, b) = (left.element, right.element)
                return (a.file, a.fault.line, a.fault.column, left.offset)
                    < (b.file, b.fault.line, b.fault.column, right.offset)
            }
            .map(\.element.fault)
    }

    func hasError(in path: String) -> Bool {
        faults.contains { $0.fault.severity == .error && $0.fault.path == path }
    }

    private func add(
        _ kind: FaultKind,
        _ path: String,
        _ mark: YAMLMark,
        _ message: String,
        _ suggestion: String?,
        _ source: String?
    ) {
        let number = fileNumbers[path] ?? fileNumbers.count
        fileNumbers[path] = number
        let fault = Fault(
            path: path,
            line: mark.line,
            column: mark.column,
            severity: kind.severity,
            code: kind.code,
            message: message,
            suggestion: suggestion,
            source: source
        )
        faults.append((number, fault))
    }
}
