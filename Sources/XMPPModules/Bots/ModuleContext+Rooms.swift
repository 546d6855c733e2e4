public import XMPPClient
public import XMPPCore

/// What a ``RoomGuest`` does in its rooms. To other modules rooms do not exist.
extension ModuleContext {
    /// How often `answer(_:with:)` speaks in one room in a minute.
    public static let roomAnswersPerMinute = 10

    /// Enters a room, now or with the next session, and hears of it from then on.
    ///
    /// - Returns: No where the module is no ``RoomGuest``, or the account is in ``RoomsModule/limit`` others.
    @discardableResult
    public func enter(_ room: RoomSettings) async -> Bool {
        let name = module
        return await withCompanion(BotServices.self) { $0.enter(room, for: name) } ?? false
    }

    /// Leaves a room and hears of it no more; the account stays in while another module of its sits there.
    public func leave(_ room: BareJID) async {
        let name = module
        await withCompanion(BotServices.self) { $0.leave(room, for: name) }
    }

    /// Says something in a room.
    ///
    /// Whoever does so whenever somebody else says something may meet another that does so too: use `answer(_:with:)`.
    ///
    /// - Returns: The id of the message, by which `RoomEvent.refused` names it; nil where the account is not in.
    @discardableResult
    public func say(_ body: String, in room: BareJID) async -> String? {
        let name = module
        return await withCompanion(BotServices.self) { $0.say(body, in: room, for: name) } ?? nil
    }

    /// Answers something that was said in a room: in the room, as an answer to it (XEP-0461) where the room gives ids, or to its
    /// sender alone where it was said so.
    ///
    /// Two bots in a room fall quiet by it: what is an answer itself is not answered, nor is what the account said or what
    /// was said before it came, and a room hears at most `roomAnswersPerMinute` of them a minute.
    ///
    /// - Returns: Whether it was said.
    @discardableResult
    public func answer(_ message: RoomMessage, with body: String) async -> Bool {
        let (name, now) = (module, uptime)
        return await withCompanion(BotServices.self) { $0.answer(message, with: body, for: name, at: now) } ?? false
    }

    /// Who is in a room, the account among them, by their names; none where the account is not in.
    public func occupants(of room: BareJID) async -> [RoomOccupant] {
        let name = module
        return await withCompanion(BotServices.self) { $0.occupants(of: room, for: name) } ?? []
    }
}
