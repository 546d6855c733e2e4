import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// The article on contacts shows code that is compiled here, and does what it says.
@Suite struct ContactsArticleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test("each piece of code in the article is a piece of a file that is compiled")
    func compiled() throws {
        let file = Self.folder.appending(path: "ContactsSnippets.swift")
        let known = Self.lines(try String(contentsOf: file, encoding: .utf8))
        let article = Self.folder.appending(path: "../../Sources/XMPPModules/XMPPModules.docc/Contacts.md")
        let blocks = try String(contentsOf: article, encoding: .utf8).split(separator: "```swift\n").dropFirst()
        #expect(blocks.count >= 8)
        for block in blocks {
            let lines = Self.lines(try #require(block.split(separator: "```").first))
            #expect(known.indices.contains { known[$0...].starts(with: lines) }, "\(lines)")
        }
    }

    @Test("it loads, changes, hears and searches contacts as it says")
    func works() async throws {
        let server = try ScriptedServer()
        let ann = BareJID.of("ann")
        await server.add(
            .bot, password: "secret", roster: [ServerRosterItem(.ally, subscription: "both", name: "Annie")])
        let (events, sink) = AsyncStream<SubscriptionModule.Event>.makeStream()
        var options = Client.Options()
        options.transport = server.transport()
        ContactsSnippets.options(.bot, sink, &options)
        let client = try Client(account: .bot, password: "secret", options: options)
        let running = Task { try await client.run() }
        _ = try await server.events.next { if case .available = $0 { true } else { false } }
        try await server.barrier(.bot)
        let address = try #require(await client.address)
        // One presence each of a contact, of another resource of the account, and of this one.
        await server.send("<presence from='ally@example.org/x'><show>away</show></presence>", to: .bot)
        await server.send("<presence from='bot@example.org/other'/><presence from='\(address)'/>", to: .bot)
        try await server.barrier(.bot)
        var found: [String] = []
        await ContactsSnippets.search(client) { found += [$0, $1] }
        #expect(found == ["Annie", "away"])
        let own = await client.withModule(PresenceModule.self) { $0.ownResources.map(\.resource) }
        #expect(own == ["other"])
        try await ContactsSnippets.change(client, ann)
        try await server.barrier(.bot)
        #expect(await server.roster(of: .bot).map(\.jid) == [.ally])
        #expect(server.received.all.contains { $0.isPresence("subscribe", to: "ann@example.org") })
        await server.ask(.bot, from: JID(.new), "hello")
        await server.send("<presence type='unsubscribed' from='ally@example.org'/>", to: .bot)
        try await server.barrier(.bot)
        #expect(await client.withModule(PresenceModule.self) { $0.count } == 2)
        await server.ask(.bot, from: JID(.of("carl")), "hello")
        try await server.barrier(.bot)
        try await ContactsSnippets.answer(client, .of("carl"))
        try await server.barrier(.bot)
        let answers = server.received.all.map(\.element).filter {
            $0.name == "presence" && $0[attribute: "type"] != nil
        }
        #expect(
            answers.suffix(4).map { "\($0[attribute: "type"] ?? "") \($0[attribute: "to"] ?? "")" } == [
                "subscribed carl@example.org", "subscribe carl@example.org", "unsubscribed carl@example.org",
                "unsubscribed new@example.net",
            ])
        await client.stop()
        try await running.value
        // Who is there only a session tells.
        #expect(await client.withModule(PresenceModule.self) { $0.count } == 0)
        sink.finish()
        var said: [String] = []
        await ContactsSnippets.hear(events) { said.append($0) }
        #expect(
            said == [
                "new@example.net asks: hello", "ally@example.org does not let us see it any more",
                "carl@example.org asks: hello",
            ])
        server.stop()
    }

    @Test("without a session a change of the roster says so")
    func offline() async throws {
        let client = try Client(account: .bot, password: "secret")
        let error = await #expect(throws: RosterError.self) {
            try await client.changeRoster { $0.remove(.ally, reply: $1) }
        }
        #expect(error?.code == .offline)
    }
}
