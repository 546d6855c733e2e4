import XMPPCore

/// The resources that are available, in little memory: some 80 bytes each.
struct PresenceTable: Sendable {
    private struct Entry: Sendable {
        let contact: BareJID
        /// Empty is a presence of the bare address itself (gateways).
        var resource: String
        /// What few say, so that it costs nothing where it is not said.
        var details: PresenceDetails?
        /// Since 1970.
        var seconds: UInt32
        /// The next entry of the same contact, or the next free one.
        var next: UInt32
        var priority: Int8
        var show: ResourcePresence.Show
    }

    /// What a resource takes, beside a text that does not fit in 15 bytes and four bytes or so of the index.
    static let bytesOfOne = MemoryLayout<Entry>.stride

    private static let end: UInt32 = .max

    private var entries: [Entry] = []
    /// The first entry of each contact.
    private var index = SlotIndex()
    private var free = PresenceTable.end
    /// How many resources there are.
    private(set) var count = 0

    /// How many people have some.
    var people: Int { index.count }

    /// The resources of somebody, the oldest first.
    func resources(of contact: BareJID) -> [(resource: String?, presence: ResourcePresence)] {
        var found: [(resource: String?, presence: ResourcePresence)] = []
        forEach(of: contact) { entry in
            found.append((entry.resource.isEmpty ? nil : entry.resource, Self.presence(entry)))
        }
        return found
    }

    /// The one to talk to: of those that want messages.
    func primary(of contact: BareJID) -> (resource: String?, presence: ResourcePresence)? {
        var best: (resource: String?, presence: ResourcePresence)?
        forEach(of: contact) { entry in
            let presence = Self.presence(entry)
            guard presence.priority >= 0, best.map({ presence.isBefore($0.presence) }) ?? true else { return }
            best = (entry.resource.isEmpty ? nil : entry.resource, presence)
        }
        return best
    }

    /// How ready somebody is by the best of all resources; nil where there are none.
    func show(of contact: BareJID) -> ResourcePresence.Show? {
        var (first, other): (ResourcePresence?, ResourcePresence.Show?) = (nil, nil)
        forEach(of: contact) { entry in
            let presence = Self.presence(entry)
            if presence.priority < 0 {
                other = Swift.min(other ?? presence.show, presence.show)
            } else if first.map({ presence.isBefore($0) }) ?? true {
                first = presence
            }
        }
        return first?.show ?? other
    }

    func isAvailable(_ contact: BareJID) -> Bool { first(of: contact) != nil }

    /// All of them.
    var all: [JID] {
        var all: [JID] = []
        for contact in contacts {
            forEach(of: contact) { entry in
                all.append(JID(bare: contact, preparedResource: entry.resource.isEmpty ? nil : entry.resource))
            }
        }
        return all
    }

    /// Who has some.
    var contacts: [BareJID] { index.slots.map { entries[$0].contact } }

    // MARK: Changing

    /// Puts one in, or in the place of what it said before.
    ///
    /// - Returns: Whether it was not there.
    mutating func set(_ jid: JID, _ presence: ResourcePresence) -> Bool {
        let entry = Entry(
            contact: jid.bare, resource: jid.resource ?? "",
            details: PresenceDetails(status: presence.status, idleSince: presence.idleSince),
            seconds: UInt32(clamping: presence.at.milliseconds / 1000), next: Self.end, priority: presence.priority,
            show: presence.show)
        if let slot = slot(of: jid) {
            let next = entries[slot].next
            entries[slot] = entry
            entries[slot].next = next
            return false
        }
        let slot = take(entry)
        if let last = last(of: jid.bare) {
            entries[last].next = UInt32(truncatingIfNeeded: slot)
        } else {
            insert(slot)
        }
        count += 1
        return true
    }

    /// - Returns: Whether it was there.
    mutating func remove(_ jid: JID) -> Bool {
        guard let first = first(of: jid.bare), let slot = slot(of: jid) else { return false }
        let next = entries[slot].next
        if slot == first {
            index.remove(first, Self.hash(jid.bare))
            if next != Self.end { insert(Int(next)) }
        } else {
            var before = first
            while Int(entries[before].next) != slot { before = Int(entries[before].next) }
            entries[before].next = next
        }
        giveBack(slot)
        return true
    }

    /// - Returns: How many somebody had.
    @discardableResult
    mutating func removeAll(of contact: BareJID) -> Int {
        guard let first = first(of: contact) else { return 0 }
        index.remove(first, Self.hash(contact))
        var removed = 0
        var slot = UInt32(truncatingIfNeeded: first)
        while slot != Self.end {
            let next = entries[Int(slot)].next
            giveBack(Int(slot))
            removed += 1
            slot = next
        }
        return removed
    }

    // MARK: Parts

    private static func presence(_ entry: Entry) -> ResourcePresence {
        ResourcePresence(
            priority: entry.priority, show: entry.show, status: entry.details?.status,
            idleSince: entry.details?.idleSince, at: Timestamp(milliseconds: Int64(entry.seconds) * 1000))
    }

    private static func hash(_ contact: BareJID) -> Int {
        var hasher = Hasher()
        contact.hash(into: &hasher)
        return hasher.finalize()
    }

    private func first(of contact: BareJID) -> Int? {
        index.find(Self.hash(contact)) { entries[$0].contact == contact }
    }

    private func forEach(of contact: BareJID, _ body: (Entry) -> Void) {
        var slot = first(of: contact).map { UInt32(truncatingIfNeeded: $0) } ?? Self.end
        while slot != Self.end {
            body(entries[Int(slot)])
            slot = entries[Int(slot)].next
        }
    }

    private func slot(of jid: JID) -> Int? {
        let resource = jid.resource ?? ""
        var slot = first(of: jid.bare)
        while let place = slot, !sameBytes(entries[place].resource, resource) {
            slot = entries[place].next == Self.end ? nil : Int(entries[place].next)
        }
        return slot
    }

    private func last(of contact: BareJID) -> Int? {
        guard var slot = first(of: contact) else { return nil }
        while entries[slot].next != Self.end { slot = Int(entries[slot].next) }
        return slot
    }

    private mutating func insert(_ slot: Int) {
        index.insert(slot, Self.hash(entries[slot].contact)) { [entries] in Self.hash(entries[$0].contact) }
    }

    private mutating func take(_ entry: Entry) -> Int {
        guard free != Self.end else {
            entries.appendSparingly(entry)
            return entries.count - 1
        }
        let slot = Int(free)
        free = entries[slot].next
        entries[slot] = entry
        return slot
    }

    private mutating func giveBack(_ slot: Int) {
        entries[slot].details = nil
        entries[slot].resource = ""
        entries[slot].next = free
        free = UInt32(truncatingIfNeeded: slot)
        count -= 1
    }
}
