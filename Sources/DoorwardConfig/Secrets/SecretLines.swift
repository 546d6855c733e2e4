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
