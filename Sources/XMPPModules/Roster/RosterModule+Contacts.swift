public import XMPPClient
public import XMPPCore

/// The roster as modules of bot authors look into it.
extension RosterModule: ContactDirectory {
    /// The contact of that address, if it is one.
    public func contact(_ jid: BareJID) -> ModuleContact? { items[jid].map { ModuleContact($0) } }

    /// All of them, in no order.
    public var allContacts: [ModuleContact] { items.values.map { ModuleContact($0) } }
}

extension ModuleContact {
    /// A contact of an item of the roster.
    public init(_ item: RosterItem) {
        self.init(
            jid: item.jid, name: item.name,
            subscription: Subscription(rawValue: item.subscription.rawValue) ?? .none, groups: item.groups)
    }
}
