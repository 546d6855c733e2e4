import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// The ready modules with a `Client`, as the author of a bot uses them.
@Suite struct ModulesWithClientTests {
    private static let bot = BareJID(preparedLocal: "bot", preparedDomain: "example.org")
    private static let ann = BareJID(preparedLocal: "ann", preparedDomain: "example.org")
    private static let eve = BareJID(preparedLocal: "eve", preparedDomain: "example.net")

    private func makeServer() async throws -> ScriptedServer {
        let server = try ScriptedServer()
        await server.add(
            Self.bot, password: "secret",
            roster: [ServerRosterItem(Self.ann, subscription: "both"), ServerRosterItem(Self.eve, subscription: "to")])
        await server.behave { $0 = .modern }
        return server
    }

    private func options(_ server: ScriptedServer, _ loads: EventRecorder<Int>) -> Client.Options {
        var options = Client.Options()
        options.transport = server.transport()
        options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        options.modules = {
            let roster = RosterModule(account: Self.bot, onLoaded: { loads.record($0.count) }, onChange: { _ in })
            return [roster, BlockingModule(account: Self.bot), PingModule(mayKnow: roster.mayKnow)]
        }
        return options
    }

    private func resumed(_ server: ScriptedServer) async throws {
        _ = try await server.events.next { if case .resumed = $0 { true } else { false } }
        try await server.barrier(Self.bot)
    }

    private func asks(_ server: ScriptedServer, _ name: String) -> Int {
        server.received.all.count { $0.element.elements.first?.name == name }
    }

    @Test("roster and block list are there by themselves, follow the server, and are asked for once a session")
    func mirrors() async throws {
        let (server, loads) = (try await makeServer(), EventRecorder<Int>())
        let client = try Client(account: Self.bot, password: "secret", options: options(server, loads))
        let running = Task { try await client.run() }
        try await client.online()
        #expect(try await loads.next { _ in true } == 2)
        try await client.request(.set, BlockingPayload.block(Self.eve))
        try await server.barrier(Self.bot)
        #expect(await client.withModule(BlockingModule.self) { $0.isLoaded } == true)
        let new = BareJID(preparedLocal: "new", preparedDomain: "example.org")
        await server.push(new, to: Self.bot) { $0.name = "New" }
        await server.dropLink(of: Self.bot)
        try await resumed(server)
        #expect(await client.withModule(RosterModule.self) { Set($0.items.keys) } == [Self.ann, Self.eve, new])
        #expect(asks(server, "query") == 1 && asks(server, "blocklist") == 1)
        // A new session is asked anew.
        await server.closeStream(of: Self.bot)
        #expect(try await loads.next { _ in true } == 3)
        try await server.barrier(Self.bot)
        #expect(await client.withModule(BlockingModule.self) { $0.list.items } == [JID(Self.eve)])
        await client.stop()
        try await running.value
        server.stop()
    }

    @Test("after ten new sessions each event is told once, and a resumption tells none again (XMPPFramework #309)")
    func once() async throws {
        let (server, seen) = (try await makeServer(), EventRecorder<String>())
        var options = Client.Options()
        options.transport = server.transport()
        options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        options.modules = {
            let roster = RosterModule(account: Self.bot, onLoaded: { _ in seen.record("loaded") }) {
                seen.record("\($0)")
            }
            let subscriptions = SubscriptionModule(roster: roster) { seen.record("\($0)") }
            let presence = PresenceModule(account: Self.bot, roster: roster) { seen.record("\($0)") }
            return [roster, subscriptions, presence]
        }
        let client = try Client(account: Self.bot, password: "secret", options: options)
        let running = Task { try await client.run() }
        for session in 0...10 {
            _ = try await server.events.next { if case .available = $0 { true } else { false } }
            try await server.barrier(Self.bot)
            #expect(seen.all.filter { $0 == "loaded" }.count == session + 1)
            if session < 10 { await server.closeStream(of: Self.bot) }
        }
        await server.dropLink(of: Self.bot)
        try await resumed(server)
        let before = seen.all.count
        await server.push(Self.ann, to: Self.bot) { $0.name = "Ann" }
        await server.ask(Self.bot, from: JID(Self.eve))
        await server.send("<presence from='ann@example.org/x'/>", to: Self.bot)
        await server.send("<presence type='unsubscribe' from='eve@example.net'/>", to: Self.bot)
        try await server.barrier(Self.bot)
        let words = seen.all.dropFirst(before)
        #expect(words.count == 4, "\(words)")
        await client.stop()
        try await running.value
        server.stop()
    }

