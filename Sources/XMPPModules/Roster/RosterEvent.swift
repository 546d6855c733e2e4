public import XMPPCore

/// What happens to a roster, in the order of the stream.
///
/// With each event comes the version that the items have behind it (RFC 6121 section 2.6), so that a store can write both
/// in one transaction: a version that is newer than the items would hide changes for ever.
public enum RosterEvent: Sendable {
    /// It is asked for, with the version of the items at hand; nil asks for the whole of it.
    case began(version: String?)
    /// One item of the whole roster; ``RosterModule/items`` is as before until `ended`.
    case item(RosterItem)
    /// It is there, or could not be had.
    case ended(RosterLoad)
    /// The server pushed a change: the item before, and the version of the items now.
    case changed(RosterPayload.Change, before: RosterItem?, version: String?)
    /// A request of ours to see a contact came back as an error, such as `remote-server-not-found`: nobody will answer it.
    ///
    /// Unless the error is one to wait for, the module has taken the request back, so that the server does not repeat it at
    /// each login.
    case refused(BareJID, StanzaError)
    /// The account no longer wants to see this contact: what is known of its presence is void at once (RFC 6121 section
    /// 3.3.3), whatever is still on its way.
    case left(BareJID)
}

/// How the load of a roster ended.
public enum RosterLoad: Sendable {
    /// All items were told; the version is nil where the server keeps none.
    case whole(version: String?)
    /// The items of before hold, and pushes say what has changed since.
    case unchanged(version: String?)
    /// It could not be had. What is known of before stays, and is not this session's roster: never an empty one.
    case failed(RosterError)
}
