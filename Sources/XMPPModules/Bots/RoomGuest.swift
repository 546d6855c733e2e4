public import XMPPClient
public import XMPPCore

/// A module that sits in rooms (XEP-0045).
///
/// ```swift
/// struct Settings: Decodable { var rooms: [RoomSettings] }
///
/// var rooms: [RoomSettings] { settings.rooms }
///
/// func handle(_ event: RoomEvent, in room: BareJID, context: ModuleContext) async throws {
///     guard case .message(let message) = event, message.body == "ping" else { return }
///     await context.answer(message, with: "pong")
/// }
/// ```
///
/// The account enters them with its session and comes back by itself after a lost link, after a restart of the server and after
/// trouble of the room's; where another has the name it takes one with `_` behind it. With the end of the module it leaves.
///
/// A module hears of what is new and said by others: neither its own words nor what was said before it came (rooms repeat
/// both), and of occupants only once it is in: who was there already, `ModuleContext.occupants(of:)` says. What
/// a room sends is a `message` or `presence` event of no module.
public protocol RoomGuest: XMPPModule {
    /// The rooms that it sits in from the beginning; read once, behind `init`.
    ///
    /// Where two modules of an account name the same room it is entered once, as the first of them says, and both hear of it.
    var rooms: [RoomSettings] { get }

    /// Something happened in a room.
    ///
    /// - Throws: What it throws is counted and logged, and the next event comes all the same.
    func handle(_ event: RoomEvent, in room: BareJID, context: ModuleContext) async throws
}
