/// Domains and patterns: exact ones and `*.domain` by hash, others one by one.
package struct DomainSet: ValueSet {
    private var exact: Set<PreparedText> = []
    private var parents: Set<PreparedText> = []
    private var others: Set<DomainPattern> = []

    package static var kind: ValueKind { .domains }

    package init() {}

    package var isEmpty: Bool { exact.isEmpty && parents.isEmpty && others.isEmpty }

    package mutating func insert(_ text: String) throws(PatternError) -> Bool {
        if PatternText.isRegularExpression(text) { throw .regularExpression }
        let pattern = try DomainPattern(text)
        switch pattern {
        case .exact(let domain): return exact.insert(domain).inserted
        case .below(let parent): return parents.insert(parent).inserted
        case .wildcard: return others.insert(pattern).inserted
        }
    }

    /// Whether a prepared domain is among them.
    package func matches(_ domain: String) -> Bool {
        if exact.contains(PreparedText(domain)) { return true }
        if !parents.isEmpty, DomainPattern.parents(of: domain).contains(where: parents.contains) { return true }
        return others.contains { $0.matches(domain) }
    }
}
