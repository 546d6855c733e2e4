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

extension RoomSettings: Decodable {
    private enum CodingKeys: String, CodingKey {
        case address = "room"
        case nickname, password
    }

    /// As the settings of a module have it: `{ room: den@rooms.example.org, nickname: Bot, password: secret }`, the last where the
    /// room asks for one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .address)
        guard let whole = try? JID(text), whole.resource == nil, whole.bare.local != nil else {
            throw DecodingError.dataCorruptedError(
                forKey: .address, in: container, debugDescription: "a room's address is such as den@rooms.example.org")
        }
        let address = whole.bare
        let nickname = try container.decode(String.self, forKey: .nickname)
        guard (try? JID("\(address)/\(nickname)")) != nil, !nickname.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .nickname, in: container, debugDescription: "a name in a room has 1 to 1023 bytes")
        }
        self.init(
            address, nickname: nickname, password: try container.decodeIfPresent(String.self, forKey: .password))
    }
}
