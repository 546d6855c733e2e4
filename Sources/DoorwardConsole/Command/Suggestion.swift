import DoorwardConfig

/// The candidate that someone probably meant: nearest by single-letter changes and swaps, and near enough.
package func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
    let letters = Array(word.lowercased().utf8.prefix(64))
    // One slip for each three letters, at least one; a word of one letter means nothing.
    guard letters.count > 1 else { return nil }
    let limit = max(1, min(3, letters.count / 3))
    let near = candidates.map { ($0, EditDistance.between(letters, Array($0.utf8))) }.filter { $0.1 <= limit }
    if let best = near.min(by: { ($0.1, $0.0) < ($1.1, $1.0) }) { return best.0 }
    let longer = candidates.filter { letters.count > 2 && $0.utf8.starts(with: letters) }
    return longer.count == 1 ? longer.first : nil
}
