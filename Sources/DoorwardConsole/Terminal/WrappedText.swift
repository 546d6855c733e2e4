/// A value over several lines, made safe: broken at blanks where there are some, and behind its own line ends.
///
/// A line end of the value itself is shown as `\u{A}` like every control, so that it is not taken for one of ours.
struct WrappedText {
    private(set) var lines: [TerminalText] = []
    /// Characters that stand in no line, since there are too many.
    private(set) var left = 0

    /// - Parameters:
    ///   - value: Perhaps a stranger's.
    ///   - width: The columns of a line, at least 10.
    ///   - limit: The most lines.
    init(_ value: String, width: Int, limit: Int = .max) {
        let pieces = visiblePieces(value)
        var start = 0
        while start < pieces.count {
            guard lines.count < limit else {
                left = pieces.count - start
                return
            }
            let end = Self.end(of: pieces, from: start, width: max(10, width))
            lines.append(.words(pieces[start..<end].joined()))
            start = end
        }
    }

    /// Where a line ends that begins at `start`; always behind at least one piece.
    private static func end(of pieces: [String], from start: Int, width: Int) -> Int {
        var used = 0
        var blank: Int?
        for index in start..<pieces.count {
            used += pieces[index].unicodeScalars.reduce(0) { $0 + $1.columns }
            if used > width, index > start { return blank ?? index }
            if pieces[index] == " " { blank = index + 1 }
            if pieces[index] == "\\u{A}" { return index + 1 }
        }
        return pieces.count
    }
}
