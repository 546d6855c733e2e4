import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// Discovery, capabilities, answers and rooms with a `Client`, as the author of a bot uses them.
@Suite struct ServicesWithClientTests {
    /// What the author of a bot adds, and takes away.
    private final class Extra: SessionModule {
        var features = ["urn:example:extra"]
        var namespaces: [String] { [] }
    }

    /// A client online at a server, with these modules.
    private func online(
        _ make: @escaping @Sendable () -> [any SessionModule],
        _ body: (ScriptedServer, Client) async throws -> Void
    ) async throws {
        let server = try ScriptedServer()
        await server.add(.bot, password: "secret")
        await server.behave { $0 = .modern }
        var options = Client.Options()
        options.transport = server.transport()
        options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        options.modules = make
        let client = try Client(account: .bot, password: "secret", options: options)
        let running = Task { try await client.run() }
        try await client.online()
        try await body(server, client)
        await client.stop()
        try await running.value
        server.stop()
    }

    private static let services: @Sendable () -> [any SessionModule] = {
        let disco = DiscoModule { $0 == nil || $0 == .ann || $0 == .bot }
        let answers = AnswersModule({ [.time] }, name: "Bot", version: "1") { $0 == .ann }
        return [disco, CapsModule(node: "urn:example:bot", disco: disco), answers, Extra()]
    }

    private func ask(_ server: ScriptedServer, _ payload: String, from: String, id: String) async throws -> Element {
        await server.send("<iq type='get' id='\(id)' from='\(from)' to='bot@example.org/x'>\(payload)</iq>", to: .bot)
        return try await server.received.next { $0.isReply(to: id) }.element
    }

    private func info(_ server: ScriptedServer, _ node: String?, id: String) async throws -> DiscoInfo? {
        let node = node.map { "node='\($0)'" } ?? ""
        let answer = try await ask(
            server, "<query xmlns='http://jabber.org/protocol/disco#info' \(node)/>", from: "ann@example.org/x", id: id)
        return answer.elements.first.flatMap(DiscoPayload.info(in:))
    }

    private func announced(_ server: ScriptedServer) -> [CapsAnnouncement] {
        server.received.all.filter { $0.isPresence(nil, to: nil) }
            .compactMap { CapsPayload.announcement(in: $0.element) }
    }

