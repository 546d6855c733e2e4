import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

@Suite("A module in rooms")
struct RoomGuestTests {
    private let settings = AllRounder.Settings(rooms: [RoomSettings(.room, nickname: "Bot")], farewell: "bye")

    private func withBot(
        _ settings: AllRounder.Settings, givesIDs: Bool = true,
        _ body: (ModuleBench, EventRecorder<String>) async throws -> Void
    ) async throws {
        let server = try ScriptedServer()
        await server.openRoom(.room, givesIDs: givesIDs)
        await server.enter(.room, as: "Ann")
        let bench = try await ModuleBench(AllRounder.self, settings: settings, server: server)
        await bench.settle()
        try await body(bench, settings.heard)
        await bench.end()
        server.stop()
    }

    @Test("enters what its settings say, knows who is there, and hears who comes and goes and what others say")
    func hears() async throws {
        try await withBot(settings) { bench, heard in
            await bench.server.enter(.room, as: "Eve")
            await bench.server.say("hello", in: .room, by: "Ann")
            await bench.server.leave("Eve", .room)
            await bench.settle()
            #expect(heard.all == ["entered as Bot", "Ann, Bot", "came Eve", "Ann: hello", "gone Eve"])
        }
    }

    @Test("takes its own words and what was said before for nothing new")
    func old() async throws {
        try await withBot(settings) { bench, heard in
            let before = heard.all.count
            await bench.server.say("parrot", in: .room, by: "Ann")
            await bench.settle()
            await bench.settle()
            #expect(heard.all.dropFirst(before) == ["Ann: parrot"])
            #expect(bench.said.map(\.body) == ["parrot"])
        }
    }

    @Test("takes another name where somebody has the one it wants")
    func conflict() async throws {
        let server = try ScriptedServer()
        await server.openRoom(.room)
        await server.enter(.room, as: "Bot")
        let bench = try await ModuleBench(AllRounder.self, settings: settings, server: server)
        await bench.settle()
        #expect(settings.heard.all.first == "entered as Bot_")
        #expect(await server.occupants(of: .room) == ["Bot", "Bot_"])
        await bench.end()
        server.stop()
    }

    @Test("answers as an answer, to the room or to whoever said it to it alone", arguments: [true, false])
    func answers(givesIDs: Bool) async throws {
        try await withBot(settings, givesIDs: givesIDs) { bench, _ in
            await bench.server.say("echo 1", in: .room, by: "Ann")
            await bench.settle()
            let said = try #require(bench.said.last)
            #expect(said.type == .groupchat && said.to == JID(.room) && said.body == "echo 1")
            #expect(said.isReply == givesIDs)
            let alone = Message(to: JID(.bot), id: "p", body: "echo 2")
            await bench.hear(alone, from: try .of(.room, "Ann"))
            let whispered = try #require(bench.said.last)
            #expect(whispered.type == .chat && whispered.isReply && whispered.body == "echo 2")
            #expect(whispered.to == (try .of(.room, "Ann")))
        }
    }

    @Test("two of them fall quiet, whether or not the room gives ids", arguments: [true, false])
    func pair(givesIDs: Bool) async throws {
        let server = try ScriptedServer()
        await server.openRoom(.room, givesIDs: givesIDs)
        await server.enter(.room, as: "Cid")
        var benches: [ModuleBench] = []
        for account in [BareJID.bot, .ann] {
            let settings = AllRounder.Settings(rooms: [RoomSettings(.room, nickname: "Bot")])
            benches.append(
                try await ModuleBench(AllRounder.self, settings: settings, account: account, server: server))
        }
        await server.say("echo", in: .room, by: "Cid")
        for _ in 0..<60 { for bench in benches { await bench.settle() } }
        let said = benches.map(\.said.count).reduce(0, +)
        #expect(said == (givesIDs ? 2 : 2 * ModuleContext.roomAnswersPerMinute))
        for bench in benches { await bench.end() }
        server.stop()
    }

    @Test("says goodbye and leaves at its end, before the session closes")
    func leaves() async throws {
        let server = try ScriptedServer()
        await server.openRoom(.room)
        let ann = ServerRosterItem(.ann, subscription: "both")
        let bench = try await ModuleBench(AllRounder.self, settings: settings, contacts: [ann], server: server)
        await bench.settle()
        #expect(await server.occupants(of: .room) == ["Bot"])
        await bench.end()
        #expect(bench.said.map(\.body) == ["bye", "bye"])
        #expect(await server.occupants(of: .room) == [])
        let last = try #require(server.received.all.last { $0.account == .bot })
        #expect(last.isPresence("unavailable", to: "\(BareJID.room)/Bot"))
        server.stop()
    }

    @Test("comes back with the session after a lost link")
    func reconnects() async throws {
        try await withBot(settings) { bench, heard in
            await bench.server.dropLink(of: .bot)
            await bench.time.settle()
            await bench.pass(.seconds(120))
            _ = try await heard.next { $0 == "entered as Bot" }
            _ = try await heard.next { $0 == "entered as Bot" }
            #expect(await bench.server.occupants(of: .room).contains("Bot"))
        }
    }

    @Test("has no room where it is no guest, and enters and leaves others by itself")
    func others() async throws {
        struct Plain: XMPPModule {
            static let name = "plain"
            static let interests: ModuleInterests = [.messages, .presences, .strangers]
            init(settings: NoSettings) {}
            func handle(_ event: ModuleEvent, in context: ModuleContext) async throws {
                guard case .message(let message, _) = event, let sender = message.from else { return }
                let isIn = await context.enter(RoomSettings(.room, nickname: "Plain"))
                let said = await context.say("x", in: .room)
                try await context.send(Message(to: sender, body: "\(isIn) \(said == nil)"))
            }
        }
        let server = try ScriptedServer()
        await server.openRoom(.room)
        let bench = try await ModuleBench(server: server) { options in
            options.host(Plain.self, settings: NoSettings())
            options.host(AllRounder.self, settings: settings)
        }
        await bench.hear("go", from: try .of(.eve, "x"))
        #expect(bench.said.map(\.body) == ["false true"])
        // What is said in a room is no message of a stranger.
        await server.say("hello", in: .room, by: "Ann")
        await bench.settle()
        #expect(bench.said.count == 1)
        await bench.end()
        server.stop()
    }

    @Test("settings of rooms are read; what is no room, or no name in one, is a fault")
    func settingsOfRooms() throws {
        func read(_ json: String) throws -> RoomSettings {
            try JSONDecoder().decode(RoomSettings.self, from: Data(json.utf8))
        }
        #expect(
            try read(#"{"room":"den@rooms.example.org","nickname":"Bot","password":"x"}"#)
                == RoomSettings(.room, nickname: "Bot", password: "x"))
        for json in [
            #"{"room":"rooms.example.org","nickname":"Bot"}"#, #"{"room":"@","nickname":"Bot"}"#,
            #"{"room":"den@rooms.example.org","nickname":""}"#, #"{"room":"den@rooms.example.org"}"#,
            #"{"room":"den@rooms.example.org/x","nickname":"Bot"}"#,
        ] {
            #expect(throws: DecodingError.self, "\(json)") { try read(json) }
        }
    }
}
