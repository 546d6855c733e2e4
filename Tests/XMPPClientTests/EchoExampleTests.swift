import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

/// The client of the tutorial is a working one.
@Suite struct EchoExampleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    @Test("the article shows the file that is compiled here, in at most 30 lines")
    func article() throws {
        let source = try String(contentsOf: Self.folder.appending(path: "EchoExample.swift"), encoding: .utf8)
        let article = try String(
            contentsOf: Self.folder.appending(path: "../../Sources/XMPPClient/XMPPClient.docc/EchoClient.md"),
            encoding: .utf8)
        #expect(article.contains("```swift\n\(source)```\n"))
        #expect(source.split(separator: "\n", omittingEmptySubsequences: false).count <= 31)
    }

    @Test("the tutorial's steps lead to the file that is compiled here, each with lines of it")
    func steps() throws {
        let catalog = Self.folder.appending(path: "../../Sources/XMPPClient/XMPPClient.docc")
        let code = catalog.appending(path: "Tutorials/Code")
        func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }
        let source = try text(Self.folder.appending(path: "EchoExample.swift"))
        let tutorial = try text(catalog.appending(path: "Tutorials/EchoInSteps.tutorial"))
        let shown = tutorial.matches(of: /file: "([^"]+)"/).map { String($0.1) }
        #expect(Set(shown) == Set(try FileManager.default.contentsOfDirectory(atPath: code.path)))
        let steps = shown.filter { $0.contains(/-[0-9]\.swift/) }
        #expect(steps == steps.sorted() && steps.count == 4)
        var before = 0
        for step in steps {
            let lines = try text(code.appending(path: step)).split(separator: "\n")
            var rest = source.split(separator: "\n")[...]
            for line in lines {
                rest = rest.drop { $0 != line }
                #expect(!rest.isEmpty, "\(step): \(line)")
                rest = rest.dropFirst()
            }
            #expect(lines.count > before)
            before = lines.count
        }
        #expect(try text(code.appending(path: steps.last ?? "")) == source)
        // The package and the call are those of the article.
        let article = try text(catalog.appending(path: "EchoClient.md"))
        for other in shown where !steps.contains(other) {
            #expect(article.contains("```swift\n\(try text(code.appending(path: other)))```\n"), "\(other)")
        }
    }

    @Test("it says back what it hears, and ends with its task")
    func echoes() async throws {
        let server = try ScriptedServer()
        await server.add(.bot, password: "secret")
        var options = Client.Options()
        options.transport = ClientTransport(connector: server.connector)
        let running = Task { [options] in
            try await echo(account: "bot@example.org", password: "secret", options: options)
        }
        _ = try await server.events.next { if case .available = $0 { true } else { false } }
        await server.send(
            "<message type='chat' from='ann@example.net/x' to='bot@example.org'><body>a &lt; b</body></message>",
            to: .bot)
        let answer = try await server.received.next { $0.element.name == "message" }
        #expect(answer.element[attribute: "to"] == "ann@example.net/x")
        #expect(answer.element.first("body", Namespace.client)?.text == "a < b")
        // It answers no errors, and what another such client would answer to it neither: they would never stop.
        await server.send("<message type='error' from='ann@example.net/x'><body>no</body></message>", to: .bot)
        let type = answer.element[attribute: "type"].map { "type='\($0)'" } ?? ""
        for type in [type, "", "type='normal'", "type='headline'", "type='groupchat'"] {
            await server.send("<message \(type) from='ann@example.net/x'><body>a &lt; b</body></message>", to: .bot)
        }
        try await server.barrier(.bot)
        running.cancel()
        try await running.value
        #expect(server.received.all.count { $0.element.name == "message" } == 1)
    }
}
