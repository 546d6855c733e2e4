import XMPPCore

/// The slots of a roster in the order in which people read it.
///
/// The key of a contact is its folded name, then its address, all as bytes; in front of it, where that is wanted, how ready
/// the contact is. A change moves one slot and sorts nothing.
struct RosterOrder: Sendable {
    /// Bytes of a name that count.
    static let nameLimit = 256
    /// Behind the readinesses: not there.
    static let offline = UInt8(ResourcePresence.Show.allCases.count)

    let isByPresence: Bool
    /// Sorted.
    private(set) var slots: [UInt32]
    /// How ready the contact of each slot of the roster is.
    private(set) var ranks: [UInt8]

    /// Sorts all.
    init(_ roster: Roster, isByPresence: Bool, rank: (BareJID) -> UInt8) {
        self.isByPresence = isByPresence
        var ranks = [UInt8](repeating: Self.offline, count: roster.entries.count)
        var keyed: [(key: [UInt8], slot: UInt32)] = []
        keyed.reserveCapacity(roster.count)
        for slot in roster.slots {
            ranks[slot] = rank(roster.jid(at: slot))
            let key = Self.key(roster, slot, isByPresence ? ranks[slot] : nil)
            keyed.append((key, UInt32(truncatingIfNeeded: slot)))
        }
        keyed.sort { $0.key.lexicographicallyPrecedes($1.key) }
        slots = keyed.map(\.slot)
        self.ranks = ranks
    }

    /// Takes a slot out; the roster still has it as it was.
    mutating func remove(_ slot: Int, _ roster: Roster) {
        let place = place(of: slot, roster)
        guard place < slots.count, Int(slots[place]) == slot else { return }
        slots.remove(at: place)
    }

    /// Puts in a slot, that the roster has by now, unless it is there.
    mutating func insert(_ slot: Int, _ roster: Roster, rank: UInt8) {
        if slot >= ranks.count {
            ranks += [UInt8](repeating: Self.offline, count: slot + 1 - ranks.count)
        }
        ranks[slot] = rank
        let place = place(of: slot, roster)
        if place < slots.count, Int(slots[place]) == slot { return }
        slots.insert(UInt32(truncatingIfNeeded: slot), at: place)
    }

    /// A contact is readier, or less so.
    mutating func setRank(_ slot: Int, _ rank: UInt8, _ roster: Roster) {
        guard slot < ranks.count, ranks[slot] != rank else { return }
        guard isByPresence else {
            ranks[slot] = rank
            return
        }
        remove(slot, roster)
        insert(slot, roster, rank: rank)
    }

    func rank(of slot: Int) -> UInt8 { slot < ranks.count ? ranks[slot] : Self.offline }

    /// Where a slot stands, or would.
    private func place(of slot: Int, _ roster: Roster) -> Int {
        let key = key(roster, slot)
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            let other = Int(slots[middle])
            if other == slot { return middle }
            if self.key(roster, other).lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func key(_ roster: Roster, _ slot: Int) -> [UInt8] {
        Self.key(roster, slot, isByPresence ? rank(of: slot) : nil)
    }

    private static func key(_ roster: Roster, _ slot: Int, _ rank: UInt8?) -> [UInt8] {
        let jid = roster.jid(at: slot)
        let name = roster.name(at: slot) ?? jid.local ?? jid.domain
        return (rank.map { [$0] } ?? []) + name.folded(limit: nameLimit) + [0] + jid.description.utf8
    }
}
