/// A pattern in which `*` stands for any run of characters, also an empty one.
///
/// It is matched against one part of an address, so `*` cannot cross the `@`. Each piece is looked for once, from
/// where the one before it ended: no backtracking, whatever the text.
struct Wildcard: Hashable, Sendable {
    private let first: [UInt8]
    private let middle: [[UInt8]]
    private let last: [UInt8]

    /// Joins prepared pieces with a `*` between each two of them; nil for fewer than two.
    init?(pieces: [String]) {
        guard pieces.count >= 2, let first = pieces.first, let last = pieces.last else { return nil }
        self.first = Array(first.utf8)
        self.last = Array(last.utf8)
        middle = pieces.dropFirst().dropLast().filter { !$0.isEmpty }.map { Array($0.utf8) }
    }

    /// Whether it matches everything.
    var isUniversal: Bool { first.isEmpty && middle.isEmpty && last.isEmpty }

    func matches(_ text: String) -> Bool {
        if isUniversal { return true }
        let bytes = Array(text.utf8)
        guard bytes.count >= first.count + last.count, bytes.starts(with: first),
            bytes.suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = bytes[first.count..<(bytes.count - last.count)]
        for piece in middle {
            guard let found = ByteSearch.firstRange(of: piece, in: rest) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
