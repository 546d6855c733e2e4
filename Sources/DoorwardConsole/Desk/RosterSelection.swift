import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// Which contacts `roster` shows, and in which order.
struct RosterSelection {
    enum Order: String {
        case address, name, presence
    }

    var search: String?
    var group: String?
    var order = Order.address

    func items(of roster: RosterSnapshot) -> [RosterSnapshot.Item] {
        let wanted = search.map { $0.lowercased() }
        let found = roster.items.filter { item in
            (group.map { group in item.groups.contains { $0.utf8.elementsEqual(group.utf8) } } ?? true)
                && (wanted.map { Self.matches(item, $0) } ?? true)
        }
        switch order {
        // The service gives them so.
        case .address: return found
        case .name: return Self.byName(found)
        case .presence:
            // Stable: of those with the same time the names decide.
            return Self.byName(found).enumerated().sorted { left, right in
                let (first, second) = (Self.rank(left.element), Self.rank(right.element))
                return first == second ? left.offset < right.offset : first > second
            }.map(\.element)
        }
    }

    private static func matches(_ item: RosterSnapshot.Item, _ wanted: String) -> Bool {
        ([item.jid.description, item.name ?? ""] + item.groups).contains { $0.lowercased().contains(wanted) }
    }

    private static func byName(_ items: [RosterSnapshot.Item]) -> [RosterSnapshot.Item] {
        let keyed = items.map { item -> (key: String, item: RosterSnapshot.Item) in
            let name: String = item.name ?? item.jid.local ?? item.jid.domain
            return (name.lowercased() + "\u{0}" + item.jid.description, item)
        }
        return keyed.sorted { $0.key < $1.key }.map(\.item)
    }

    /// Who is there comes first, then who was there last; who was never seen comes last.
    private static func rank(_ item: RosterSnapshot.Item) -> Int64 {
        item.isPresent == true ? .max : item.evidence?.lastPresence?.milliseconds ?? .min
    }
}
