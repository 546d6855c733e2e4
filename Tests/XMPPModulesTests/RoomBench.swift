import Testing
import XMPPCore
import XMPPModules

/// A room of a test, and what came of each event.
final class RoomBench {
    static let user = "xmlns='http://jabber.org/protocol/muc#user'"
    var room: Room

    init(_ nickname: String = "Bot") { room = Room(RoomSettings(.room, nickname: nickname)) }

    func presence(
        _ nickname: String?, _ type: String? = nil, _ inner: String = "", codes: [Int] = [],
        item: String = "affiliation='none' role='participant'"
    ) throws -> [Room.Action] {
        let from = nickname.map { "den@rooms.example.org/\($0)" } ?? "den@rooms.example.org"
        let statuses = codes.map { "<status code='\($0)'/>" }.joined()
        let type = type.map { "type='\($0)'" } ?? ""
        let element = try xml(
            """
            <presence from='\(from)' \(type)><x \(Self.user)><item \(item)/>\(statuses)\(inner)</x></presence>
            """)
        return room.received(try #require(Presence(element)))
    }

    func error(_ condition: String, kind: String = "cancel") throws -> [Room.Action] {
        let element = try xml(
            """
            <presence from='den@rooms.example.org/Bot' type='error'><x xmlns='http://jabber.org/protocol/muc'/>\
            <error type='\(kind)'><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>
            """)
        return room.received(try #require(Presence(element)))
    }

    func message(_ nickname: String?, _ inner: String, type: String = "groupchat") throws -> [Room.Action] {
        let from = nickname.map { "den@rooms.example.org/\($0)" } ?? "den@rooms.example.org"
        let element = try xml("<message from='\(from)' type='\(type)' id='m'>\(inner)</message>")
        return room.received(try #require(Message(element)))
    }

    func enter() -> [Room.Action] { room.enter() }
    func leave() -> [Room.Action] { room.leave() }
    func timePassed() -> [Room.Action] { room.timePassed() }
    func resumed() -> [Room.Action] { room.resumed() }
    func pingAnswered(_ error: StanzaError.Condition?) -> [Room.Action] { room.pingAnswered(error) }

    func entered() throws {
        _ = room.enter()
        _ = try presence("Ann", item: "affiliation='owner' role='moderator' jid='ann@example.org/phone'")
        _ = try presence("Bot", codes: [110])
        _ = try message(nil, "<subject>Things</subject>")
    }
}

extension RoomBench {
    struct Missing: Error {}

    static func reports(_ actions: [Room.Action]) -> [RoomEvent] {
        actions.compactMap { if case .report(let event) = $0 { event } else { nil } }
    }

    static func end(_ actions: [Room.Action]) -> RoomEnd? {
        for case .left(let end) in reports(actions) { return end }
        return nil
    }

    static func said(_ actions: [Room.Action]) -> RoomMessage? {
        for case .message(let message) in reports(actions) { return message }
        return nil
    }
}
