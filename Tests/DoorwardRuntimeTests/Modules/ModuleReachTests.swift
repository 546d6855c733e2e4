import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

@testable import DoorwardRuntime

/// Commands, rooms and last words of modules in the service.
@Suite("What modules reach in the service")
struct ModuleReachTests {
    private let phone: JID
    private let accounts = [AccountConfiguration.of("bot@example.org").with([SociableModule.configuration])]
    private let prepare = { @Sendable (server: ScriptedServer) async in
        await server.add(.bot, password: "secret", roster: [ServerRosterItem(.ally, subscription: "both")])
        await server.openRoom(.den)
        await server.enter(.den, as: "Ann")
    }

    init() throws { phone = try JID("ally@example.org/phone") }

    private func occupants(_ world: World) async -> [String] { await world.server.occupants(of: .den) }

    private func commands(_ world: World, id: String) async throws -> [String]? {
        let node = "http://jabber.org/protocol/commands"
        await world.server.send(
            """
            <iq type='get' id='\(id)' from='\(phone)'><query xmlns='http://jabber.org/protocol/disco#items' node='\(node)'/></iq>
            """, to: .bot)
        let answer = try await world.server.received.next { $0.isReply(to: id) }.element
        return answer.elements.first.flatMap(DiscoPayload.items(in:))?.compactMap(\.node)
    }

    private func bodies(_ world: World, to recipient: JID) -> [String] {
        world.server.received.all.filter { $0.element[attribute: "to"] == recipient.description }
            .compactMap { Message($0.element)?.body }
    }

    @Test("commands in chat, commands with forms and rooms are there, and go with the module at a reload")
    func reload() async throws {
        try await inWorld(accounts, before: prepare) { world in
            try await world.online()
            try await world.until("it is in the room") { await occupants(world) == ["Ann", "Bot"] }
            await world.server.say("/where", from: phone, to: .bot)
            try await world.until("the command is answered") { world.said().last == "2 in the den" }
            await world.server.say("/help", from: phone, to: .bot)
            try await world.until("help is there") {
                world.said().last == "What I know:\n/where – says where I am\n/help – lists this"
            }
            #expect(try await commands(world, id: "c1") == ["where"])
            await world.server.say("hello", in: .den, by: "Ann")
            try await world.until("the room is answered") { world.said().last == "heard hello" }

            world.write([.of("bot@example.org")], [.of([])])
            #expect(await world.service.reload().change?.restarted == [])
            try await world.until("it has left") { await occupants(world) == ["Ann"] }
            #expect(bodies(world, to: JID(.den)).last == "bye" && bodies(world, to: JID(.ally)) == ["bye"])
            #expect(try await commands(world, id: "c2") == nil)
            world.write(accounts, [.of([])])
            _ = await world.service.reload()
            try await world.until("it is back") { await occupants(world) == ["Ann", "Bot"] }
            #expect(try await commands(world, id: "c3") == ["where"])
            let features = world.server.received.all.filter { $0.isPresence(nil, to: nil) }
                .map { $0.element.first("c", "http://jabber.org/protocol/caps")?[attribute: "ver"] }
            #expect(features.count == 3 && features.first == features.last && features[0] != features[1])
            #expect(world.connects == 1)
        }
    }

    @Test(
        "a last word goes out before the session closes: when the service stops, and when the account is taken out",
        arguments: [Configuration.StopMode.close, .resumable, nil])
    func lastWords(_ mode: Configuration.StopMode?) async throws {
        try await inWorld(accounts, stop: mode ?? .close, before: prepare) { world in
            try await world.online()
            try await world.until("it is in the room") { await occupants(world) == ["Ann", "Bot"] }
            if mode == nil {
                world.write([], [.of([])])
                _ = await world.service.reload()
            } else {
                await world.service.stop()
            }
            try await world.until("it said goodbye") { bodies(world, to: JID(.ally)) == ["bye"] }
            #expect(bodies(world, to: JID(.den)) == ["bye"])
            try await world.until("it has left") { await occupants(world) == ["Ann"] }
        }
    }
}
