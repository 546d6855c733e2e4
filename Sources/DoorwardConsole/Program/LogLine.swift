package import XMPPCore
import XMPPTransport

/// One event of the service as one line: `time=… level=… event=… key=value`.
///
/// Whatever a value holds, the event stays one line and the line one event: controls, line separators and escape
/// sequences are shown, not sent; a value with a blank, a quote or an equals sign stands in quotes.
package struct LogLine: Sendable {
    package enum Level: String, Hashable, Sendable { case info, warning, error }

    private var bytes: [UInt8] = []

    package init(_ event: String, level: Level = .info, at moment: Timestamp, _ fields: KeyValuePairs<String, String?>)
    {
        self.init(event, level: level, at: moment)
        for (key, value) in fields { add(key, value) }
    }

    package init(_ event: String, level: Level = .info, at moment: Timestamp, _ fields: [(String, String?)] = []) {
        bytes.reserveCapacity(240)
        bytes += "time=".utf8
        bytes += Self.text(of: moment).utf8
        add("level", level.rawValue)
        add("event", event)
        for (key, value) in fields { add(key, value) }
    }

    /// One more field; nil is none.
    ///
    /// A value is cut at 1024 characters.
    mutating func add(_ key: String, _ value: String?) {
        guard let value else { return }
        bytes.append(UInt8(ascii: " "))
        bytes += Self.word(key).utf8
        bytes.append(UInt8(ascii: "="))
        // Most values are a word, or words; these are not looked at character by character.
        let isPlain = (1...1024).contains(value.utf8.count) && value.utf8.allSatisfy { Self.isPlain($0) || $0 == 0x20 }
        guard isPlain, value.utf8.contains(0x20) else {
            bytes += (isPlain ? value : Self.quoted(value)).utf8
            return
        }
        bytes.append(UInt8(ascii: "\""))
        bytes += value.utf8
        bytes.append(UInt8(ascii: "\""))
    }

    /// The line without its end.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The text of a moment: of lines that follow each other most have the same second.
    private static func text(of moment: Timestamp) -> String {
        guard moment.milliseconds >= 0 else { return moment.description }
        let (second, rest) = moment.milliseconds.quotientAndRemainder(dividingBy: 1000)
        let known = latest.withLock { $0.second == second ? $0.text : nil }
        let start = known ?? String(moment.description.dropLast(4))
        if known == nil { latest.withLock { $0 = (second, start) } }
        return start + (rest < 10 ? "00" : rest < 100 ? "0" : "") + String(rest) + "Z"
    }

    /// The latest second that was written, and its text up to the point.
    private static let latest = Locked((second: Int64.min, text: ""))

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
