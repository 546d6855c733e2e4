/// A Swift source without its comments and the texts of its strings, so that only code is looked at.
///
/// What is left out is blank, and each line stays where it is. An interpolation is code.
struct SwiftCode {
    private(set) var bytes: [UInt8]

    /// What the reader is in; what it was in before is below it.
    private enum Place {
        /// With so many parentheses open, where it is an interpolation.
        case code(parentheses: Int)
        case text(quotes: Int, pounds: Int)
    }

    init(_ text: String) {
        bytes = Array(text.utf8)
        var places = [Place.code(parentheses: 0)]
        var index = 0
        while index < bytes.count, let place = places.last {
            let start = index
            switch place {
            case .code(let parentheses):
                if starts("//", at: index) {
                    index = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                    blank(start..<index)
                } else if starts("/*", at: index) {
                    index = endOfBlockComment(from: index)
                    blank(start..<index)
                } else if let (quotes, pounds) = beginOfText(at: index) {
                    // The quotes stay: an operator behind them is behind a value.
                    index += quotes + pounds
                    places.append(.text(quotes: quotes, pounds: pounds))
                } else {
                    let isInterpolation = places.count > 1
                    if bytes[index] == UInt8(ascii: "(") {
                        places[places.count - 1] = .code(parentheses: parentheses + 1)
                    } else if bytes[index] == UInt8(ascii: ")") {
                        places[places.count - 1] = .code(parentheses: parentheses - 1)
                        if isInterpolation, parentheses == 1 { places.removeLast() }
                    }
                    index += 1
                }
            case .text(let quotes, let pounds):
                let fence = String(repeating: "#", count: pounds)
                if starts("\\" + fence + "(", at: index) {
                    blank(index..<(index + 1 + pounds))
                    // The parenthesis is the first of the interpolation's.
                    index += 1 + pounds
                    places.append(.code(parentheses: 0))
                } else if starts("\\" + fence, at: index) {
                    index = min(index + 2 + pounds, bytes.count)
                    blank(start..<index)
                } else if starts(String(repeating: "\"", count: quotes) + fence, at: index) {
                    index += quotes + pounds
                    places.removeLast()
                } else {
                    blank(index..<(index + 1))
                    index += 1
                }
            }
        }
    }

    var lines: [String] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Lines with a `!` that traps: behind a value, a type, `try` or `as`; not one before a value, and none of `!=`.
    var traps: [Int] {
        var line = 1
        var traps: [Int] = []
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\n") { line += 1 }
            guard byte == UInt8(ascii: "!"), index > 0, Self.endsValue(bytes[index - 1]) else { continue }
            if index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "=") {
                // `a!=b` is a comparison, `a!==b` is one too; `a! = b` has its space.
                continue
            }
            traps.append(line)
        }
        return traps
    }

    private static func endsValue(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ")"), UInt8(ascii: "]"),
            UInt8(ascii: "}"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "?"), UInt8(ascii: ">"), 0x80...:
            true
        case _: false
        }
    }

    private func starts(_ text: String, at index: Int) -> Bool { bytes[index...].starts(with: text.utf8) }

    private func beginOfText(at index: Int) -> (quotes: Int, pounds: Int)? {
        let pounds = bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count
        guard starts("\"", at: index + pounds) else { return nil }
        return (starts("\"\"\"", at: index + pounds) ? 3 : 1, pounds)
    }

    private func endOfBlockComment(from start: Int) -> Int {
        var depth = 0
        var index = start
        while index < bytes.count {
            if starts("/*", at: index) {
                depth += 1
                index += 2
            } else if starts("*/", at: index) {
                depth -= 1
                index += 2
                if depth == 0 { return index }
            } else {
                index += 1
            }
        }
        return bytes.count
    }

    private mutating func blank(_ range: Range<Int>) {
        for index in range where bytes[index] != UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
    }
}
