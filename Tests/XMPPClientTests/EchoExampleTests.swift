import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

/// The client of the tutorial is a working one.
@Suite struct EchoExampleTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    @Test("the tutorial shows the file that is compiled here, in at most 30 lines")
    func article() throws {
        let source = try String(contentsOf: Self.folder.appending(path: "EchoExample.swift"), encoding: .utf8)
        let article = try String(
            contentsOf: Self.folder.appending(path: "../../Sources/XMPPClient/XMPPClient.docc/EchoClient.md"),
            encoding: .utf8)
        #expect(article.contains("```swift\n\(source)```\n"))
        #expect(source.split(separator: "\n", omittingEmptySubsequences: false).count <= 31)
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
        // It answers no errors, or two such clients would never stop.
        await server.send("<message type='error' from='ann@example.net/x'><body>no</body></message>", to: .bot)
        running.cancel()
        try await running.value
        #expect(server.received.all.count { $0.element.name == "message" } == 1)
    }
}
