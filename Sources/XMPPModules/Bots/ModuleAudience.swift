public import XMPPClient
public import XMPPCore

/// Who may use something of a module: a value, since it is judged on the account's event loop.
///
/// The account's own other clients may use everything. Whoever does not see the account's presence may use nothing, and is told
/// nothing.
public enum ModuleAudience: Hashable, Sendable {
    /// Contacts that see the account's presence: those in state from or both.
    case contacts
    /// Those of them that are in one of these groups of the account's roster.
    case groups(Set<String>)
    /// Those of them with these addresses.
    case only(Set<BareJID>)

    /// Whether it has a contact of the account.
    public func has(_ contact: ModuleContact) -> Bool {
        guard contact.seesAccount else { return false }
        switch self {
        case .contacts: return true
        case .groups(let groups):
            return contact.groups.contains { group in groups.contains { sameBytes($0, group) } }
        case .only(let addresses): return addresses.contains(contact.jid)
        }
    }
}
