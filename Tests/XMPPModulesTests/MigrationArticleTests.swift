import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// The articles for users of XMPPFramework, in both languages, show code that is compiled here, and does what they say.
@Suite struct MigrationArticleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let names = ["ComingFromXMPPFramework", "ComingFromXMPPFramework-zh"]

    private static func article(_ name: String) throws -> String {
        let catalog = folder.appending(path: "../../Sources/XMPPModules/XMPPModules.docc")
        return try String(contentsOf: catalog.appending(path: "\(name).md"), encoding: .utf8)
    }

    private static func blocks(_ article: String, of language: String) -> [String] {
        article.split(separator: "```\(language)\n").dropFirst().map {
            $0.split(separator: "```", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        }
    }

    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test("each piece of Swift in the articles is a piece of a file that is compiled", arguments: names)
    func compiled(name: String) throws {
        let file = Self.folder.appending(path: "MigrationSnippets.swift")
        let known = Self.lines(try String(contentsOf: file, encoding: .utf8))
        let blocks = Self.blocks(try Self.article(name), of: "swift")
        #expect(blocks.count >= 6)
        for block in blocks {
            let lines = Self.lines(block)
            #expect(known.indices.contains { known[$0...].starts(with: lines) }, "\(lines)")
        }
    }

    @Test("both languages show the same code, and look up the same names in the same order")
    func alike() throws {
        let articles = try Self.names.map { try Self.article($0) }
        for language in ["swift", "objc"] {
            let blocks = articles.map { Self.blocks($0, of: language) }
            #expect(blocks[0] == blocks[1])
        }
        let rows = articles.map { article in
            Self.lines(article).filter { $0.hasPrefix("| `") }.map { $0.split(separator: "|")[0] }
        }
        #expect(rows[0].count >= 60)
        #expect(rows[0] == rows[1])
    }

    @Test("they load, answer and show pictures as they say")
    func works() async throws {
        let server = try ScriptedServer()
        await server.add(.bot, password: "secret", roster: [ServerRosterItem(.ally, subscription: "both")])
        var options = Client.Options()
        options.transport = server.transport()
        MigrationSnippets.pauses(&options)
        let said = EventRecorder<String>()
        MigrationSnippets.load(.bot, &options) { said.record($0) }
        let load = options.modules
        let (events, sink) = AsyncStream<SubscriptionModule.Event>.makeStream()
        options.modules = {
            let modules = load()
            guard let roster = modules.first as? RosterModule else { return modules }
            return modules + [SubscriptionModule(roster: roster) { sink.yield($0) }]
        }
        let client = try Client(account: .bot, password: "secret", options: options)
        let running = Task { try await client.run() }
        _ = try await server.events.next { if case .available = $0 { true } else { false } }
        try await server.barrier(.bot)
        #expect(said.all == ["1 contacts"])
        #expect(await MigrationSnippets.read(client, .ally)?.isSeen == true)
        await server.ask(.bot, from: JID(.new), "hello")
        let stranger = try BareJID("eve@example.net")
        await server.ask(.bot, from: JID(stranger), "hello")
        try await server.barrier(.bot)
        sink.finish()
        try await MigrationSnippets.answer(client, events) { $0 == .new }
        try await server.barrier(.bot)
        #expect(server.received.all.contains { $0.isPresence("subscribed", to: "new@example.net") })
        #expect(server.received.all.contains { $0.isPresence("subscribe", to: "new@example.net") })
        #expect(server.received.all.contains { $0.isPresence("unsubscribed", to: "eve@example.net") })
        #expect(await server.roster(of: .bot).map(\.jid).contains(.new))
        await client.stop()
        try await running.value
        var changes: [String] = []
        await MigrationSnippets.follow(client) { changes.append($0) }
        #expect(changes.first?.hasPrefix("a new session, as bot@example.org/") == true)
        #expect(changes.last == "stopped")
        server.stop()
    }

    @Test("a picture that a contact announces is shown")
    func pictures() async throws {
        let server = try ScriptedServer()
        await server.add(.bot, password: "secret", roster: [ServerRosterItem(.ally, subscription: "both")])
        let image = try AvatarImage(Pictures.dot)
        await server.react { received in
            guard received.isIQ("get", "vCard", "vcard-temp") else { return .usual }
            let id = received.element[attribute: "id"] ?? ""
            let data = Data(image.bytes).base64EncodedString()
            return .send(
                "<iq type='result' id='\(id)' from='\(BareJID.ally)'><vCard xmlns='vcard-temp'><PHOTO>"
                    + "<BINVAL>\(data)</BINVAL></PHOTO></vCard></iq>")
        }
        var options = Client.Options()
        options.transport = server.transport()
        let shown = EventRecorder<[UInt8]?>()
        MigrationSnippets.pictures(.bot, &options) { _, bytes in shown.record(bytes) }
        let client = try Client(account: .bot, password: "secret", options: options)
        let running = Task { try await client.run() }
        _ = try await server.events.next { if case .available = $0 { true } else { false } }
        try await server.barrier(.bot)
        await server.send(
            "<presence from='\(BareJID.ally)/x'><x xmlns='vcard-temp:x:update'><photo>\(image.hash)</photo></x></presence>",
            to: .bot)
        #expect(try await shown.next { _ in true } == image.bytes)
        await client.stop()
        try await running.value
        server.stop()
    }
}