    @Test("a process that goes on with the session of the one before asks for what it does not know")
    func nextProcess() async throws {
        let (server, loads) = (try await makeServer(), EventRecorder<Int>())
        let first = try Client(account: Self.bot, password: "secret", options: options(server, loads))
        let running = Task { try await first.run() }
        try await first.online()
        _ = try await loads.next { _ in true }
        await first.stop(resumable: true)
        try await running.value
        var options = options(server, loads)
        options.memory = await first.memory
        let second = try Client(account: Self.bot, password: "secret", options: options)
        let again = Task { try await second.run() }
        try await resumed(server)
        #expect(try await loads.next { _ in true } == 2)
        await second.stop()
        try await again.value
        server.stop()
    }

    @Test("a server without them leaves the mirrors unloaded, and the session goes on")
    func without() async throws {
        let (server, loads) = (try await makeServer(), EventRecorder<Int>())
        await server.behave {
            $0.announcesBlocking = false
            $0.answersRoster = false
        }
        let client = try Client(account: Self.bot, password: "secret", options: options(server, loads))
        let running = Task { try await client.run() }
        try await client.online()
        try await server.barrier(Self.bot)
        #expect(await client.withModule(BlockingModule.self) { $0.isLoaded } == false)
        #expect(await client.withModule(RosterModule.self) { $0.isLoaded } == false)
        await client.stop()
        try await running.value
        server.stop()
    }

    @Test(
        "a ping is answered to the account, its server and who sees its presence; others hear what strangers hear",
        arguments: [
            (nil, true, true), ("example.org", true, true), ("bot@example.org/other", true, true),
            ("bot@example.org", true, true), ("ann@example.org/x", false, true), ("eve@example.net/x", false, false),
            ("zed@example.org/x", false, false), ("example.net", false, false), ("bot@example.net", false, false),
        ] as [(String?, Bool, Bool)])
    func pings(sender: String?, byDefault: Bool, byRoster: Bool) throws {
        let roster = RosterModule(account: Self.bot, onChange: { _ in })
        let items = [ServerRosterItem(Self.ann, subscription: "from"), ServerRosterItem(Self.eve, subscription: "to")]
        roster.loaded(
            Element("query", namespace: Namespace.roster, children: try items.map { .element(try Self.element($0)) }))
        for (module, isAnswered) in [
            (PingModule(account: Self.bot), byDefault), (PingModule(mayKnow: roster.mayKnow), byRoster),
        ] {
            var element = Element(
                "iq", namespace: Namespace.client, attributes: [.init("type", "get"), .init("id", "p")],
                children: [.element(PingPayload.get())])
            element[attribute: "from"] = sender
            let stanza = try #require(Stanza(element))
            let answer = try #require(StanzaRouter(modules: [module]).route(stanza))
            #expect(answer[attribute: "type"] == (isAnswered ? "result" : "error"), "\(sender ?? "nobody")")
            let stranger = try #require(StanzaRouter(modules: []).route(stanza))
            if !isAnswered { #expect(answer == stranger) }
        }
    }

    private static func element(_ item: ServerRosterItem) throws -> Element {
        Element(
            "item", namespace: Namespace.roster,
            attributes: [.init("jid", item.jid.description), .init("subscription", item.subscription)])
    }
}
