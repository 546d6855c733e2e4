import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// What real servers do with our capabilities.
@Suite("Capabilities", .serialized)
struct CapabilityTests {
    /// Wants the news of a node, and keeps what it hears.
    private final class NewsModule: SessionModule {
        static let node = "urn:example:news"
        let news = EventRecorder<String>()
        var namespaces: [String] { [] }
        var features: [String] { [Self.node + "+notify"] }
        func received(message: Message) {
            let items = message.element.first("event", "http://jabber.org/protocol/pubsub#event")?.elements.first
            if items?[attribute: "node"] == Self.node { news.record(message.from?.bare.description ?? "") }
        }
    }

    @Test(
        "The service says what it can do, and answers for it: a client of its own, and no stranger",
        arguments: ServerKind.allCases)
    func service(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("caps", policy: Policies.askAll)
        let bot = try await deployment.addAccount("caps-bot", on: server)
        try deployment.write()
        let phone = try await deployment.otherClient(of: bot, on: server)
        try await server.addUser("caps-eve", at: Hosts.example, password: "pw")
        let eve = try await Guest.login("caps-eve@\(Hosts.example)", password: "pw", to: server)
        defer {
            phone.leave()
            eve.leave()
        }
        try await DoorwardProcess.with(deployment) { _ in
            let presence = try await phone.next("the service's capabilities") {
                $0[attribute: "from"] == bot + "/doorward" && $0.first("c", Namespace.caps) != nil
            }
            let first = try #require(presence.first("c", Namespace.caps))
            let node = "\(first[attribute: "node"] ?? "")#\(first[attribute: "ver"] ?? "")"
            let second = try #require(CapsPayload.announcement(in: presence))
            for node in [nil, node, second.node] {
                let reply = try await phone.request("get", to: bot + "/doorward", DiscoPayload.info(node: node))
                let query = try #require(reply.elements.first)
                #expect(query[attribute: "node"] == node)
                let info = try #require(DiscoPayload.info(in: query))
                #expect(CapsHash(.first, .sha1, of: info)?.text == first[attribute: "ver"])
                #expect(CapsHash(.second, .sha256, of: info) == second.hash)
                #expect(info.isA("client", "bot") && info.has(Namespace.ping) && !info.has(Namespace.roster))
            }
            await #expect(throws: HarnessError.self) {
                try await eve.request("get", to: bot + "/doorward", DiscoPayload.info())
            }
        }
    }

    @Test(
        "News of a contact and of the account itself come to whoever announces that it wants them",
        arguments: ServerKind.allCases)
    func news(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        let account = try BareJID("news-bot@\(Hosts.bots)")
        try await server.addUser("news-bot", at: Hosts.bots, password: "pw")
        var options = Client.Options()
        options.server = .init(host: "127.0.0.1", port: server.port)
        options.authorities = server.caFile
        let news = NewsModule()
        nonisolated(unsafe) let module = news
        let heard = news.news
        options.modules = {
            let disco = DiscoModule { $0 == nil || $0 == account || $0 == account.server }
            return [disco, CapsModule(node: "urn:example:bot", disco: disco), module]
        }
        let client = try Client(account: account, password: "pw", options: options)
        let running = Task { try await client.run() }
        try await client.online()
        let phone = try await Guest.login(account.description, password: "pw", to: server)
        let item = Element(
            "item", namespace: "http://jabber.org/protocol/pubsub", attributes: [.init("id", "1")],
            children: [.element(Element("news", namespace: NewsModule.node))])
        let publish = Element(
            "publish", namespace: "http://jabber.org/protocol/pubsub", attributes: [.init("node", NewsModule.node)],
            children: [.element(item)])
        // The server asks for what stands behind the hash as soon as it sees it; then it sends what is there.
        try await phone.request(
            "set",
            Element("pubsub", namespace: "http://jabber.org/protocol/pubsub", children: [.element(publish)]))
        #expect(try await heard.next { _ in true } == account.description)
        phone.leave()
        await client.stop()
        try await running.value
    }
}
