import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit
import XMPPTransport

/// What stands behind a hash is asked for once, and believed of others only where it is proven (XEP-0115 section 5.4).
@Suite struct PeerHashTests {
    /// A client, and a server on which others answer for what they can do.
    private struct Scene {
        let living: LivingModules
        let cache: CapsCache
        private let heard = EventRecorder<DiscoInfo?>()
        private let answers: Locked<[String: DiscoInfo]>

        init() async throws {
            let cache = CapsCache()
            let answers = Locked<[String: DiscoInfo]>([:])
            (self.cache, self.answers) = (cache, answers)
            living = try await LivingModules { [PeerFeaturesModule(cache: cache) { _ in true }] }
            try await living.available()
            await living.server.react { received in
                guard received.isIQ("get", "query", Namespace.discoInfo), let to = received.element[attribute: "to"],
                    let info = answers.withLock({ $0[to] }), let id = received.element[attribute: "id"]
                else { return .usual }
                var sent = IQ(.result, id: id, payload: DiscoPayload.query(info)).element
                sent[attribute: "from"] = to
                return .send(String(decoding: sent.serialized(inside: Namespace.client), as: UTF8.self))
            }
        }

        /// Somebody says what stands behind which hash, and answers with something.
        func announce(_ peer: String, _ hash: String, _ version: String, answering info: DiscoInfo) async throws {
            answers.withLock { $0[peer] = info }
            let hash = hash.isEmpty ? "" : " hash='\(hash)'"
            await living.server.send(
                "<presence from='\(peer)'><c xmlns='http://jabber.org/protocol/caps'\(hash) node='urn:x' ver='\(version)'/>"
                    + "</presence>", to: .bot)
            try await living.server.barrier(.bot)
        }

        func info(of peer: String) async throws -> DiscoInfo? {
            let jid = try JID(peer)
            await living.client.withModule(PeerFeaturesModule.self) { [heard] in $0.info(of: jid) { heard.record($0) } }
            return try await heard.next { _ in true }
        }

        func asked(_ peer: String) -> [String?] {
            living.server.received.all.filter {
                $0.isIQ("get", "query", Namespace.discoInfo) && $0.element[attribute: "to"] == peer
            }.map { $0.element.first("query", Namespace.discoInfo)?[attribute: "node"] }
        }
    }

    private static func info(_ feature: String) -> DiscoInfo {
        DiscoInfo(identities: [.init("client", "phone")], features: [feature])
    }
    private static let (old, new) = (info("urn:example:1"), info("urn:example:2"))

    private func version(_ info: DiscoInfo) throws -> String { try #require(CapsHash(.first, .sha1, of: info)).text }

    @Test("a contact that can do something else now is asked once more, and whoever announces the same is not asked")
    func changed() async throws {
        let scene = try await Scene()
        let (ann, ben) = ("ann@example.org/1", "ben@example.org/2")
        try await scene.announce(ann, "sha-1", try version(Self.old), answering: Self.old)
        for _ in 0..<3 { #expect(try await scene.info(of: ann) == Self.old) }
        try await scene.announce(ann, "sha-1", try version(Self.new), answering: Self.new)
        for _ in 0..<3 { #expect(try await scene.info(of: ann) == Self.new) }
        #expect(scene.asked(ann) == ["urn:x#" + (try version(Self.old)), "urn:x#" + (try version(Self.new))])
        // Whoever is of the same program, and whoever still is of the old one.
        try await scene.announce(ben, "sha-1", try version(Self.new), answering: Self.old)
        #expect(try await scene.info(of: ben) == Self.new)
        try await scene.announce(ben, "sha-1", try version(Self.old), answering: Self.new)
        #expect(try await scene.info(of: ben) == Self.old)
        #expect(scene.asked(ben).isEmpty && scene.cache.count == 2)
        try await scene.living.finish()
    }

    @Test("an answer that has another hash is kept for that resource, and for nobody else, itself included")
    func wrongHash() async throws {
        let scene = try await Scene()
        let (eve, ann, tablet) = ("eve@example.org/1", "ann@example.org/1", "eve@example.org/2")
        let announced = try version(Self.old)
        // Eve claims the hash of others for what they cannot do.
        try await scene.announce(eve, "sha-1", announced, answering: Self.new)
        for _ in 0..<2 { #expect(try await scene.info(of: eve) == Self.new) }
        #expect(scene.asked(eve).count == 1 && scene.cache.count == 0)
        try await scene.announce(tablet, "sha-1", announced, answering: Self.info("urn:example:3"))
        #expect(try await scene.info(of: tablet) == Self.info("urn:example:3"))
        try await scene.announce(ann, "sha-1", announced, answering: Self.old)
        #expect(try await scene.info(of: ann) == Self.old)
        #expect(scene.asked(ann).count == 1 && scene.asked(tablet).count == 1 && scene.cache.count == 1)
        // What is proven now does not make a liar of what Eve said of herself.
        #expect(try await scene.info(of: eve) == Self.new && scene.asked(eve).count == 1)
        try await scene.living.finish()
    }

    @Test(
        "a function that nobody knows, and an announcement of before hashes, prove nothing",
        arguments: ["md5", "x", ""])
    func unknownFunction(name: String) async throws {
        let scene = try await Scene()
        let peers = ["ann@example.org/1", "ben@example.org/1"]
        for (peer, info) in zip(peers, [Self.old, Self.new]) {
            try await scene.announce(peer, name, try version(Self.old), answering: info)
            for _ in 0..<2 { #expect(try await scene.info(of: peer) == info) }
            // Of before hashes there is nothing that could be remembered, so each question is asked.
            let node = name.isEmpty ? nil : "urn:x#" + (try version(Self.old))
            #expect(scene.asked(peer) == (name.isEmpty ? [nil, nil] : [node]))
        }
        #expect(scene.cache.count == 0)
        try await scene.living.finish()
    }
}
