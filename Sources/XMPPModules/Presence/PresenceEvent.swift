public import XMPPCore

/// What happens to the presence of contacts and of the account's other resources.
public enum PresenceEvent: Hashable, Sendable {
    /// A resource is there, or says something else of itself.
    case available(JID, ResourcePresence, isNew: Bool)
    /// A resource is gone.
    case unavailable(JID)
    /// All resources of somebody are gone at once, or are not to be seen any more.
    case gone(BareJID)
    /// A session began anew: nobody is known to be there.
    case cleared
}
