/// The candidate that someone probably meant: nearest by single-letter changes and swaps, and near enough.
package func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
    let letters = Array(word.lowercased().unicodeScalars.prefix(64))
    // One slip for each three letters, at least one; a word of one letter means nothing.
    guard letters.count > 1 else { return nil }
    let limit = max(1, min(3, letters.count / 3))
    let near = candidates.map { ($0, distance(letters, Array($0.unicodeScalars))) }.filter { $0.1 <= limit }
    if let best = near.min(by: { ($0.1, $0.0) < ($1.1, $1.0) }) { return best.0 }
    let longer = candidates.filter { letters.count > 2 && $0.unicodeScalars.starts(with: letters) }
    return longer.count == 1 ? longer.first : nil
}

/// Optimal string alignment: insertions, removals, changes, and swaps of neighbours.
private func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
        var current = [row]
        for column in 1...right.count {
            let isSame = left[row - 1] == right[column - 1]
            var cost = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                cost = min(cost, beforeLast[column - 2] + 1)
            }
            current.append(cost)
        }
        (beforeLast, last) = (last, current)
    }
    return last[right.count]
}
