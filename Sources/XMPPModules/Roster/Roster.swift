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
    var freeSlots: [UInt32] = []
    var index = SlotIndex()
    var text: [UInt8] = []
    /// Bytes of `text` that belong to nothing any more.
    var waste = 0
    var domains: [String] = []
    var domainNumbers: [DomainName: UInt32] = [:]
    var groups = GroupTable()
    /// Whether something was not kept, since the texts are too long.
    private(set) var isOverfull = false

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
        var local = item.jid.local ?? ""
        let name = item.name ?? ""
        let needed = local.utf8.count + name.utf8.count
        let domain = number(of: item.jid.domain)
        let (hash, known) = local.withUTF8 { bytes in
            let hash = Self.hash(UnsafeRawBufferPointer(bytes), domain)
            return (hash, self.slot(of: UnsafeRawBufferPointer(bytes), domain, hash))
        }
        if let slot = known {
            let old = self.item(at: slot)
            entries[slot].flags = Flags(item)
            entries[slot].groups = groups.number(of: item.groups)
            if sameBytes(old.name ?? "", name) {
                // It stays where it is.
            } else if text.count + needed > Self.byteLimit {
                isOverfull = true
            } else {
                let before = entries[slot]
                entries[slot].text = append(local, name)
                entries[slot].name = UInt32(truncatingIfNeeded: name.utf8.count)
                waste += Int(before.local) + Int(before.name)
            }
            compactIfWorth()
            return old
        }
        guard text.count + needed <= Self.byteLimit, entries.count < SlotIndex.bound else {
            isOverfull = true
            compactIfWorth()
            return nil
        }
        let entry = Entry(
            text: append(local, name), name: UInt32(truncatingIfNeeded: name.utf8.count),
            domain: domain, groups: groups.number(of: item.groups), local: UInt16(clamping: local.utf8.count),
            flags: Flags(item))
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = Int(free)
            entries[slot] = entry
        } else {
            slot = entries.count
            entries.append(entry)
        }
        index.insert(slot, hash) { [entries, text] in Self.hash(of: entries[$0], in: text) }
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
        index.remove(slot, Self.hash(of: entries[slot], in: text))
        waste += Int(entries[slot].local) + Int(entries[slot].name)
        entries[slot].flags = []
        freeSlots.append(UInt32(truncatingIfNeeded: slot))
        compactIfWorth()
        return old
    }

    mutating func reserve(_ count: Int) {
        entries.reserveCapacity(count)
        index.reserve(count) { [entries, text] in Self.hash(of: entries[$0], in: text) }
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
