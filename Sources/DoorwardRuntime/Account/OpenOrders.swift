import XMPPCore
import XMPPModules

/// Commands about contacts that are written down and have no end yet, in the order of the journal; belongs to the isolation
/// of its account.
final class OpenOrders {
    private struct Open {
        let id: Int64
        let contact: BareJID
        let order: ContactOrder
    }

    /// Those who write one down, one after the other: so nobody reads the journal between the writing and ``begun(_:_:_:)``.
    let writing = TurnQueue()
    private var open: [Open] = []

    /// Whether one of this process is to be carried out by whoever gave it.
    func contains(_ id: Int64) -> Bool { open.contains { $0.id == id } }

    /// It is in the journal.
    func begun(_ id: Int64, _ order: ContactOrder, on contact: BareJID) {
        open.append(Open(id: id, contact: contact, order: order))
    }

    /// It has its end, or waits for the next login.
    func left(_ id: Int64) { open.removeAll { $0.id == id } }

    /// What a contact's item will be behind all of them, so far as the server does what it is asked.
    ///
    /// - Parameters:
    ///   - contact: Whose.
    ///   - item: As it is.
    /// - Returns: Nil where it will be no contact.
    func expected(_ contact: BareJID, _ item: RosterItem?) -> RosterItem? {
        var item = item
        for open in open where open.contact == contact {
            switch open.order {
            case .add(let addition):
                var added = item ?? RosterItem(jid: contact)
                added.asked = !added.isSeen
                added.name = addition.name ?? added.name
                if !addition.groups.isEmpty { added.groups = addition.groups }
                item = added
            case .rename(let name): item?.name = name
            case .group:
                let groups = open.order.groups(of: item)
                item?.groups = groups
            case .preApprove(let name, let groups):
                if let name { item?.name = name }
                if !groups.isEmpty { item?.groups = groups }
            case .unsubscribe:
                item?.asked = false
                if item?.seesAccount == true { item?.subscription = .from } else { item?.subscription = .none }
            case .revoke:
                if item?.isSeen == true { item?.subscription = .to } else { item?.subscription = .none }
            case .remove: item = nil
            }
        }
        return item
    }
}
