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
        let hash = local.withUTF8 { Self.hash(UnsafeRawBufferPointer($0), domain) }
        return slot(of: &local, domain, hash)
    }

    func slot(of local: inout String, _ domain: UInt32, _ hash: Int) -> Int? {
        local.withUTF8 { bytes in
            index.find(hash) { slot in
                let entry = entries[slot]
                guard entry.domain == domain, Int(entry.local) == bytes.count else { return false }
                return text[Int(entry.text)..<Int(entry.text) + bytes.count].elementsEqual(bytes)
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

    func hash(at slot: Int) -> Int {
        let entry = entries[slot]
        return text[Int(entry.text)..<Int(entry.text) + Int(entry.local)].withUnsafeBytes {
            Self.hash($0, entry.domain)
        }
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
            index.insert(slot, hash(at: slot)) { _ in 0 }
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
