extension Fault {
    /// A source line is cut to about so many columns around the place.
    private static let window = 110

    /// The fault as `doorward check` prints it: one line, then the source line and a caret, indented.
    package func rendered() -> String {
        var head = "\(path):\(line):\(column): \(severity.rawValue)[\(code)]: \(message)"
        if let suggestion { head += "; did you mean '\(suggestion)'?" }
        head = VisibleText.of(head)
        guard let source, line > 0, column > 0 else { return head }
        let scalars = Array(source.unicodeScalars)
        let place = min(column - 1, scalars.count)
        let start = place > Fault.window - 20 ? place - Fault.window / 2 : 0
        let end = min(scalars.count, start + Fault.window)
        let before = (start > 0 ? "…" : "") + VisibleText.of(scalars[start..<place])
        let after = VisibleText.of(scalars[place..<end]) + (end < scalars.count ? "…" : "")
        let indent = String(repeating: " ", count: 4)
        let caret = String(repeating: " ", count: before.unicodeScalars.count) + "^"
        return "\(head)\n\(indent)\(before)\(after)\n\(indent)\(caret)"
    }
}

/// Text that cannot drive a terminal or hide what it says.
enum VisibleText {
    static func of(_ text: String) -> String { of(text.unicodeScalars) }

    static func of(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var visible = ""
        for scalar in scalars {
            switch scalar.properties.generalCategory {
            case .control where scalar == "\t": visible += "\\t"
            // Format characters turn the direction of writing, or are not seen at all.
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                visible += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: visible.unicodeScalars.append(scalar)
            }
        }
        return visible
    }
}
