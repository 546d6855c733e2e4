/// One file as it was read: its bytes, and its lines for the faults.
struct SourceFile {
    /// As the user would name it.
    let path: String
    /// Symbolic links of its folder resolved.
    let absolutePath: String
    let bytes: [UInt8]
    /// Whether its faults may show a line that has to do with a password.
    let mayHoldSecrets: Bool
    private let starts: [Int]
    private let hidden: Set<Int>

    init(path: String, absolutePath: String, bytes: [UInt8], mayHoldSecrets: Bool) {
        self.path = path
        self.absolutePath = absolutePath
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

/// Finds the lines that may hold a secret, before anything is known of the file's structure.
enum SecretLines {
    private static let words = ["password", "passphrase"].map { Array($0.utf8) }
    private static let exactWords = ["passwd", "pass", "secret"].map { Array($0.utf8) }

    static func numbers(in bytes: [UInt8], starts: [Int]) -> Set<Int> {
        var hidden: Set<Int> = []
        // The indentation of the key under which everything is hidden.
        var block: Int?
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1] : bytes.count
            let line = bytes[start..<end]
            // A tab is deeper than anything: what it indents belongs to the line above, whatever was meant.
            let indentation = line.prefix { " -\t".utf8.contains($0) }.reduce(0) { $0 + ($1 == 0x09 ? 1_000 : 1) }
            let isBlank = line.allSatisfy { $0 <= 0x20 }
            if let open = block, isBlank || indentation > open {
                hidden.insert(index + 1)
                continue
            }
            block = nil
            if mentionsSecret(line) {
                hidden.insert(index + 1)
                block = indentation
            }
        }
        return hidden
    }

    /// Whether a word is `password` or the like, or so near it that it may be misspelt.
    private static func mentionsSecret(_ line: ArraySlice<UInt8>) -> Bool {
        let letters = line.split { byte in
            !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        return letters.contains { word in
            guard (4...12).contains(word.count) else { return false }
            let lowered = word.map { $0 | 0x20 }
            return exactWords.contains(lowered) || words.contains { EditDistance.between($0, lowered) <= 2 }
        }
    }
}
