/// Local parts and patterns: exact ones by hash, others one by one.
package struct LocalPartSet: ValueSet {
    private var exact: Set<PreparedText> = []
    private var others: Set<LocalPattern> = []

    package static var kind: ValueKind { .users }

    package init() {}

    package var isEmpty: Bool { exact.isEmpty && others.isEmpty }

    package mutating func insert(_ text: String) throws(PatternError) -> Bool {
        if PatternText.isRegularExpression(text) { throw .regularExpression }
        let pattern = try LocalPattern(text)
        switch pattern {
        case .exact(let local): return exact.insert(local).inserted
        case .wildcard: return others.insert(pattern).inserted
        }
    }

    /// Whether a prepared local part is among them.
    package func matches(_ local: String) -> Bool {
        exact.contains(PreparedText(local)) || others.contains { $0.matches(local) }
    }
}
