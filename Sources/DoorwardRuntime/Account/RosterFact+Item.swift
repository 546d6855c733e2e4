import DoorwardPolicy
import DoorwardStore
import XMPPModules

extension RosterFact {
    init(_ item: RosterItem) {
        let subscription: Subscription =
            switch item.subscription {
            case .none: .none
            case .to: .to
            case .from: .from
            case .both: .both
            }
        self.init(subscription: subscription, asked: item.asked, name: item.name, groups: item.groups)
    }
}

extension RosterItem {
    init(_ row: ContactRow) {
        let subscription: Subscription =
            switch row.item.subscription {
            case .none: .none
            case .to: .to
            case .from: .from
            case .both: .both
            }
        self.init(
            jid: row.jid, name: row.item.name, subscription: subscription, asked: row.item.asked,
            groups: row.item.groups)
    }
}

extension ContactRow {
    init(_ item: RosterItem) { self.init(jid: item.jid, item: RosterFact(item)) }
}

extension SessionChange.Mirror {
    init(_ change: RosterPayload.Change) {
        switch change {
        case .set(let item): self = .contact(ContactRow(jid: item.jid, item: RosterFact(item)))
        case .remove(let contact): self = .removed(contact)
        }
    }

    /// Nil where it changes nothing of who is there.
    init?(_ event: PresenceEvent) {
        switch event {
        case .available(let jid, let said, _): self = .available(ResourceRow(jid, said))
        case .unavailable(let jid): self = .unavailable(jid)
        case .gone(let contact): self = .gone(contact)
        case .moved, .cleared: return nil
        }
    }
}
