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
}
