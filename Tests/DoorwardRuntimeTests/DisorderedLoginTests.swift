import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// A login whose features, roster and block list come in another order than they were asked for, and more than once.
@Suite struct DisorderedLoginTests {
    /// What came of a login, as far as anybody sees it.
    private struct Outcome: Equatable {
        var roster: [BareJID]
        var canBlock: Bool
        var presences: Set<String>
        var blocked: [BareJID]
        var history: [String]
        var alerts: Int
        var connects: Int
    }

    private func outcome(_ answers: ServerBehaviour.Answers, managed: Bool) async throws -> Outcome {
        let policy = Policy.of([
            Rule("no", .reject(Rejection(block: true)), domain: "evil.example"),
            Rule("yes", .accept(Acceptance(groups: ["Met"]))),
        ])
        let setup = { @Sendable (server: ScriptedServer) async -> Void in
            await server.behave {
                if managed { $0.streamManagement = .init() }
                $0.answers = answers
            }
            await server.add(
                .bot, password: "secret",
                roster: [
                    ServerRosterItem(.ally, subscription: "both"), ServerRosterItem(.of("old"), subscription: "from"),
                ])
            // They wait for the initial presence, and are delivered before the answers are there.
            for number in 0..<3 { await server.ask(.bot, from: JID(.of("c\(number)"))) }
            await server.ask(.bot, from: JID(.of("eve", "evil.example")))
            await server.ask(.bot, from: JID(.of("old")))
        }
        var found: Outcome?
        try await inWorld(policy: policy, before: setup) { world in
            try await world.online()
            await world.server.behave { $0.answers = .init() }
            try await world.quiet()
            // The server is asked what it has.
            await world.pass(.seconds(3))
            try await world.until("all is confirmed") {
                try await world.store.liveRequests(of: .bot).isEmpty
            }
            try await world.quiet()
            let roster = try await world.service.roster(of: .bot)
            let history = try await world.history()
            let alerts = try await world.service.alerts(all: true)
            found = Outcome(
                roster: (roster?.items.map(\.jid) ?? []).sorted { $0.description < $1.description },
                canBlock: await world.server.blocked(by: .bot).isEmpty == false,
                presences: Set(world.presences), blocked: await world.server.blocked(by: .bot),
                history: history.map { "\($0.contact) \($0.state)" }.sorted(), alerts: alerts.count,
                connects: world.connects)
        }
        return try #require(found)
    }

    @Test(
        "the outcome is the same in every order and however often they come",
        arguments: [true, false], [1, 2])
    func everyOrder(managed: Bool, copies: Int) async throws {
        let usual = try await outcome(.init(), managed: managed)
        #expect(usual.roster == [.ally, .of("c0"), .of("c1"), .of("c2"), .of("old")])
        #expect(usual.blocked == [.of("eve", "evil.example")])
        #expect(usual.connects == 1)
        for order in 0..<6 {
            let other = try await outcome(.init(order: .permutation(order), copies: copies), managed: managed)
            #expect(other == usual, "order \(order), \(copies) times")
        }
    }
}
