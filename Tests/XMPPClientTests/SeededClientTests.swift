import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import XMPPClient

/// A client whose chance a test has given it.
@Suite struct SeededClientTests {
    /// What the client says in a login and its first request, on each of two connections.
    private func said(seed: UInt64?, _ behaviour: ServerBehaviour) async throws -> [[UInt8]] {
        let server = try ScriptedServer()
        await server.add(.bot, password: "secret")
        await server.behave { $0 = behaviour }
        let recorder = ConversationRecorder()
        await server.record(with: recorder)
        var options = Client.Options()
        options.transport = server.transport(seed: seed).withFaults { _ in .none }
        options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        let client = try Client(account: .bot, password: "secret", options: options)
        let running = Task { try await client.run() }
        for connection in 1...2 {
            _ = try await server.events.next { event in
                switch event {
                case .available(_, connection), .resumed(_, connection): true
                default: false
                }
            }
            // The client knows that it is online, too.
            try await server.barrier(.bot)
            _ = try await client.request(.get, Element("query", namespace: Namespace.roster))
            if connection == 1 { await server.dropLink(of: .bot) }
        }
        let pieces = recorder.pieces
        await client.stop()
        try await running.value
        server.stop()
        return (1...2).map { connection in
            pieces.filter { $0.side == .client && $0.connection == connection }.flatMap(\.bytes)
        }
    }

    @Test(
        "says the same again with the same seed, on every connection, and something else with another",
        arguments: [ServerBehaviour(), .modern])
    func same(behaviour: ServerBehaviour) async throws {
        let first = try await said(seed: 7, behaviour)
        #expect(first.allSatisfy { !$0.isEmpty })
        #expect(try await said(seed: 7, behaviour) == first)
        #expect(try await said(seed: 8, behaviour)[0] != first[0])
        #expect(try await said(seed: nil, behaviour)[0] != first[0])
    }

    @Test("without a seed nothing is the same twice: a nonce can be guessed by nobody")
    func trueChance() throws {
        let chance = ClientTransport.network.makeChance()
        #expect(chance(24) != chance(24))
        #expect(ClientTransport.network.makeChance()(24) != ClientTransport.network.makeChance()(24))
        let memories = (0..<20).map { _ in Client.Memory(account: .bot).userAgentID }
        #expect(Set(memories).count == 20)
    }

    @Test("a fraction is drawn evenly from 0 up to 1")
    func fractions() {
        #expect(fraction { [UInt8](repeating: 0, count: $0) } == 0)
        let most = fraction { [UInt8](repeating: 0xFF, count: $0) }
        #expect(most < 1 && most > 0.999)
        let all = (0..<1000).map { _ in fraction(of: ClientTransport.network.makeChance()) }
        #expect((400...600).contains(all.count { $0 < 0.5 }))
    }
}
