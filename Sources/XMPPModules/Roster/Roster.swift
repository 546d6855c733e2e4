public import XMPPCore

/// The items of a roster, as one value.
///
/// It is made for many: an item takes some 20 bytes beside its own name and address, each domain and each combination of
/// groups is kept once, and a copy costs nothing until one of the two is changed, and then a few blocks of memory.
///
/// ```swift
/// for item in roster where item.subscription == .none { print(item.jid) }
/// let name = roster[contact]?.name
/// ```
public struct Roster: Sendable {
    /// Bytes of names and addresses that are kept at most; an item over that is not kept.
    static let byteLimit = 64 << 20

    struct Entry: Sendable {
        /// Where its local part begins in `text`; its name is behind that.
        var text: UInt32
        /// Bytes of the name; 0 is none.
        var name: UInt32
        var domain: UInt32
        var groups: UInt32
        /// Bytes of the local part (at most 1023, RFC 7622 section 3.3); 0 is none.
        var local: UInt16
        var flags: Flags
    }

    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        static let isUsed = Flags(rawValue: 1)
        static let to = Flags(rawValue: 2)
        static let from = Flags(rawValue: 4)
        static let asked = Flags(rawValue: 8)
        static let approved = Flags(rawValue: 16)
    }

    var entries: [Entry] = []
    /// Slots of `entries` that are free again.
    private var freeSlots: [UInt32] = []
    private var index = SlotIndex()
    private var text: [UInt8] = []
    /// Bytes of `text` that belong to nothing any more.
    private var waste = 0
    private var domains: [String] = []
    private var domainNumbers: [DomainName: UInt32] = [:]
    var groups = GroupTable()

    /// A roster without items.
    public init() {}

    /// A roster of these; of two with one address the later one counts.
    public init(_ items: some Sequence<RosterItem>) {
        reserve(items.underestimatedCount)
        for item in items { set(item) }
    }

    /// How many items there are.
    public var count: Int { index.count }
    /// Whether there are none.
    public var isEmpty: Bool { count == 0 }

    /// The item of a contact; nil where there is none.
    public subscript(_ jid: BareJID) -> RosterItem? { slot(of: jid).map { item(at: $0) } }

    /// Whether a contact has an item.
    public func contains(_ jid: BareJID) -> Bool { slot(of: jid) != nil }

    /// Who sees whom of account and contact, which is `none` also for whoever is not in the roster.
    public func subscription(of jid: BareJID) -> RosterItem.Subscription {
        slot(of: jid).map { entries[$0].flags.subscription } ?? .none
    }

    /// The contacts, in no order.
    public var keys: [BareJID] { slots.map { jid(at: $0) } }
    /// The items, in no order.
    public var values: [RosterItem] { Array(self) }

    // MARK: Changing

    /// Puts in an item, or in the place of the one before.
    ///
    /// - Returns: The item before; nil where it is a new one, or is not kept since the roster is too large.
    @discardableResult
    public mutating func set(_ item: RosterItem) -> RosterItem? {
        let (local, name) = (item.jid.local ?? "", item.name ?? "")
        let needed = local.utf8.count + name.utf8.count
        if let slot = slot(of: item.jid) {
            let old = self.item(at: slot)
            entries[slot].flags = Flags(item)
            entries[slot].groups = groups.number(of: item.groups)
            if !sameBytes(old.name ?? "", name), text.count + needed <= Self.byteLimit {
                let before = entries[slot]
                entries[slot].text = append(local, name)
                entries[slot].name = UInt32(truncatingIfNeeded: name.utf8.count)
                waste += Int(before.local) + Int(before.name)
            }
            compactIfWorth()
            return old
        }
        guard text.count + needed <= Self.byteLimit, entries.count < SlotIndex.bound else { return nil }
        let entry = Entry(
            text: append(local, name), name: UInt32(truncatingIfNeeded: name.utf8.count),
            domain: number(of: item.jid.domain), groups: groups.number(of: item.groups),
            local: UInt16(clamping: local.utf8.count), flags: Flags(item))
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = Int(free)
            entries[slot] = entry
        } else {
            slot = entries.count
            entries.append(entry)
        }
        let hash = hash(at: slot)
        var index = SlotIndex()
        swap(&index, &self.index)
        index.insert(slot, hash) { self.hash(at: $0) }
        swap(&index, &self.index)
        compactIfWorth()
        return nil
    }

    /// Takes out the item of a contact.
    ///
    /// - Returns: What it was; nil where there was none.
    @discardableResult
    public mutating func remove(_ jid: BareJID) -> RosterItem? {
        guard let slot = slot(of: jid) else { return nil }
        let old = item(at: slot)
        index.remove(slot, hash(at: slot))
        waste += Int(entries[slot].local) + Int(entries[slot].name)
        entries[slot].flags = []
        freeSlots.append(UInt32(truncatingIfNeeded: slot))
        compactIfWorth()
        return old
    }

    mutating func reserve(_ count: Int) {
        entries.reserveCapacity(count)
        var index = SlotIndex()
        swap(&index, &self.index)
        index.reserve(count) { self.hash(at: $0) }
        swap(&index, &self.index)
    }

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
        return local.withUTF8 { bytes in
            index.find(Self.hash(UnsafeRawBufferPointer(bytes), domain)) { slot in
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

    private mutating func append(_ local: String, _ name: String) -> UInt32 {
        let start = UInt32(truncatingIfNeeded: text.count)
        text.append(contentsOf: local.utf8)
        text.append(contentsOf: name.utf8)
        return start
    }

    private mutating func number(of domain: String) -> UInt32 {
        let name = DomainName(prepared: domain)
        if let number = domainNumbers[name] { return number }
        let number = UInt32(truncatingIfNeeded: domains.count)
        domains.append(domain)
        domainNumbers[name] = number
        return number
    }

    private func hash(at slot: Int) -> Int {
        let entry = entries[slot]
        return text[Int(entry.text)..<Int(entry.text) + Int(entry.local)].withUnsafeBytes {
            Self.hash($0, entry.domain)
        }
    }

    private static func hash(_ local: UnsafeRawBufferPointer, _ domain: UInt32) -> Int {
        var hasher = Hasher()
        hasher.combine(domain)
        hasher.combine(bytes: local)
        return hasher.finalize()
    }

    /// What changes leave behind is less than what there is: nobody makes it grow by renaming for ever.
    private mutating func compactIfWorth() {
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

extension Roster: Sequence {
    /// Goes over the items, in no order.
    public func makeIterator() -> AnyIterator<RosterItem> {
        var slots = slots.makeIterator()
        return AnyIterator { slots.next().map { item(at: $0) } }
    }

    /// How many items there are.
    public var underestimatedCount: Int { count }
}

extension Roster: Equatable {
    /// Whether both have the same items.
    public static func == (left: Roster, right: Roster) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.jid] == $0 }
    }
}

extension Roster: ExpressibleByArrayLiteral {
    /// A roster of these items.
    public init(arrayLiteral items: RosterItem...) { self.init(items) }
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
