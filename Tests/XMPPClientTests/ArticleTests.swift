import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

/// The articles show code that is compiled here, and does what they say.
@Suite struct ArticleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let catalog = folder.appending(path: "../../Sources/XMPPClient/XMPPClient.docc")

    private static func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test(
        "each piece of code in an article is a piece of a file that is compiled", arguments: ["EchoClient", "Restarts"])
    func compiled(article: String) throws {
        let code = Self.catalog.appending(path: "Tutorials/Code")
        let files =
            [
                "EchoExample.swift", "MemoryFile.swift", "Printer.swift", "ArticleSnippets.swift",
            ].map { Self.folder.appending(path: $0) } + [code.appending(path: "Echo-Package.swift")]
        let known = try files.map { Self.lines(try Self.text($0)) }
        let blocks = try Self.text(Self.catalog.appending(path: "\(article).md")).split(separator: "```swift\n")
            .dropFirst()
        #expect(blocks.count >= 3)
        for block in blocks {
            let lines = Self.lines(try #require(block.split(separator: "```").first))
            let isKnown = known.contains { file in
                file.indices.contains { file[$0...].starts(with: lines) }
            }
            #expect(isKnown, "\(lines)")
        }
    }

    @Test("the printer says that a login is not bound to TLS of such a login only", arguments: [true, false])
    func printer(isBound: Bool) async throws {
        let said = EventRecorder<String>()
        let world = try await LivingClient(
            isBound ? .modern : ServerBehaviour(), options: { $0.observer = Printer { said.record($0) } })
        try await world.available()
        try await world.finish()
        #expect(said.all.contains { $0.hasPrefix("bot@example.org established: ") })
        #expect(said.all.contains("the login is not bound to TLS") == !isBound)
    }

    @Test("the lines that ask wait for the session, and those that follow sessions tell each")
    func run() async throws {
        let world = try await LivingClient()
        await world.server.react { received in
            guard received.isIQ("get", "query", "jabber:iq:version") else { return .usual }
            let id = received.element[attribute: "id"] ?? ""
            return .send("<iq type='result' id='\(id)' from='example.org'><query xmlns='jabber:iq:version'/></iq>")
        }
        #expect(try await ArticleSnippets.ask(world.client)?.name == "query")
        try await world.finish()
        var said: [String] = []
        await ArticleSnippets.follow(world.client) { said.append($0) }
        #expect(said.count == 2 && said.last == "stopped")
        #expect(said.first?.hasPrefix("a new session, as bot@example.org/") == true)
    }

    @Test("the lines about modules see the roster")
    func modules() async throws {
        let ann = BareJID(preparedLocal: "ann", preparedDomain: "example.org")
        let world = try await LivingClient(
            roster: [ServerRosterItem(ann)], options: { ArticleSnippets.modules(.bot, &$0) })
        try await world.available()
        #expect(await ArticleSnippets.contacts(world.client) == 1)
        try await world.finish()
    }
}
