import CQREncode

/// A QR code (ISO/IEC 18004) as rows of modules, and as lines for a terminal.
struct QRCode {
    /// Whether each module is dark, row by row.
    let modules: [[Bool]]

    /// Encodes a text with error correction of level M; nil where it is too long for any code.
    ///
    /// - Parameter text: What it says, in UTF-8.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let size = Int32(exactly: bytes.count), size > 0,
            let code = QRcode_encodeData(size, bytes, 0, QR_ECLEVEL_M)
        else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard width > 0, let data = code.pointee.data else { return nil }
        let cells = Array(UnsafeBufferPointer(start: data, count: width * width))
        // The lowest bit is the module's colour.
        modules = (0..<width).map { row in (0..<width).map { cells[row * width + $0] & 1 == 1 } }
    }

    /// Light modules around it, which readers need (section 6.3.8).
    private static let quiet = 4

    /// Two modules a character, one above the other; light ones are drawn, since terminals without
    /// colours are dark more often than not.
    ///
    /// - Parameter width: The columns that there are.
    /// - Returns: The lines; none where they do not fit.
    func lines(width: Int) -> [TerminalText] {
        let side = modules.count + 2 * Self.quiet
        guard side <= width else { return [] }
        return stride(from: 0, to: side, by: 2).map { row in
            let characters = (0..<side).map { column -> String in
                switch (isLight(row, column), isLight(row + 1, column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return TerminalText.words(characters.joined()).styled(.code)
        }
    }

    private func isLight(_ row: Int, _ column: Int) -> Bool {
        let (y, x) = (row - Self.quiet, column - Self.quiet)
        guard modules.indices.contains(y), modules.indices.contains(x) else { return true }
        return !modules[y][x]
    }
}
