import Foundation
import Greeter
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

/// A conversation that is kept in a file, and played to the bot again: by what is public alone.
@Suite struct RecordedGreeterTests {
    private let account: BareJID

    init() throws {
        account = try BareJID("bot@example.org")
    }

    /// Runs the greeter over a transport, until the body is done.
    private func withGreeter(_ transport: ClientTransport, _ body: () async throws -> Void) async throws {
        var options = Client.Options()
        options.transport = transport
        let greeter = try Greeter(account: account, password: "secret", options: options)
        let running = Task { try await greeter.run() }
        try await body()
        // Without a farewell, which nobody has recorded.
        await greeter.client.stop(resumable: true)
        try await running.value
    }

    /// A login, a request and its answer, as a file.
    private func record(_ behaviour: ServerBehaviour, seed: UInt64) async throws -> Data {
        let server = try ScriptedServer()
        await server.add(account, password: "secret")
        await server.behave { $0 = behaviour }
        let recorder = ConversationRecorder()
        await server.record(with: recorder)
        var said: [ConversationRecorder.Piece] = []
        try await withGreeter(server.transport(seed: seed)) {
            _ = try await server.events.next { if case .available = $0 { true } else { false } }
            await server.ask(account, from: try JID("ann@example.org"), "hi \u{1F44B}")
            _ = try await server.received.next { $0.isPresence("subscribed", to: "ann@example.org") }
            try await server.barrier(account)
            said = recorder.pieces
        }
        server.stop()
        return try JSONEncoder().encode(said)
    }

    @Test(
        "a recorded conversation is read from a file and played to the bot again, byte for byte",
        arguments: [ServerBehaviour(), .modern], [nil, 1, 7])
    func plays(behaviour: ServerBehaviour, pieceSize: Int?) async throws {
        let file = try await record(behaviour, seed: 42)
        let pieces = try JSONDecoder().decode([ConversationRecorder.Piece].self, from: file)
        let server = RecordedServer(pieces, pieceSize: pieceSize)
        try await withGreeter(server.transport(seed: 42)) { _ = try await server.endings.next { $0 > 0 } }
        let total = pieces.filter { $0.side == .client }.reduce(0) { $0 + $1.bytes.count }
        #expect(server.endings.all == [total])
        // Behind it the client may say what it has handled.
        #expect(server.differences.all.allSatisfy { $0 >= total })
    }

    @Test("a bot with another chance, or another answer, says something else, and the test sees where")
    func differs() async throws {
        let file = try await record(.modern, seed: 42)
        let pieces = try JSONDecoder().decode([ConversationRecorder.Piece].self, from: file)
        let server = RecordedServer(pieces)
        try await withGreeter(server.transport(seed: 43)) { _ = try await server.differences.next { _ in true } }
        #expect(server.endings.all.isEmpty)
    }
}
