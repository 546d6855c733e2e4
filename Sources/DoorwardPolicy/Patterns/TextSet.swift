/// Texts to look for in a message, without regard to case.
package struct TextSet: ValueSet {
    private var texts: Set<FoldedText> = []

    package static var kind: ValueKind { .texts }

    package init() {}

    package var isEmpty: Bool { texts.isEmpty }
    package var count: Int { texts.count }

    package mutating func insert(_ text: String) throws(PatternError) -> Bool {
        guard !text.isEmpty else { throw .empty }
        return texts.insert(FoldedText(text)).inserted
    }

    func isFound(in message: FoldedText) -> Bool {
        texts.contains { message.contains($0) }
    }
}

/// A text without its case.
struct FoldedText: Hashable, Sendable {
    let bytes: [UInt8]
    /// The folded text where it is not ASCII, for comparing what is canonically the same: é and e with U+0301.
    private let characters: [Character]?

    init(_ text: String) {
        let folded = FoldedText.folded(text)
        bytes = Array(folded.utf8)
        characters = bytes.allSatisfy { $0 < 0x80 } ? nil : Array(folded)
    }

    /// The text with each scalar folded by Unicode's case mappings.
    ///
    /// Down first, since ẞ has no upper case of its own but a lower one; then up, so that ß meets SS and the final ς
    /// meets σ; then down again.
    private static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        var folded = ""
        for scalar in text.unicodeScalars {
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                for upper in lower.properties.uppercaseMapping.unicodeScalars {
                    folded += upper.properties.lowercaseMapping
                }
            }
        }
        return folded
    }

    func contains(_ other: FoldedText) -> Bool {
        if ByteSearch.firstRange(of: other.bytes, in: bytes[...]) != nil { return true }
        guard let characters, let wanted = other.characters, let head = wanted.first,
            characters.count >= wanted.count
        else { return false }
        return (0...(characters.count - wanted.count))
            .contains { start in
                characters[start] == head && characters[start..<(start + wanted.count)].elementsEqual(wanted)
            }
    }
}
