import DoorwardPolicy

/// Warns of patterns that match other than they seem to.
enum PatternWarnings {
    static func report(_ text: String, as kind: ValueKind, in reader: FileReader, at mark: YAMLMark) {
        guard text.utf8.contains(UInt8(ascii: "*")), kind == .addresses || kind == .domains else { return }
        let at = text.utf8.lastIndex(of: UInt8(ascii: "@"))
        let domain = at.map { text[text.utf8.index(after: $0)...] } ?? text[...]
        if kind == .addresses, at == nil {
            reader.report(
                FaultCatalogue.patternOnlyServers,
                mark,
                "\(reader.quoted(text, mark)) matches only servers' own addresses, for '*' does not cross an '@'",
                suggestion: "*@\(text)"
            )
            return
        }
        let rest = domain.drop { $0 == "*" }
        guard domain.utf8.first == UInt8(ascii: "*"), let next = rest.first, next != ".", rest.contains(".") else {
            return
        }
        reader.report(
            FaultCatalogue.patternTooWide,
            mark,
            "\(reader.quoted(text, mark)) also matches 'evil\(rest)'; subdomains are written '*.\(rest)'"
        )
    }
}
