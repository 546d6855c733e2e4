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
    private let hidden: Set<Int>

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
        hidden = mayHoldSecrets ? SecretLines.numbers(in: bytes, starts: starts) : []
    }

    /// Whether a line must not be shown, nor quoted in a message.
    func hides(_ line: Int) -> Bool { hidden.contains(line) }

    /// The text of a line, counted from 1; nil where there is none, or where it may hold a secret.
    func line(_ number: Int) -> String? {
        guard number >= 1, number <= starts.count, !hides(number) else { return nil }
        return String(decoding: bytesOfLine(number), as: UTF8.self)
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
