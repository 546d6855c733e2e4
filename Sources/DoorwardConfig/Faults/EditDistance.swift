/// How near two words are, for "did you mean".
package enum EditDistance {
    /// The nearest of some words where it is near enough to be meant.
    static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        let limit = max(1, min(3, word.utf8.count / 3))
        guard word.utf8.count <= 64 else { return nil }
        var best: (word: String, distance: Int)?
        for candidate in words {
            let distance = between(Array(word.lowercased().utf8), Array(candidate.lowercased().utf8))
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// Insertions, removals, exchanges, and swaps of neighbours (optimal string alignment).
    package static func between(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in 1...left.count {
            var row = [i]
            row.reserveCapacity(right.count + 1)
            for j in 1...right.count {
                let same = left[i - 1] == right[j - 1]
                var cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1))
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    cost = min(cost, beforeLast[j - 2] + 1)
                }
                row.append(cost)
            }
            beforeLast = last
            last = row
        }
        return last[right.count]
    }
}
