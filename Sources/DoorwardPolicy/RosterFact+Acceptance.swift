extension RosterFact.Subscription {
    /// Whether the contact sees the account.
    package var hasFrom: Bool { self == .from || self == .both }
    /// Whether the account sees the contact.
    package var hasTo: Bool { self == .to || self == .both }
}

extension RosterFact {
    /// Whether the item already has what an accept sets.
    package func shows(_ acceptance: Acceptance) -> Bool {
        let groups = Set(groups.map { Array($0.utf8) })
        guard acceptance.groups.allSatisfy({ groups.contains(Array($0.utf8)) }) else { return false }
        guard let wished = acceptance.name else { return true }
        return name.map { $0.utf8.elementsEqual(wished.utf8) } ?? false
    }
}
