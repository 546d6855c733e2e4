/// Finds the lines that may hold a secret, before anything is known of the file's structure.
enum SecretLines {
    private static let words = ["password", "passphrase"].map { Array($0.utf8) }
    private static let exactWords = ["passwd", "pass", "secret"].map { Array($0.utf8) }

    /// Lines that mention a secret, each with the deeper lines under it.
    static func blocks(in bytes: [UInt8], starts: [Int]) -> [ClosedRange<Int>] {
        var blocks: [ClosedRange<Int>] = []
        // The indentation of the last block's first line, while it goes on.
        var block: Int?
        for (index, start) in starts.enumerated() {
            let end = index + 1 < starts.count ? starts[index + 1] : bytes.count
            let line = bytes[start..<end]
            // A tab is deeper than anything: what it indents belongs to the line above, whatever was meant.
            let indentation = line.prefix { " -\t".utf8.contains($0) }.reduce(0) { $0 + ($1 == 0x09 ? 1_000 : 1) }
            let isBlank = line.allSatisfy { $0 <= 0x20 }
            if let open = block, isBlank || indentation > open, let last = blocks.popLast() {
                blocks.append(last.lowerBound...(index + 1))
                continue
            }
            block = nil
            if mentionsSecret(line) {
                blocks.append((index + 1)...(index + 1))
                block = indentation
            }
        }
        return blocks
    }

    /// Whether a key mentions a secret and says something else too: `password hunter2: x`.
    static func isMoreThanKey(_ key: some Collection<UInt8>) -> Bool {
        mentionsSecret(key) && !key.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
    }

    /// Whether a word is `password` or the like, or so near it that it may be misspelt.
    static func mentionsSecret(_ text: some Collection<UInt8>) -> Bool {
        let letters = text.split { byte in
            !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        return letters.contains { word in
            guard (4...12).contains(word.count) else { return false }
            let lowered = word.map { $0 | 0x20 }
            return exactWords.contains(lowered) || words.contains { EditDistance.between($0, lowered) <= 2 }
        }
    }
}
