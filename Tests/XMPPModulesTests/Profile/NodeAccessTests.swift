import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// Who may see what an account publishes, whatever the server knows of demands on nodes.
@Suite struct NodeAccessTests {
    @Test(
        "where a server does not heed what publishers demand, a node is made and read back before anything stands in it (CVE-2018-6591, CVE-2019-1000021)"
    )
    func unheeded() async throws {
        let image = try Pictures.image()
        let world = try await ProfileWorld(Profile(avatar: image), features: [ProfileWorld.nodes]) {
            $0.announce([ProfileWorld.nodes], hasNodes: true, heedsOptions: false)
        }
        for node in [Namespace.avatarData, Namespace.avatarMetadata] {
            #expect(world.content.accessModel(of: node, of: .bot) == "open")
            #expect(world.content.payloads(at: node, of: .bot).count == 1)
        }
        let orders = world.server.received.all.compactMap { received -> String? in
            guard received.element[attribute: "type"] == "set" else { return nil }
            let payload = received.element.elements.first
            return payload?.name == "pubsub" ? payload?.elements.first?.name : nil
        }
        #expect(orders == ["configure", "create", "publish", "configure", "create", "publish"])
        #expect(world.outcomes.all.map(\.error) == [nil, nil])
        try await world.finish()
    }

    @Test("what the server makes of a node is believed only when it says so: else nothing is published there (A7)")
    func fixedAccess() async throws {
        let world = try await ProfileWorld(Profile(avatar: Pictures.image()), features: [ProfileWorld.nodes]) {
            $0.announce([ProfileWorld.nodes], hasNodes: true, heedsOptions: false)
            $0.fixAccess(to: "presence")
        }
        #expect(world.outcomes.all.last?.part == .avatar && world.outcomes.all.last?.error?.code == .refused)
        #expect(world.content.payloads(at: Namespace.avatarData, of: .bot).isEmpty)
        #expect(
            !world.server.received.all.contains { $0.element.elements.first?.first("publish", Namespace.pubSub) != nil }
        )
        // What only some shall see, at a server that shows it to all.
        world.content.fixAccess(to: "open")
        let answers = EventRecorder<ClientError?>()
        _ = await world.client.withModule(SessionKeeper.self) { keeper in
            keeper.session?.publish(VCard4(), for: .whitelist) { answers.record($0) }
        }
        #expect(try await answers.next { _ in true }?.code == .refused)
        #expect(world.content.payloads(at: Namespace.vCard4Node, of: .bot).isEmpty)
        try await world.finish()
    }

    @Test("a service for nodes that is not one for an account's own gets nothing published (XEP-0163 section 6)")
    func otherService() async throws {
        let world = try await ProfileWorld(
            Profile(name: "Support", nickname: "support", avatar: Pictures.image()), features: []
        ) { $0.announce([ProfileWorld.nodes], hasNodes: false) }
        #expect(world.outcomes.all.map(\.part) == [.vCard])
        try await world.finish()
    }
}