    @Test("presence says what stands behind it; a change is announced, and the sets before are still answered for")
    func announcing() async throws {
        try await online(Self.services) { server, client in
            try await server.barrier(.bot)
            for number in 1...4 {
                await client.withModule(Extra.self) { $0.features.append("urn:example:\(number)") }
                await client.withModule(CapsModule.self) {
                    $0.refresh()
                    // The same again is no change.
                    $0.refresh()
                }
                try await server.barrier(.bot)
            }
            let announced = announced(server)
            #expect(announced.count == 5 && Set(announced).count == 5)
            for (index, announcement) in announced.enumerated() {
                let info = try await info(server, announcement.node, id: "old-\(index)")
                // Three sets, and no more.
                #expect((info != nil) == (index >= 2), "\(index)")
                if let info { #expect(CapsHash(.second, .sha256, of: info) == announcement.hash) }
            }
            let now = try #require(try await info(server, nil, id: "now"))
            #expect(now.has("urn:example:4") && now.has(Namespace.caps) && now.has(Namespace.time))
            #expect(try await info(server, "urn:example:bot#nothing", id: "none") == nil)
        }
    }

    @Test("whoever may not know hears one refusal, and what is asked wrongly by others is told")
    func asking() async throws {
        try await online(Self.services) { server, _ in
            let info = "<query xmlns='http://jabber.org/protocol/disco#info'/>"
            let items = "<query xmlns='http://jabber.org/protocol/disco#items' node=''/>"
            for (index, payload) in [info, items, "<time xmlns='urn:xmpp:time'/>", "<x xmlns='urn:x'/>"].enumerated() {
                let answer = try await ask(server, payload, from: "eve@example.net/x", id: "eve-\(index)")
                let error = answer.first("error", Namespace.client)
                #expect(error?.elements.map(\.name) == ["service-unavailable"])
            }
            let empty = try await ask(server, items, from: "bot@example.org", id: "items")
            #expect(empty[attribute: "type"] == "result" && empty.elements.first?.elements.isEmpty == true)
            #expect(empty.elements.first?[attribute: "node"] == "")
            let time = try await ask(server, "<time xmlns='urn:xmpp:time'/>", from: "ann@example.org/x", id: "time")
            let parts = time.elements.first?.elements.map(\.name)
            #expect(parts == ["tzo", "utc"])
            for node in ["x", "http://jabber.org/protocol/commands"] {
                let query = "<query xmlns='http://jabber.org/protocol/disco#items' node='\(node)'/>"
                let answer = try await ask(server, query, from: "ann@example.org/x", id: "n-\(node)")
                #expect(answer.first("error", Namespace.client)?.elements.map(\.name) == ["item-not-found"])
            }
        }
    }

    @Test("commands are listed to each who may run them, with what they are")
    func commands() async throws {
        let modules: @Sendable () -> [any SessionModule] = {
            let commands = [
                AdHocCommand("a", name: "For Ann", mayRun: { $0 == .ann }) { _, answer in answer(.done()) },
                AdHocCommand("b", name: "For all", mayRun: { _ in true }) { _, answer in answer(.failed("No.")) },
            ]
            return [DiscoModule { _ in true }, CommandsModule(commands) { _ in true }]
        }
        try await online(modules) { server, _ in
            func items(_ from: String) async throws -> [String?] {
                let answer = try await ask(
                    server,
                    "<query xmlns='http://jabber.org/protocol/disco#items' node='http://jabber.org/protocol/commands'/>",
                    from: from, id: "list-\(from)")
                return answer.elements.first.flatMap(DiscoPayload.items(in:))?.map(\.node) ?? []
            }
            #expect(try await items("ann@example.org/x") == ["a", "b"])
            #expect(try await items("eve@example.net/x") == ["b"])
            let list = try await info(server, Namespace.commands, id: "list")
            #expect(list?.isA("automation", "command-list") == true)
            let one = try await info(server, "a", id: "a")
            #expect(one?.identities == [.init("automation", "command-node", name: "For Ann")])
            #expect(one?.features == [Namespace.commands, Namespace.dataForms])
        }
    }

    @Test(
        "what others can do is asked once for all who announce the same, and what nothing proves is believed of one only"
    )
    func peers() async throws {
        let cache = CapsCache()
        try await online({ [PeerFeaturesModule(cache: cache)] }) { server, client in
            let truth = DiscoInfo(identities: [.init("client", "phone")], features: ["urn:example:1"])
            let hash = try #require(CapsHash(.second, .sha256, of: truth))
            let lie = DiscoInfo(identities: [.init("client", "phone")], features: ["urn:example:lie"])
            await server.react { received in
                guard received.isIQ("get", "query", Namespace.discoInfo), let to = received.element[attribute: "to"],
                    to.contains("/"), let id = received.element[attribute: "id"]
                else { return .usual }
                let query = DiscoPayload.query(to.hasPrefix("eve") ? lie : truth)
                let answer = IQ(.result, id: id, payload: query).element
                var sent = answer
                sent[attribute: "from"] = to
                return .send(String(decoding: sent.serialized(inside: Namespace.client), as: UTF8.self))
            }
            let caps = CapsPayload.second([hash]).serialized(inside: Namespace.client)
            for from in ["eve@example.net/x", "ann@example.org/1", "ann@example.org/2"] {
                await server.send(
                    "<presence from='\(from)'>\(String(decoding: caps, as: UTF8.self))</presence>", to: .bot)
            }
            try await server.barrier(.bot)
            let heard = EventRecorder<DiscoInfo?>()
            func ask(_ peer: String) async throws {
                let jid = try JID(peer)
                await client.withModule(PeerFeaturesModule.self) { $0.info(of: jid) { heard.record($0) } }
            }
            try await ask("eve@example.net/x")
            #expect(try await heard.next { _ in true } == lie)
            #expect(cache.count == 0)
            // Both at once: one question.
            try await ask("ann@example.org/1")
            try await ask("ann@example.org/2")
            for _ in 0..<2 { #expect(try await heard.next { _ in true } == truth) }
            #expect(cache.count == 1)
            let asked = server.received.all.filter { $0.isIQ("get", "query", Namespace.discoInfo) }
            let nodes = asked.compactMap { $0.element.elements.first?[attribute: "node"] }
            #expect(nodes == Array(repeating: "urn:xmpp:caps#sha-256.\(hash.text)", count: 2))
            let known = try JID("ann@example.org/2")
            #expect(await client.withModule(PeerFeaturesModule.self) { $0.known(of: known) } == .some(truth))
            // Who is gone is not known any more; who announces nothing is asked each time.
            await server.send("<presence from='ann@example.org/2' type='unavailable'/>", to: .bot)
            try await server.barrier(.bot)
            #expect(await client.withModule(PeerFeaturesModule.self) { $0.known(of: known) } == .some(nil))
        }
    }

    @Test("rooms are entered behind the first presence, again after each new session, and not after a resumption")
    func rooms() async throws {
        let events = EventRecorder<RoomEvent>()
        let modules: @Sendable () -> [any SessionModule] = {
            [RoomsModule([RoomSettings(.room, nickname: "Bot")]) { events.record($1) }]
        }
        try await online(modules) { server, client in
            func entries() -> Int { server.received.all.count { $0.isPresence(nil, to: "den@rooms.example.org/Bot") } }
            func letIn() async throws {
                _ = try await server.received.next { $0.isPresence(nil, to: "den@rooms.example.org/Bot") }
                await server.send(
                    """
                    <presence from='den@rooms.example.org/Bot'><x xmlns='http://jabber.org/protocol/muc#user'>\
                    <item role='participant' affiliation='none'/><status code='110'/></x></presence>
                    """, to: .bot)
                _ = try await events.next { if case .entered = $0 { true } else { false } }
            }
            try await letIn()
            let first = server.received.all.firstIndex { $0.isPresence(nil, to: nil) } ?? .max
            let entry = server.received.all.firstIndex { $0.isPresence(nil, to: "den@rooms.example.org/Bot") } ?? .min
            #expect(first < entry)
            let id = await client.withModule(RoomsModule.self) { $0.say("hello", in: .room) }
            let said = try await server.received.next { $0.element.name == "message" }
            #expect(said.element[attribute: "type"] == "groupchat" && said.element[attribute: "id"] == id)
            await server.dropLink(of: .bot)
            _ = try await server.events.next { if case .resumed = $0 { true } else { false } }
            // The room is asked whether we are still in.
            _ = try await server.received.next { $0.isIQ("get", "ping", Namespace.ping) }
            try await server.barrier(.bot)
            #expect(entries() == 1)
            await server.closeStream(of: .bot)
            try await letIn()
            #expect(entries() == 2)
            await client.withModule(RoomsModule.self) { $0.leave(.room) }
            _ = try await server.received.next { $0.isPresence("unavailable", to: "den@rooms.example.org/Bot") }
            #expect(await client.withModule(RoomsModule.self) { $0.say("x", in: .room) } == .some(nil))
        }
    }

    @Test("a receipt is sent to those who may know, as soon as the message is there")
    func receipts() async throws {
        try await online({ [ReceiptsModule(mayKnow: { $0 == .ann })] }) { server, _ in
            for (from, id) in [("eve@example.net/x", "1"), ("ann@example.org/x", "2")] {
                await server.send(
                    """
                    <message from='\(from)' id='\(id)' type='chat'><body>x</body><request xmlns='urn:xmpp:receipts'/></message>
                    """, to: .bot)
            }
            let receipt = try await server.received.next { $0.element.name == "message" }
            #expect(receipt.element[attribute: "to"] == "ann@example.org/x")
            #expect(receipt.element.first("received", Namespace.receipts)?[attribute: "id"] == "2")
        }
    }
}
