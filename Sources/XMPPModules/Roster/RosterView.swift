public import XMPPCore

/// A roster as people read it, at one moment: sorted, with who is there, and to be searched.
///
/// It is a value: what happens later changes none that was taken before, and taking one costs nothing. Where one of 10,000
/// contacts is held while the roster changes, the change costs a copy of a few hundred KiB once.
///
/// Sorted is by the folded display name (NFKC and case folding, as addresses are prepared), compared byte by byte, then by
/// address: the same everywhere, whatever the language of a machine. Of a name 256 bytes count.
public struct RosterView: Sendable {
    /// What comes first.
    public enum Order: Hashable, Sendable, CaseIterable {
        /// By name.
        case name
        /// The readiest first (chat, online, away, xa, dnd, then who is not there), and those by name.
        case presence
    }

    /// A contact in it.
    public struct Contact: Hashable, Sendable {
        /// The item.
        public let item: RosterItem
        /// How ready it is; nil is not there, or not to be seen.
        public let show: ResourcePresence.Show?
    }

    /// The items.
    public let roster: Roster
    /// How many changes the list had seen when this was taken (``RosterChange/number``).
    public let number: UInt64
    private let sorted: RosterOrder

    init(_ roster: Roster, _ sorted: RosterOrder, number: UInt64) {
        (self.roster, self.sorted, self.number) = (roster, sorted, number)
    }

    /// A view of a roster by itself.
    ///
    /// - Parameters:
    ///   - roster: Whose items.
    ///   - order: How they are sorted.
    ///   - show: How ready a contact is; nil is not there.
    public init(
        _ roster: Roster, order: Order = .name, show: (BareJID) -> ResourcePresence.Show? = { _ in nil }
    ) {
        self.init(
            roster,
            RosterOrder(roster, isByPresence: order == .presence) { show($0)?.rawValue ?? RosterOrder.offline },
            number: 0)
    }

    /// How it is sorted.
    public var order: Order { sorted.isByPresence ? .presence : .name }

    /// The contact with that address; nil where it is not in the roster.
    public subscript(_ jid: BareJID) -> Contact? { roster.slot(of: jid).map { contact(at: $0) } }

    /// The names of all groups, each once, sorted as contacts are.
    public var groups: [String] {
        var names: Set<ByteText> = []
        var seen: Set<UInt32> = []
        for slot in roster.slots where seen.insert(roster.entries[slot].groups).inserted {
            for group in roster.groups.groups(roster.entries[slot].groups) { names.insert(ByteText(group)) }
        }
        return names.map { ($0.text.folded(limit: RosterOrder.nameLimit) + [0] + $0.text.utf8, $0.text) }
            .sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    }

    /// The contacts in a group, in order.
    ///
    /// - Parameter group: Its exact name; nil gives those in none.
    public func contacts(inGroup group: String?) -> [Contact] {
        filtered { groups, _ in
            guard let group else { return groups == GroupTable.none }
            return roster.groups.contains(groups) { sameBytes($0, group) }
        }
    }

    /// The contacts with a text in their name, address, or one of their groups, in order; upper and lower case are the same.
    ///
    /// The cost is linear in the texts. In names and groups the first 1024 bytes are searched.
    public func search(_ text: String) -> [Contact] {
        let search = TextSearch(text)
        return filtered { groups, slot in
            roster.name(at: slot).map(search.isIn) == true || search.isIn(roster.jid(at: slot).description)
                ? true : roster.groups.contains(groups, where: search.isIn)
        }
    }

    private func filtered(_ isIncluded: (UInt32, Int) -> Bool) -> [Contact] {
        sorted.slots.compactMap { slot in
            isIncluded(roster.entries[Int(slot)].groups, Int(slot)) ? contact(at: Int(slot)) : nil
        }
    }

    private func contact(at slot: Int) -> Contact {
        Contact(item: roster.item(at: slot), show: ResourcePresence.Show(rawValue: sorted.rank(of: slot)))
    }
}

extension RosterView: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// How many contacts there are.
    public var endIndex: Int { sorted.slots.count }
    /// The contact at a place of the order.
    public subscript(position: Int) -> Contact { contact(at: Int(sorted.slots[position])) }
}
