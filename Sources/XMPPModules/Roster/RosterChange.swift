public import XMPPCore

/// A change of a ``ContactList``.
public struct RosterChange: Hashable, Sendable {
    /// What changed.
    public enum Kind: Hashable, Sendable {
        /// The roster arrived: all may be another.
        case loaded
        /// A contact is new, or another in something (``RosterChange/isNew``).
        case item(RosterItem)
        /// A contact is no longer in the roster.
        case removed(BareJID)
        /// A contact is readier or less so; nil is not there.
        case presence(BareJID, ResourcePresence.Show?)
    }

    /// Counts the changes of a list from 1 on.
    ///
    /// Where one is missing, the reader was too slow and the oldest were dropped: then a new view says how things are.
    public let number: UInt64
    /// What changed.
    public let kind: Kind
    /// Whether a contact was not in the roster before; no for whatever is not an item.
    public let isNew: Bool
}
