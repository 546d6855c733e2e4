public import XMPPCore

/// Something said in a room.
public struct RoomMessage: Hashable, Sendable {
    /// The room.
    public var room: BareJID
    /// Who said it, by the name in the room; nil is the room itself.
    public var nickname: String?
    /// Who that is as far as it is known; nil for the room itself, and for whoever is not there any more.
    public var sender: RoomOccupant?
    /// What was said.
    public var body: String
    /// The id that the room gave it (XEP-0359), which replies name; nil where the room gives none.
    public var stanzaID: String?
    /// The id that the sender gave it.
    public var id: String?
    /// Whether it is what the account said itself.
    public var isOwn: Bool
    /// Whether it was said before the account came in.
    public var isHistory: Bool
    /// Whether it was said to the account alone.
    public var isPrivate: Bool
    /// What it answers (XEP-0461).
    public var reply: ReplyReference?
}
