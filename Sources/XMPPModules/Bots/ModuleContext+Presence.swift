public import XMPPClient
public import XMPPCore

extension ModuleContext {
    /// The resources of a contact that are there at the moment, the one to talk to first: how ready they are, what they say of
    /// themselves, and since when nobody has touched them (XEP-0319).
    ///
    /// - Returns: None where the contact is not there, or its presence is not seen; in a `Client`, also where no
    ///   ``PresenceModule`` is among its modules.
    public func resources(of contact: BareJID) async -> [(address: JID, presence: ResourcePresence)] {
        await withCompanion(BotServices.self) { $0.resources(of: contact) } ?? []
    }
}
