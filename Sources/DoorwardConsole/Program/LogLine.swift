package import XMPPCore

/// One event of the service as one line: `time=… level=… event=… key=value`.
///
/// Whatever a value holds, the event stays one line and the line one event: controls, line separators and escape
/// sequences are shown, not sent; a value with a blank, a quote or an equals sign stands in quotes.
package struct LogLine: Sendable {
    package enum Level: String, Hashable, Sendable { case info, warning, error }

    private var fields: [(key: String, value: String)]

    package init(_ event: String, level: Level = .info, at moment: Timestamp, _ fields: KeyValuePairs<String, String?>)
    {
        self.init(event, level: level, at: moment, fields.map { ($0.key, $0.value) })
    }

    package init(_ event: String, level: Level = .info, at moment: Timestamp, _ fields: [(String, String?)]) {
        self.fields =
            [("time", moment.description), ("level", level.rawValue), ("event", event)]
            + fields.compactMap { key, value in value.map { (key, $0) } }
    }

    /// The line without its end.
    ///
    /// A value is cut at 1024 characters.
    package var text: String {
        fields.map { Self.word($0.key) + "=" + Self.quoted($0.value) }.joined(separator: " ")
    }

    /// Printable ASCII that needs no quotes around it.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=")
            && byte != UInt8(ascii: "\\")
    }

    private static func isASCIILetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            false
        }
    }

    private static func word(_ key: String) -> String {
        if key.utf8.allSatisfy({ isASCIILetterOrDigit($0) || $0 == UInt8(ascii: "_") }) { return key }
        return String(
            key.unicodeScalars.map {
                $0.properties.isAlphabetic || $0.properties.numericType != nil ? Character($0) : "_"
            })
    }

    private static func quoted(_ value: String) -> String {
        // Most values are a word, or words; these are not looked at character by character.
        if (1...1024).contains(value.utf8.count), value.utf8.allSatisfy({ isPlain($0) || $0 == UInt8(ascii: " ") }) {
            return value.utf8.contains(UInt8(ascii: " ")) ? "\"" + value + "\"" : value
        }
        let isLong = value.unicodeScalars.count > 1024
        var kept = ""
        kept.unicodeScalars.append(contentsOf: value.unicodeScalars.prefix(1024))
        let shown = visible(kept) + (isLong ? "…" : "")
        let needsQuotes =
            shown.isEmpty || shown.contains { $0 == " " || $0 == "\"" || $0 == "=" || $0 == "\\" || $0.isWhitespace }
        guard needsQuotes else { return shown }
        let escaped = shown.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"" + escaped + "\""
    }
}
