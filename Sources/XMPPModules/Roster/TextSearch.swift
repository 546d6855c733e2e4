import XMPPCore

/// Looks for a text in others, without regard to case; each byte is looked at a bounded number of times, whatever is looked
/// for (Knuth, Morris, Pratt).
struct TextSearch {
    /// Bytes of a text in which is searched, and of what is searched for.
    static let limit = 1024

    private let needle: [UInt8]
    /// For each beginning of the needle how long the longest one is that also ends it.
    private let borders: [Int]

    /// - Parameter text: What is looked for; empty is in every text.
    init(_ text: String) {
        needle = text.folded(limit: Self.limit)
        var borders: [Int] = []
        borders.reserveCapacity(needle.count)
        var length = 0
        for (index, byte) in needle.enumerated() {
            guard index > 0 else {
                borders.append(0)
                continue
            }
            while length > 0, needle[length] != byte { length = borders[length - 1] }
            if needle[length] == byte { length += 1 }
            borders.append(length)
        }
        self.borders = borders
    }

    /// Whether it is in that text.
    func isIn(_ text: String) -> Bool {
        guard !needle.isEmpty else { return true }
        var length = 0
        for byte in text.folded(limit: Self.limit) {
            while length > 0, needle[length] != byte { length = borders[length - 1] }
            if needle[length] == byte { length += 1 }
            if length == needle.count { return true }
        }
        return false
    }
}
