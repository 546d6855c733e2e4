public import XMPPCore

/// What happens to the presence of contacts and of the account's other resources.
public enum PresenceEvent: Hashable, Sendable {
    /// A resource is there, or says something else of itself.
    case available(JID, ResourcePresence, isNew: Bool)
    /// A resource is gone.
    case unavailable(JID)
    /// All resources of somebody are gone at once, or are not to be seen any more.
    case gone(BareJID)
    /// The server of a contact says that it is gone or elsewhere (RFC 6121 section 4.3.2), maybe with the address to turn
    /// to. That is what an error says, and proves nothing; the subscription stays as it is.
    case moved(BareJID, to: BareJID?)
    /// A session began anew: nobody is known to be there.
    case cleared
}
