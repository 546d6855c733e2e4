package import XMPPCore

/// Bare addresses and patterns: exact ones by hash, `*@domain` and `*@*.domain` by the domain's hash, others one by one.
package struct AddressSet: ValueSet {
    private var exact: Set<BareJID> = []
    /// Domains all of whose accounts match.
    private var domains: Set<PreparedText> = []
    /// Domains below which all accounts match.
    private var parents: Set<PreparedText> = []
    private var others: Set<AddressPattern> = []

    package static var kind: ValueKind { .addresses }

    package init() {}

    package var isEmpty: Bool { exact.isEmpty && domains.isEmpty && parents.isEmpty && others.isEmpty }

    package mutating func insert(_ text: String) throws(PatternError) -> Bool {
        let pattern = try AddressPattern(text)
        switch pattern {
        case .exact(let address): return exact.insert(address).inserted
        case .account(.wildcard(let local), .exact(let domain)) where local.isUniversal:
            return domains.insert(domain).inserted
        case .account(.wildcard(let local), .below(let parent)) where local.isUniversal:
            return parents.insert(parent).inserted
        case .account, .server: return others.insert(pattern).inserted
        }
    }

    package func matches(_ address: BareJID) -> Bool {
        if exact.contains(address) { return true }
        if address.local != nil {
            if !domains.isEmpty, domains.contains(PreparedText(address.domain)) { return true }
            if !parents.isEmpty, DomainPattern.parents(of: address.domain).contains(where: parents.contains) {
                return true
            }
        }
        return others.contains { $0.matches(address) }
    }
}
