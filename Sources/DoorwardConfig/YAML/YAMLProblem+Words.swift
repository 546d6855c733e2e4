/// A value that goes over several lines.
struct ScalarSpan {
    var start: YAMLMark
    var end: YAMLMark
    var isQuoted: Bool
}

extension YAMLProblem {
    /// What a person should read instead of libyaml's words: the kind, the place and the text.
    func fault(
        in file: SourceFile,
        lastClosed: YAMLMark?,
        lastSpan: ScalarSpan?
    ) -> (kind: FaultKind, mark: YAMLMark, message: String) {
        let scalar = file.scalar(at: mark)
        if scalar == "\t" || problem.contains("tab") {
            return (FaultCatalogue.tabCharacter, mark, "a tab character; indent with spaces")
        }
        // A quote that is not closed takes in all lines up to the next one; the text behind that cannot be read.
        if let lastSpan, lastSpan.isQuoted, lastSpan.end.line == mark.line {
            let end = "\(lastSpan.end.line):\(lastSpan.end.column)"
            return (
                FaultCatalogue.yamlSyntax, lastSpan.start,
                "this quote is not closed where it should be: its text goes on to \(end)"
            )
        }
        if let bracket = bracketBefore(mark, in: file) { return quotes(bracket, "begins a list or a map", mark) }
        if context.contains("alias") { return quotes("*", "begins an alias", contextMark) }
        if context.contains("anchor") { return quotes("&", "begins an anchor", contextMark) }
        if context.contains("tag") { return quotes("!", "begins a tag", contextMark) }
        if problem.contains("cannot start any token"), let scalar {
            return quotes(scalar, "cannot begin a value without quotes", mark)
        }
        if problem.contains("mapping values are not allowed") {
            return (
                FaultCatalogue.needsQuotes, mark,
                "':' makes a key here, where none may stand; put the value in quotes, or check the indentation"
            )
        }
        return other(in: file, lastClosed)
    }

    private func other(
        in file: SourceFile,
        _ lastClosed: YAMLMark?
    ) -> (kind: FaultKind, mark: YAMLMark, message: String) {
        if context.contains("quoted scalar"), problem.contains("end of stream") || problem.contains("document") {
            return (FaultCatalogue.yamlSyntax, contextMark, "this quote is not closed")
        }
        if context.contains("simple key") {
            return (FaultCatalogue.yamlSyntax, contextMark, "a ':' is missing behind this key")
        }
        if context.contains("flow") {
            guard let open = file.scalar(at: contextMark), open == "[" || open == "{" else {
                return (
                    FaultCatalogue.yamlSyntax, contextMark,
                    "a ',' or a closing bracket is missing; a text that begins with '[' or '{' is put in quotes"
                )
            }
            let close = open == "[" ? "]" : "}"
            return (
                FaultCatalogue.yamlSyntax, contextMark,
                "the '\(close)' to this '\(open)' is missing, or a ',' before \(mark.line):\(mark.column); "
                    + "a text that begins with '\(open)' is put in quotes"
            )
        }
        if context.contains("block") || problem.contains("did not find expected") {
            var start = ""
            // A line that is out by a space ended a deeper block than its writer meant.
            if let lastClosed, lastClosed.column > mark.column {
                start = "; the block above it begins at \(lastClosed.line):\(lastClosed.column)"
            } else if !context.isEmpty {
                start = "; the block that it stands in begins at \(contextMark.line):\(contextMark.column)"
            }
            return (
                FaultCatalogue.yamlSyntax, mark,
                "this line's indentation fits nothing above it, or a quote is missing\(start)"
            )
        }
        return (FaultCatalogue.yamlSyntax, mark, context.isEmpty ? problem : "\(problem) \(context)")
    }

    private func quotes(
        _ scalar: Unicode.Scalar,
        _ what: String,
        _ mark: YAMLMark
    ) -> (kind: FaultKind, mark: YAMLMark, message: String) {
        (FaultCatalogue.needsQuotes, mark, "'\(scalar)' \(what); put the value in quotes")
    }

    /// A value such as `{user}@example.org` or `[::1]:5222`: the error comes behind the closing bracket.
    private func bracketBefore(_ mark: YAMLMark, in file: SourceFile) -> Unicode.Scalar? {
        guard mark.column > 1, let here = file.scalar(at: mark), here != " " else { return nil }
        switch file.scalar(at: YAMLMark(line: mark.line, column: mark.column - 1)) {
        case "}": return "{"
        case "]": return "["
        default: return nil
        }
    }
}
