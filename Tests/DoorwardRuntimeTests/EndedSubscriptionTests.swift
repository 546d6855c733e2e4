import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// Ends of one direction of a subscription, of contacts that stay (RFC 6121 sections 3.2 and 3.3).
@Suite struct EndedSubscriptionTests {
    private static let contacts = ["none", "to", "from", "both"]

    private func setUp(_ server: ScriptedServer) async {
        var roster = Self.contacts.map {
            ServerRosterItem(.of($0), subscription: $0, name: "Name of \($0)", groups: ["A", "B"])
        }
        roster.append(ServerRosterItem(.of("asked"), subscription: "from", asked: true))
        await server.add(.bot, password: "secret", roster: roster)
    }

    private func change(_ world: World, _ order: ContactOrder, _ contact: String) async throws -> ContactOutcome {
        try await world.service.change(order, of: .of(contact), on: .bot, by: "ana")
    }

    private func item(_ world: World, _ contact: String) async -> ServerRosterItem? {
        await world.server.roster(of: .bot).first { $0.jid == .of(contact) }
    }

    @Test("who is not to be seen any more stays, sees the account as before, and is told once")
    func unsubscribe() async throws {
        try await inWorld(before: setUp) { world in
            try await world.online()
            for (contact, left) in [("to", "none"), ("both", "from"), ("asked", "from")] {
                guard case .done(let report) = try await change(world, .unsubscribe, contact) else {
                    Issue.record("\(contact)")
                    continue
                }
                #expect(
                    report.item?.subscription.rawValue == left && report.item?.asked == false && !report.isUnchanged)
                #expect(await item(world, contact)?.subscription == left)
                #expect(world.sent("unsubscribe", to: BareJID.of(contact).description) == 1)
            }
            #expect(await item(world, "both")?.groups == ["A", "B"])
            for contact in ["none", "from", "to"] {
                guard case .done(let report) = try await change(world, .unsubscribe, contact) else {
                    throw World.Missing()
                }
                #expect(report.isUnchanged)
            }
            #expect(try await change(world, .unsubscribe, "nobody") == .notThere)
            #expect(world.presences.count { $0.contains("unsubscribe") } == 3)
            let history = try await world.history()
            #expect(history.map(\.action) == ["unsubscribe", "unsubscribe", "unsubscribe"])
            #expect(history.allSatisfy { $0.operator == "ana" && $0.state == .confirmed })
        }
    }

    @Test("who is to see the account no more stays, is seen as before, and is decided anew when it asks")
    func revoke() async throws {
        let policy = Policy.of([Rule("no", .reject(Rejection()), domain: "example.net")])
        try await inWorld(policy: policy, before: setUp) { world in
            try await world.online()
            for (contact, left) in [("from", "none"), ("both", "to")] {
                guard case .done(let report) = try await change(world, .revoke, contact) else { throw World.Missing() }
                #expect(report.item?.subscription.rawValue == left && !report.isUnchanged)
                #expect(await item(world, contact)?.groups == ["A", "B"])
                #expect(world.sent("unsubscribed", to: BareJID.of(contact).description) == 1)
            }
            // An unsubscribed to somebody else would answer a request that nobody has looked at, or none.
            for contact in ["none", "to", "from"] {
                guard case .done(let report) = try await change(world, .revoke, contact) else { throw World.Missing() }
                #expect(report.isUnchanged)
            }
            #expect(try await change(world, .revoke, "nobody") == .notThere)
            #expect(world.presences.count { $0.contains("unsubscribed") } == 2)
            #expect(try await world.history().map(\.action) == ["revoke", "revoke"])
            await world.server.ask(.bot, from: JID(.of("from")))
            _ = try await world.events.next { $0.isDecided(.of("from")) }
        }
    }
}
