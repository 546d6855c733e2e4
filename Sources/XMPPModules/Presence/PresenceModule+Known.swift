public import XMPPCore

/// What is known.
extension PresenceModule {
    /// How many resources are available.
    public var count: Int { table.count }

    /// The full addresses that are available, in no order.
    public var available: [JID] { table.all }

    /// Whether somebody is there with some resource.
    public func isAvailable(_ contact: BareJID) -> Bool { table.isAvailable(contact) }

    /// The resources of somebody, in the order in which they came; the resource is nil where the bare address itself is
    /// available, as gateways are.
    public func resources(of contact: BareJID) -> [(resource: String?, presence: ResourcePresence)] {
        table.resources(of: contact)
    }

    /// The resource to talk to: of those whose priority is not negative the one with the highest, then the readiest, then
    /// the newest; nil where there is none.
    public func primary(of contact: BareJID) -> (resource: String?, presence: ResourcePresence)? {
        table.primary(of: contact)
    }

    /// What somebody says of itself: by the primary resource, and where all have a negative priority, and so are not to be
    /// talked to, by the readiest of them; nil is not there.
    public func best(of contact: BareJID) -> ResourcePresence? { table.best(of: contact) }

    /// How ready somebody is; nil is not there.
    public func show(of contact: BareJID) -> ResourcePresence.Show? { best(of: contact)?.show }

    /// The account's other resources.
    public var ownResources: [(resource: String?, presence: ResourcePresence)] { table.resources(of: account) }
}
