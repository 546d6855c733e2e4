/// One file as it was read: its bytes, and its lines for the faults.
struct SourceFile {
    /// As faults show it.
    let path: String
    /// As it was opened; paths in it are relative to its folder.
    let openedPath: String
    /// Symbolic links of its folder resolved.
    let absolutePath: String
    let bytes: [UInt8]
    /// Whether its faults may show a line that has to do with a password.
    let mayHoldSecrets: Bool
    private let starts: [Int]
    /// Lines that mention a secret, with what stands below them.
    private let secretBlocks: [ClosedRange<Int>]
    /// Lines that must not be shown.
    private var hidden: Set<Int>
    /// Lines that mention a secret and hold none; a comment on them may do so.
    private var shownWithoutComment: Set<Int> = []
    /// Where the values begin that may be secrets; nil as long as the file's structure is not known.
    private var secretMarks: Set<YAMLMark>?

    init(openedPath: String, bytes: [UInt8], mayHoldSecrets: Bool) {
        self.openedPath = openedPath
        path = FilePath.shown(openedPath)
        absolutePath = FilePath.absolute(openedPath)
        self.bytes = bytes
        self.mayHoldSecrets = mayHoldSecrets
        var starts = [0]
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            starts.append(end + 1)
            rest = bytes[(end + 1)...]
        }
        self.starts = starts
        secretBlocks = mayHoldSecrets ? SecretLines.blocks(in: bytes, starts: starts) : []
        hidden = Set(secretBlocks.joined())
    }

    /// The same file, where its structure tells which of the lines that mention a secret hold one.
    ///
    /// - Parameter root: Everything that the file says: nothing of it was left out.
    /// - Returns: The file with its other lines shown, and its other values quoted.
    func revealing(_ root: YAMLNode) -> SourceFile {
        guard mayHoldSecrets else { return self }
        let secrets = SecretValues(of: root)
        var file = self
        // A value may go on below the line that it begins on.
        let blocks = secretBlocks.filter { block in block.contains { secrets.lines.contains($0) } }
        file.hidden = secrets.lines.union(blocks.joined())
        file.shownWithoutComment = hidden.subtracting(file.hidden)
        file.secretMarks = secrets.marks
        return file
    }

    /// Whether a line must not be shown.
    func hides(_ line: Int) -> Bool { hidden.contains(line) }

    /// Whether the value at a place may be a secret, and must not be quoted in a message.
    func hidesValue(at mark: YAMLMark) -> Bool { secretMarks?.contains(mark) ?? hides(mark.line) }

    /// The text of a line, counted from 1; nil where there is none, or where it may hold a secret.
    func line(_ number: Int) -> String? {
        guard number >= 1, number <= starts.count, !hides(number) else { return nil }
        var bytes = bytesOfLine(number)
        if shownWithoutComment.contains(number) {
            let comment = bytes.indices.first { index in
                bytes[index] == UInt8(ascii: "#") && (index == bytes.startIndex || bytes[index - 1] <= 0x20)
            }
            if let comment { bytes = bytes[..<comment] }
            while let last = bytes.last, last <= 0x20 { bytes = bytes.dropLast() }
            if bytes.isEmpty { return nil }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The scalar at a place, also of a hidden line; nil behind the line's end.
    func scalar(at mark: YAMLMark) -> Unicode.Scalar? {
        guard mark.line >= 1, mark.line <= starts.count, mark.column >= 1 else { return nil }
        let scalars = String(decoding: bytesOfLine(mark.line), as: UTF8.self).unicodeScalars
        guard
            let index = scalars.index(scalars.startIndex, offsetBy: mark.column - 1, limitedBy: scalars.endIndex),
            index != scalars.endIndex
        else { return nil }
        return scalars[index]
    }

    /// The place of a byte; a column counts Unicode scalars.
    func mark(ofByte offset: Int) -> YAMLMark {
        let offset = min(max(offset, 0), bytes.count)
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        let before = String(decoding: bytes[starts[low]..<offset], as: UTF8.self)
        return YAMLMark(line: low + 1, column: before.unicodeScalars.count + 1)
    }

    /// Where a line begins, as an offset of bytes.
    func startOfLine(_ number: Int) -> Int { starts[min(max(number, 1), starts.count) - 1] }

    private func bytesOfLine(_ number: Int) -> ArraySlice<UInt8> {
        let start = starts[number - 1]
        let end = number < starts.count ? starts[number] - 1 : bytes.count
        var line = bytes[start..<max(start, end)]
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        return line
    }
}

extension SourceFile {
    private static let yamlLimit = 1_048_576

    /// Reads a YAML file, or reports why it cannot be read.
    static func yaml(_ path: String, mayHoldSecrets: Bool, faults: FaultCollector) -> SourceFile? {
        do {
            let bytes = try FileLoading.bytes(of: path, limit: yamlLimit)
            return SourceFile(openedPath: path, bytes: bytes, mayHoldSecrets: mayHoldSecrets)
        } catch {
            let kind = if case .tooLarge = error { FaultCatalogue.fileTooLarge } else { FaultCatalogue.fileUnreadable }
            faults.report(kind, path: FilePath.shown(path), "the file cannot be read: \(error.words)")
            return nil
        }
    }
}
