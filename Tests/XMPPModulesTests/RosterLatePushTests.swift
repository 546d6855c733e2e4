import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// A server that answers a set at once and pushes when it is told to: RFC 6121 section 2.1.6 orders neither.
@Suite struct RosterLatePushTests {
    private static let friends = ServerRosterItem(
        .ally, subscription: "both", name: "Ally", groups: ["Friends", "Ops"])

    private func makeLiving() async throws -> LivingModules {
        let loaded = EventRecorder<Void>()
        let living = try await LivingModules(roster: [Self.friends]) {
            [RosterModule(account: .bot, onLoaded: { _ in loaded.record(()) }, onChange: { _ in })]
        }
        _ = try await loaded.next { true }
        try await living.available()
        await living.server.react { received in
            guard let iq = IQ(received.element), iq.type == .set, let id = iq.id,
                iq.payload?.matches("query", Namespace.roster) == true
            else { return .usual }
            return .send("<iq type='result' id='\(id)'/>")
        }
        return living
    }

    private func sets(_ living: LivingModules) -> [RosterItem] {
        living.sent.compactMap { IQ($0) }.filter { $0.type == .set }.compactMap(\.payload)
            .flatMap { RosterPayload.items(in: $0) }
    }

    @Test("what the server has confirmed counts, though its push comes later")
    func pushedLate() async throws {
        let living = try await makeLiving()
        #expect(try await living.outcome { $0.add(.new, name: "New", groups: ["Ops"], asks: false, reply: $1) } == nil)
        #expect(try await living.outcome { $0.add(.new, asks: false, reply: $1) } == .alreadyThere)
        #expect(try await living.outcome { $0.rename(.new, to: "Newer", reply: $1) } == nil)
        #expect(sets(living).last?.groups == ["Ops"])
        #expect(try await living.outcome { $0.add(.new, toGroup: "Late", reply: $1) } == nil)
        #expect(sets(living).last?.name == "Newer" && sets(living).last?.groups == ["Ops", "Late"])
        // Both pushes of what was first, and somebody else's change between them and the last: the roster is what counts.
        for name in ["New", "Newer", "Other"] {
            await living.server.push(.new, to: .bot) { ($0.name, $0.groups) = (name, ["Ops"]) }
        }
        try await living.server.barrier(.bot)
        #expect(try await living.outcome { $0.add(.new, toGroup: "Last", reply: $1) } == nil)
        #expect(sets(living).last?.name == "Other" && sets(living).last?.groups == ["Ops", "Last"])
        // A change that changes nothing need not be pushed; the next one by another client is still seen.
        #expect(try await living.outcome { $0.rename(.ally, to: "Ally", reply: $1) } == nil)
        await living.server.push(.ally, to: .bot) { $0.name = "By another client" }
        try await living.server.barrier(.bot)
        #expect(try await living.outcome { $0.add(.ally, toGroup: "Late", reply: $1) } == nil)
        #expect(sets(living).last?.name == "By another client")
        try await living.finish()
    }

    @Test("who is removed is not there, though the push comes later, and can be added again")
    func removedLate() async throws {
        let living = try await makeLiving()
        #expect(try await living.outcome { $0.remove(.ally, reply: $1) } == nil)
        #expect(try await living.outcome { $0.remove(.ally, reply: $1) } == .notThere)
        #expect(try await living.outcome { $0.rename(.ally, to: "A", reply: $1) } == .notThere)
        #expect(try await living.outcome { $0.add(.ally, name: "Again", asks: false, reply: $1) } == nil)
        #expect(sets(living).last?.groups.isEmpty == true && sets(living).last?.name == "Again")
        #expect(try await living.outcome { $0.add(.ally, asks: false, reply: $1) } == .alreadyThere)
        try await living.finish()
    }
}
