import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// What is believed of others by what they announce (XEP-0115).
@Suite struct PeerFeaturesTests {
    @Test("a presence without capabilities says nothing new; an answer behind a hash nobody knows is good for one only")
    func silentCapabilities() async throws {
        let cache = CapsCache()
        let living = try await LivingModules { [PeerFeaturesModule(cache: cache)] }
        let (server, client) = (living.server, living.client)
        try await living.available()
        let info = DiscoInfo(identities: [.init("client", "phone")], features: ["urn:example:1"])
        await server.react { received in
            guard received.isIQ("get", "query", Namespace.discoInfo), let to = received.element[attribute: "to"],
                to.contains("/"), let id = received.element[attribute: "id"]
            else { return .usual }
            var sent = IQ(.result, id: id, payload: DiscoPayload.query(info)).element
            sent[attribute: "from"] = to
            return .send(String(decoding: sent.serialized(inside: Namespace.client), as: UTF8.self))
        }
        let heard = EventRecorder<DiscoInfo?>()
        func ask(_ peer: String) async throws {
            let jid = try JID(peer)
            await client.withModule(PeerFeaturesModule.self) { $0.info(of: jid) { heard.record($0) } }
            #expect(try await heard.next { _ in true } == info)
        }
        func asked() -> Int { server.received.all.count { $0.isIQ("get", "query", Namespace.discoInfo) } }
        let caps = "<c xmlns='http://jabber.org/protocol/caps' hash='md5' node='urn:x' ver='1'/>"
        for from in ["ann@example.org/1", "ann@example.org/2"] {
            await server.send("<presence from='\(from)'>\(caps)</presence>", to: .bot)
        }
        try await server.barrier(.bot)
        let before = asked()
        try await ask("ann@example.org/1")
        try await ask("ann@example.org/2")
        #expect(asked() == before + 2 && cache.count == 0)
        // Its server leaves out what has not changed.
        await server.send("<presence from='ann@example.org/1'><show>away</show></presence>", to: .bot)
        try await server.barrier(.bot)
        try await ask("ann@example.org/1")
        #expect(asked() == before + 2)
        try await living.finish()
    }

    @Test("a flood of strangers pushes out strangers, and no contact; among themselves the first heard goes first")
    func flood() throws {
        let cache = CapsCache()
        let info = DiscoInfo(identities: [.init("client", "phone")], features: ["urn:example:1"])
        let hash = CapsHash(.first, .sha1, of: info)
        #expect(cache.learn(info, for: try #require(hash)))
        let module = PeerFeaturesModule(cache: cache) { $0.domain == "example.org" }
        func hear(_ from: String) throws {
            let caps = CapsPayload.first(node: "urn:x", try #require(hash))
            var element = Element("presence", namespace: Namespace.client, children: [.element(caps)])
            element[attribute: "from"] = from
            module.received(presence: try #require(Presence(element)))
        }
        func isKnown(_ peer: String) throws -> Bool { module.known(of: try JID(peer)) != nil }
        for number in 0..<500 { try hear("c\(number)@example.org/x") }
        for number in 0..<5_000 { try hear("s\(number)@example.net/x") }
        #expect(try (0..<500).allSatisfy { try isKnown("c\($0)@example.org/x") })
        let strangers = try (0..<5_000).count { try isKnown("s\($0)@example.net/x") }
        #expect(strangers >= 400 && strangers <= 500)
        #expect(try isKnown("s4999@example.net/x") && !isKnown("s0@example.net/x"))
        // Contacts take the places of strangers, and then of those heard first.
        for number in 500..<1_200 { try hear("c\(number)@example.org/x") }
        #expect(try isKnown("c1199@example.org/x") && !isKnown("c0@example.org/x"))
        #expect(try !(0..<5_000).contains { try isKnown("s\($0)@example.net/x") })
        try hear("late@example.net/x")
        #expect(try (1_100..<1_200).allSatisfy { try isKnown("c\($0)@example.org/x") })
    }
}
