import XMPPCore

/// How the items are kept: in slots, whose numbers stay the same while an item is there.
extension Roster {
    /// Bytes of the blocks that it holds, without what groups and domains take.
    var heldBytes: Int {
        entries.capacity * MemoryLayout<Entry>.stride + text.capacity + index.heldBytes + freeSlots.capacity * 4
            + groups.count * 64
    }

    // MARK: Slots

    /// The slots in use.
    var slots: some Sequence<Int> { entries.indices.lazy.filter { entries[$0].flags.contains(.isUsed) } }

    func slot(of jid: BareJID) -> Int? {
        guard let domain = domainNumbers[jid.domainName] else { return nil }
        var local = jid.local ?? ""
        return local.withUTF8 { slot(of: UnsafeRawBufferPointer($0), domain) }
    }

    func slot(of local: UnsafeRawBufferPointer, _ domain: UInt32) -> Int? {
        slot(of: local, domain, Self.hash(local, domain))
    }

    func slot(of local: UnsafeRawBufferPointer, _ domain: UInt32, _ hash: Int) -> Int? {
        text.withUnsafeBytes { text in
            index.find(hash) { slot in
                let entry = entries[slot]
                guard entry.domain == domain, Int(entry.local) == local.count else { return false }
                return sameBytes(Self.bytes(text, entry.text, UInt32(entry.local)), local)
            }
        }
    }

    func item(at slot: Int) -> RosterItem {
        let entry = entries[slot]
        return RosterItem(
            jid: jid(at: slot), name: name(at: slot), subscription: entry.flags.subscription,
            asked: entry.flags.contains(.asked), groups: groups.groups(entry.groups),
            isApproved: entry.flags.contains(.approved))
    }

    func jid(at slot: Int) -> BareJID {
        let entry = entries[slot]
        let local = entry.local == 0 ? nil : string(from: Int(entry.text), count: Int(entry.local))
        return BareJID(preparedLocal: local, preparedDomain: domains[Int(entry.domain)])
    }

    func name(at slot: Int) -> String? {
        let entry = entries[slot]
        return entry.name == 0 ? nil : string(from: Int(entry.text) + Int(entry.local), count: Int(entry.name))
    }

    // MARK: Parts

    static func bytes(_ text: UnsafeRawBufferPointer, _ start: UInt32, _ count: UInt32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[Int(start)..<Int(start) + Int(count)])
    }

    private func string(from start: Int, count: Int) -> String {
        String(decoding: text[start..<start + count], as: UTF8.self)
    }

    mutating func append(_ local: String, _ name: String) -> UInt32 {
        let start = UInt32(truncatingIfNeeded: text.count)
        let needed = text.count + local.utf8.count + name.utf8.count
        // A quarter of room: there are many rosters, and they seldom change.
        if needed > text.capacity { text.reserveCapacity(needed + Swift.max(256, needed / 4)) }
        text.append(contentsOf: local.utf8)
        text.append(contentsOf: name.utf8)
        return start
    }

    mutating func number(of domain: String) -> UInt32 {
        let name = DomainName(prepared: domain)
        if let number = domainNumbers[name] { return number }
        let number = UInt32(truncatingIfNeeded: domains.count)
        domains.append(domain)
        domainNumbers[name] = number
        return number
    }

    static func hash(of entry: Entry, in text: [UInt8]) -> Int {
        text.withUnsafeBytes { hash(bytes($0, entry.text, UInt32(entry.local)), entry.domain) }
    }

    static func hash(_ local: UnsafeRawBufferPointer, _ domain: UInt32) -> Int {
        var hasher = Hasher()
        hasher.combine(domain)
        hasher.combine(bytes: local)
        return hasher.finalize()
    }

    /// What changes leave behind is less than what there is: nobody makes it grow by renaming for ever.
    mutating func compactIfWorth() {
        let bound = 2 * count + 64
        guard waste > Swift.max(4096, text.count / 2) || groups.count > bound || domains.count > bound else { return }
        let old = self
        (text, waste, domains, domainNumbers, groups) = ([], 0, [], [:], GroupTable())
        index = SlotIndex()
        index.reserve(old.count) { _ in 0 }
        for slot in old.slots {
            let item = old.item(at: slot)
            entries[slot].text = append(item.jid.local ?? "", item.name ?? "")
            entries[slot].domain = number(of: item.jid.domain)
            entries[slot].groups = groups.number(of: item.groups)
            index.insert(slot, Self.hash(of: entries[slot], in: text)) { _ in 0 }
        }
    }
}

extension Roster.Flags {
    init(_ item: RosterItem) {
        self = .isUsed
        switch item.subscription {
        case .none: break
        case .to: insert(.to)
        case .from: insert(.from)
        case .both: formUnion([.to, .from])
        }
        if item.asked { insert(.asked) }
        if item.isApproved { insert(.approved) }
    }

    var subscription: RosterItem.Subscription {
        switch (contains(.to), contains(.from)) {
        case (true, true): .both
        case (true, false): .to
        case (false, true): .from
        case (false, false): .none
        }
    }
}
