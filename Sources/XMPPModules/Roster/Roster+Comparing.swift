package import XMPPCore

/// Two rosters side by side: what is the same costs no text of its own.
extension Roster {
    /// What is another than it was, or new, as it is now; and who is not there any more.
    package func compared(with before: Roster) -> (changed: [RosterItem], gone: [BareJID]) {
        var pairing = Pairing(self, before)
        var changed: [RosterItem] = []
        var found = 0
        for slot in slots {
            guard let old = pairing.slot(of: slot) else {
                changed.append(item(at: slot))
                continue
            }
            found += 1
            if !pairing.isSame(slot, old) { changed.append(item(at: slot)) }
        }
        guard found < before.count else { return (changed, []) }
        return (changed, before.slots.lazy.map { before.jid(at: $0) }.filter { !contains($0) })
    }

    /// Numbers of domains and groups mean something else in each roster.
    private struct Pairing {
        let now: Roster
        let before: Roster
        /// For each domain its number before.
        private let domains: [UInt32?]
        /// For each combination of groups that of before which was last seen to be the same.
        private var groups: [UInt32?]

        init(_ now: Roster, _ before: Roster) {
            (self.now, self.before) = (now, before)
            domains = now.domains.map { before.domainNumbers[DomainName(prepared: $0)] }
            groups = Array(repeating: nil, count: now.groups.count)
        }

        /// Where the contact stood before.
        func slot(of slot: Int) -> Int? {
            let entry = now.entries[slot]
            guard let domain = domains[Int(entry.domain)] else { return nil }
            return now.text.withUnsafeBytes { text in
                before.slot(of: Roster.bytes(text, entry.text, UInt32(entry.local)), domain)
            }
        }

        mutating func isSame(_ slot: Int, _ old: Int) -> Bool {
            let (entry, other) = (now.entries[slot], before.entries[old])
            guard entry.flags == other.flags, entry.name == other.name else { return false }
            let hasName = now.text.withUnsafeBytes { text in
                before.text.withUnsafeBytes { old in
                    sameBytes(
                        Roster.bytes(text, entry.text + UInt32(entry.local), entry.name),
                        Roster.bytes(old, other.text + UInt32(other.local), other.name))
                }
            }
            return hasName && hasSameGroups(entry.groups, other.groups)
        }

        private mutating func hasSameGroups(_ number: UInt32, _ old: UInt32) -> Bool {
            if groups[Int(number)] == old { return true }
            let (names, others) = (now.groups.groups(number), before.groups.groups(old))
            guard names.count == others.count, zip(names, others).allSatisfy({ sameBytes($0, $1) }) else {
                return false
            }
            groups[Int(number)] = old
            return true
        }
    }
}
