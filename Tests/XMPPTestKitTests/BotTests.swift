import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

/// The kit as the author of a bot uses it: by what is public alone.
@Suite struct BotTests {
    /// A bot that answers, on a server that a test has made.
    private func withBot(
        _ server: ScriptedServer, _ options: Client.Options, _ body: (Client) async throws -> Void
    ) async throws {
        let account = try BareJID("bot@example.org")
        await server.add(account, password: "secret")
        let bot = try Client(account: account, password: "secret", options: options)
        try await withThrowingTaskGroup { group in
            group.addTask { try await bot.run() }
            group.addTask {
                for await message in bot.messages {
                    guard let sender = message.from, let body = message.body else { continue }
                    try? await bot.send(Message(to: sender, body: body))
                }
            }
            try await body(bot)
            await bot.stop()
            try await group.waitForAll()
        }
        await server.stopListening()
        server.stop()
    }

    private func says(_ server: ScriptedServer, _ text: String) async throws {
        let account = try BareJID("bot@example.org")
        await server.send(
            "<message type='chat' from='ann@example.net/a'><body>\(text)</body></message>", to: account)
        let echo = try await server.received.next { received in
            received.element.name == "message" && received.element.first("body", Namespace.client)?.text == text
        }
        #expect(echo.element[attribute: "to"] == "ann@example.net/a")
    }

    @Test("a bot is tested in memory, and comes back when its link breaks")
    func memory() async throws {
        let server = try ScriptedServer()
        await server.behave { $0 = .modern }
        var options = Client.Options()
        options.transport = server.transport()
        // The pause before it comes back is next to nothing.
        options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        try await withBot(server, options) { _ in
            let account = try BareJID("bot@example.org")
            _ = try await server.events.next { if case .available = $0 { true } else { false } }
            try await says(server, "one")
            await server.dropLink(of: account)
            _ = try await server.events.next { if case .disconnected = $0 { true } else { false } }
            _ = try await server.events.next { if case .resumed = $0 { true } else { false } }
            try await says(server, "two")
        }
    }

    @Test("a bot is tested over TLS, with an authority of the test's own", arguments: [true, false])
    func network(isDirect: Bool) async throws {
        let authority = try TestAuthority()
        let server = try ScriptedServer()
        await server.behave { $0 = .modern }
        let recorder = ConversationRecorder()
        await server.record(with: recorder)
        let port = try await server.listen(
            with: try authority.certificate(for: "example.org"), isDirectTLS: isDirect)
        var options = Client.Options()
        options.authorities = authority.caFile
        options.server = .init(host: "127.0.0.1", port: port, usesDirectTLS: isDirect)
        try await withBot(server, options) { _ in
            _ = try await server.events.next { if case .available = $0 { true } else { false } }
            try await says(server, "hello")
        }
        #expect(recorder.description.contains("mechanism='SCRAM-SHA-256-PLUS'"))
        #expect(!recorder.description.contains("secret"))
    }
}
