public import XMPPCore

/// How the account sits in a room (XEP-0045).
public struct RoomSettings: Hashable, Sendable {
    /// The room.
    public var address: BareJID
    /// The name to have there; another one is taken where somebody has it.
    public var nickname: String
    /// What the room asks for at the door; nil where it asks for nothing.
    public var password: String?

    /// How to sit in a room.
    public init(_ address: BareJID, nickname: String, password: String? = nil) {
        self.address = address
        self.nickname = nickname
        self.password = password
    }
}
