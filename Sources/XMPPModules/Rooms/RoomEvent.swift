public import XMPPCore

/// What happened to the account in a room.
public enum RoomEvent: Hashable, Sendable {
    /// It is in, by that name; everybody who is there was told before.
    case entered(nickname: String, isNew: Bool)
    /// It could not come in, or is out.
    case left(RoomEnd)
    /// Somebody came in, or is otherwise than before.
    case occupant(RoomOccupant)
    /// Somebody has left.
    case gone(RoomOccupant)
    /// Somebody has another name now; `occupant` follows.
    case renamed(from: String, to: String)
    /// What the room is about; nil where about nothing.
    case subject(String?, by: String?)
    /// Something was said.
    case message(RoomMessage)
    /// Something that the account said was not taken.
    case refused(id: String?, StanzaError)
}

/// Why the account is not in a room any more.
public struct RoomEnd: Error, Hashable, Sendable {
    /// Why, as an open set: compare with the named values.
    public struct Code: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// It wanted to.
        public static let left = Code(name: "left")
        /// Thrown out; it may come back.
        public static let kicked = Code(name: "kicked")
        /// Thrown out for good.
        public static let banned = Code(name: "banned")
        /// The room takes members only.
        public static let membersOnly = Code(name: "members-only")
        /// There is no such room any more; `text` may say where to go.
        public static let destroyed = Code(name: "destroyed")
        /// The password is not right.
        public static let password = Code(name: "password")
        /// All names that were tried are somebody's.
        public static let nickname = Code(name: "nickname")
        /// The room is not there, or nobody may make it.
        public static let notFound = Code(name: "not-found")
        /// The room, or its service, is not to be reached: it is tried again.
        public static let unreachable = Code(name: "unreachable")
        /// Refused with another condition.
        public static let refused = Code(name: "refused")
    }

    /// Why.
    public var code: Code
    /// What the room says about it: for people, never for program logic.
    public var text: String?
    /// Whether it comes back by itself.
    public var returns: Bool

    /// An end.
    public init(_ code: Code, text: String? = nil, returns: Bool = false) {
        self.code = code
        self.text = text
        self.returns = returns
    }
}
