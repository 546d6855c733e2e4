import DoorwardConfig
import DoorwardStore
import Testing
import XMPPCore
import XMPPModules
import XMPPTestKit

@testable import DoorwardRuntime

/// What accounts tell others of themselves.
@Suite struct ServiceTests {
    private static func configuration(_ answers: Set<AccountConfiguration.Answer>) -> AccountConfiguration {
        var configuration = AccountConfiguration.of("bot@example.org")
        configuration.answers = answers
        return configuration
    }

    private func ask(_ world: World, _ payload: String, from: String, id: String) async throws -> Element {
        await world.server.send("<iq type='get' id='\(id)' from='\(from)'>\(payload)</iq>", to: .bot)
        return try await world.server.received.next { $0.isReply(to: id) }.element
    }

    private func info(_ world: World, _ node: String?, id: String) async throws -> DiscoInfo? {
        let attribute = node.map { "node='\($0)'" } ?? ""
        let query = "<query xmlns='http://jabber.org/protocol/disco#info' \(attribute)/>"
        return try await ask(world, query, from: "bot@example.org", id: id).elements.first.flatMap(
            DiscoPayload.info(in:))
    }

    private func announced(_ world: World) -> [CapsAnnouncement] {
        world.server.received.all.filter { $0.isPresence(nil, to: nil) }
            .compactMap { CapsPayload.announcement(in: $0.element) }
    }

    @Test("what contacts may ask is announced and answered as the files say, and a reload needs no new login")
    func answers() async throws {
        let before = { @Sendable (server: ScriptedServer) async -> Void in
            await server.add(.bot, password: "secret", roster: [ServerRosterItem(.ally, subscription: "from")])
        }
        try await inWorld([Self.configuration([])], before: before) { world in
            try await world.online()
            let version = "<query xmlns='jabber:iq:version'/>"
            func isAnswered(_ from: String, _ id: String) async throws -> Bool {
                try await ask(world, version, from: from, id: id)[attribute: "type"] == "result"
            }
            #expect(try await !isAnswered("ally@example.org/x", "v1"))
            #expect(try await info(world, nil, id: "d1")?.has(Namespace.version) == false)
            let old = try #require(announced(world).first)
            world.write([Self.configuration([.version])], [.of([])])
            #expect(await world.service.reload().change?.updated == [.bot])
            try await world.quiet()
            let new = try #require(announced(world).last)
            #expect(announced(world).count == 2 && new != old && world.connects == 1)
            #expect(try await isAnswered("ally@example.org/x", "v2"))
            #expect(try await !isAnswered("eve@example.net/x", "v3"))
            #expect(try await info(world, new.node, id: "d2")?.has(Namespace.version) == true)
            #expect(try await info(world, old.node, id: "d3")?.has(Namespace.version) == false)
            // What changes nothing that is announced sends nothing.
            world.write([Self.configuration([.version])], [.of([], digest: "other")])
            _ = await world.service.reload()
            try await world.quiet()
            #expect(announced(world).count == 2)
        }
    }

    @Test("two accounts announce the same hash, which names neither, and a session that goes on announces nothing")
    func fleet() async throws {
        let accounts: [AccountConfiguration] = [.of("bot@example.org"), .of("new@example.net")]
        try await inWorld(accounts, before: ResumptionTests.managed) { world in
            for account in accounts { try await world.online(account.jid) }
            try await world.quiet()
            #expect(announced(world).count == 2 && Set(announced(world)).count == 1)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.pass(.seconds(3))
            _ = try await world.state(.online)
            #expect(world.resumptions() == 1)
            try await world.quiet()
            #expect(announced(world).count == 2)
            let node = try #require(announced(world).first?.node)
            #expect(try await info(world, node, id: "d")?.isA("client", "bot") == true)
        }
    }
}
