import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import XMPPClient

/// Answers that come in another order than they were asked for, and more than once.
@Suite struct DisorderedAnswersTests {
    private static let requests: [(name: String, namespace: String)] = [
        ("query", Namespace.discoInfo), ("query", Namespace.roster), ("blocklist", Namespace.blocking),
    ]

    @Test(
        "each request of a login gets its own answer, in whatever order they come, and once though they come twice",
        arguments: 0..<6, [1, 2])
    func login(order: Int, copies: Int) async throws {
        let server = try ScriptedServer()
        await server.add(.bot, password: "secret", roster: [ServerRosterItem(.bot)])
        await server.behave {
            $0 = .modern
            $0.answers = .init(held: 3, order: .permutation(order), copies: copies)
        }
        var options = Client.Options()
        options.transport = server.transport()
        options.reconnects = false
        let client = try Client(account: .bot, password: "secret", options: options)
        let running = Task { try await client.run() }
        _ = try await server.events.next { if case .available = $0 { true } else { false } }
        try await withThrowingTaskGroup { group in
            for (name, namespace) in Self.requests {
                group.addTask {
                    let to = namespace == Namespace.discoInfo ? JID(BareJID.bot.server) : nil
                    let answer = try await client.request(.get, to: to, Element(name, namespace: namespace))
                    #expect(answer?.name == name)
                    #expect(answer?.namespace == namespace)
                }
            }
            try await group.waitForAll()
        }
        // The second copies have come by then.
        try await server.barrier(.bot)
        await server.behave { $0.answers = .init() }
        #expect(
            try await client.request(.get, to: JID(BareJID.bot.server), Element("ping", namespace: Namespace.ping))
                == nil)
        await client.stop()
        try await running.value
        server.stop()
        // A second answer is nobody's: handed over as what was not asked for, and no reason to end.
        var stray = 0
        for await stanza in client.stanzas { if case .iq(let iq) = stanza, iq.type == .result { stray += 1 } }
        #expect(stray == 3 * (copies - 1))
    }
}
