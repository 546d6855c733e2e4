/// Text that is safe to write to a terminal, with styles that are dropped where there is none.
///
/// Literals are ours and stand as they are. Everything interpolated into one is a value, perhaps a stranger's, and is
/// shown by `visible(_:)`; only another `TerminalText` goes in as it is. Nothing is printed that is not of this type.
package struct TerminalText: Hashable, Sendable {
    /// How a piece looks on a terminal.
    package enum Style: Hashable, Sendable {
        case plain, bold, dim, good, warning, bad
        /// What is light is light and what is dark is dark, whatever the terminal's own colours are.
        case code

        var code: String {
            switch self {
            case .plain: "0"
            case .bold: "1"
            case .dim: "2"
            case .good: "32"
            case .warning: "33"
            case .bad: "31"
            case .code: "97;40"
            }
        }
    }

    struct Piece: Hashable, Sendable {
        var text: String
        var style: Style
    }

    private(set) var pieces: [Piece]

    private init(pieces: [Piece]) { self.pieces = pieces }

    /// A value as text, made safe.
    package init(_ value: String) { self.init(pieces: [Piece(text: visible(value), style: .plain)]) }

    /// The same text in a style.
    package func styled(_ style: Style) -> TerminalText {
        TerminalText(pieces: pieces.map { Piece(text: $0.text, style: style) })
    }

    package var isEmpty: Bool { pieces.allSatisfy { $0.text.isEmpty } }

    /// The width in columns.
    package var columns: Int {
        pieces.reduce(0) { $0 + $1.text.unicodeScalars.reduce(0) { $0 + $1.columns } }
    }

    /// The text for a terminal with colours, or for anything else.
    package func rendered(colours: Bool) -> String {
        pieces.reduce(into: "") { text, piece in
            if colours, piece.style != .plain, !piece.text.isEmpty {
                text += "\u{1B}[\(piece.style.code)m" + piece.text + "\u{1B}[0m"
            } else {
                text += piece.text
            }
        }
    }

    package static func + (left: TerminalText, right: TerminalText) -> TerminalText {
        TerminalText(pieces: left.pieces + right.pieces)
    }

    package static func += (left: inout TerminalText, right: TerminalText) { left.pieces += right.pieces }

    /// Filled with blanks up to a width.
    package func padded(to width: Int, right: Bool = false) -> TerminalText {
        let blanks = TerminalText.blanks(max(0, width - columns))
        return right ? blanks + self : self + blanks
    }

    package static func blanks(_ count: Int) -> TerminalText {
        TerminalText(pieces: [Piece(text: String(repeating: " ", count: count), style: .plain)])
    }

    /// Our own words, computed: never a value from outside.
    static func words(_ text: String) -> TerminalText { TerminalText(pieces: [Piece(text: text, style: .plain)]) }
}

extension TerminalText: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { self = .words(value) }

    package init(stringInterpolation: Interpolation) { self.init(pieces: stringInterpolation.pieces) }

    package struct Interpolation: StringInterpolationProtocol {
        var pieces: [Piece] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            pieces.append(Piece(text: literal, style: .plain))
        }

        package mutating func appendInterpolation(_ value: String) {
            pieces.append(Piece(text: visible(value), style: .plain))
        }

        package mutating func appendInterpolation(_ value: some BinaryInteger) {
            pieces.append(Piece(text: String(value), style: .plain))
        }

        package mutating func appendInterpolation(_ text: TerminalText) { pieces += text.pieces }
    }
}

/// A value cut to a width, with "…" where something is missing, and made safe.
///
/// It is cut after it was made safe, and never inside a `\u{…}`.
package func cut(_ value: String, to width: Int) -> TerminalText {
    let whole = TerminalText(value)
    guard whole.columns > width else { return whole }
    var kept = ""
    var used = 0
    for piece in visiblePieces(value) {
        let columns = TerminalText.words(piece).columns
        // One column is for the "…" itself.
        guard used + columns <= width - 1 else { break }
        kept += piece
        used += columns
    }
    return .words(kept) + .words(used < width ? "…" : "")
}

/// An address cut in its middle: the domain's end, which says who vouches for it, stays.
package func cutAddress(_ address: String, to width: Int) -> TerminalText {
    let shown = Array(visible(address).unicodeScalars)
    guard TerminalText(address).columns > width, width > 4 else { return TerminalText(address) }
    let tail = min(shown.count, width / 2)
    let head = max(0, width - tail - 1)
    // Wide characters could still be too many; then the plain cut is right.
    var text = ""
    text.unicodeScalars.append(contentsOf: shown.prefix(head))
    text += "…"
    text.unicodeScalars.append(contentsOf: shown.suffix(tail))
    let joined = TerminalText.words(text)
    return joined.columns <= width ? joined : cut(address, to: width)
}

/// A number with its word in the right form; the words are ours.
func counted(_ count: Int, _ one: TerminalText, _ more: TerminalText) -> TerminalText {
    "\(count) \(count == 1 ? one : more)"
}
