import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// Who is in the roster and is asked all the same, and what comes back of it.
@Suite struct RosterAskingTests {
    private func makeLiving(
        _ roster: [ServerRosterItem], _ events: EventRecorder<String> = EventRecorder()
    ) async throws -> LivingModules {
        let living = try await LivingModules(roster: roster) {
            [
                RosterModule(account: .bot, cached: Roster(), version: nil) { event in
                    switch event {
                    case .refused(let jid, let error): events.record("refused \(jid) \(error.condition.name)")
                    case .ended(.whole): events.record("loaded")
                    case .began, .item, .ended, .changed, .left: break
                    }
                }
            ]
        }
        _ = try await events.next { $0 == "loaded" }
        try await living.available()
        return living
    }

    private func item(_ jid: BareJID, _ living: LivingModules) async -> ServerRosterItem? {
        await living.server.roster(of: .bot).first { $0.jid == jid }
    }

    @Test("who added the account, or has refused, is asked by add, and keeps name and groups unless others are given")
    func askedByAdd() async throws {
        let living = try await makeLiving([
            ServerRosterItem(.of("from"), subscription: "from", name: "F", groups: ["A"]),
            ServerRosterItem(.of("none"), name: "N", groups: ["A", "B"]),
            ServerRosterItem(.of("named"), name: "Old", groups: ["A"]),
            ServerRosterItem(.of("grouped"), name: "G", groups: ["A"]),
        ])
        #expect(try await living.outcome { $0.add(.of("from"), reply: $1) } == nil)
        #expect(try await living.outcome { $0.add(.of("none"), name: "", reply: $1) } == nil)
        #expect(try await living.outcome { $0.add(.of("named"), name: "New", reply: $1) } == nil)
        #expect(try await living.outcome { $0.add(.of("grouped"), groups: ["C"], reply: $1) } == nil)
        try await living.server.barrier(.bot)
        let items = await living.server.roster(of: .bot)
        #expect(items.map(\.name) == ["F", "N", "New", "G"] && items.allSatisfy(\.asked))
        #expect(items.map(\.groups) == [["A"], ["A", "B"], ["A"], ["C"]])
        #expect(living.sent("subscribe").count == 4)
        // Where nothing of it changes, no item is set.
        #expect(living.sent.compactMap { IQ($0) }.count { $0.type == .set } == 2)
        for jid in items.map(\.jid) {
            #expect(try await living.outcome { $0.add(jid, reply: $1) } == .alreadyThere)
        }
        #expect(living.sent("subscribe").count == 4)
        try await living.finish()
    }

    @Test("not by add: whom the account sees, or who was asked; and in the list without asking is there already")
    func notAsked() async throws {
        let living = try await makeLiving([
            ServerRosterItem(.of("to"), subscription: "to"), ServerRosterItem(.of("both"), subscription: "both"),
            ServerRosterItem(.of("asked"), asked: true), ServerRosterItem(.of("from"), subscription: "from"),
        ])
        for name in ["to", "both", "asked"] {
            #expect(try await living.outcome { $0.add(.of(name), reply: $1) } == .alreadyThere)
            #expect(await ask(.of(name), living) == .alreadyThere)
        }
        #expect(try await living.outcome { $0.add(.of("from"), asks: false, reply: $1) } == .alreadyThere)
        #expect(living.sent("subscribe").isEmpty)
        #expect(await ask(.of("from"), living) == nil)
        #expect(try await living.outcome { $0.add(.of("from"), reply: $1) } == .alreadyThere)
        #expect(await askAgain(.of("asked"), living) == nil)
        #expect(await askAgain(.of("to"), living) == .notThere)
        try await living.server.barrier(.bot)
        #expect(living.sent("subscribe") == ["from@example.org", "asked@example.org"])
        try await living.finish()
    }

    private func ask(_ contact: BareJID, _ living: LivingModules) async -> RosterError.Code? {
        await living.client.withModule(RosterModule.self) { roster -> RosterError.Code? in
            do throws(RosterError) { try roster.ask(contact) } catch { return error.code }
            return nil
        } ?? nil
    }

    private func askAgain(_ contact: BareJID, _ living: LivingModules) async -> RosterError.Code? {
        await living.client.withModule(RosterModule.self) { roster -> RosterError.Code? in
            do throws(RosterError) { try roster.askAgain(contact) } catch { return error.code }
            return nil
        } ?? nil
    }

    private func error(from: String, id: String? = nil, _ condition: String, _ kind: String) -> String {
        let id = id.map { " id='\($0)'" } ?? ""
        return "<presence type='error'\(id) from='\(from)' to='bot@example.org'><error type='\(kind)'>"
            + "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>"
    }

    @Test("an ask of before this session that comes back is refused, once; of others nothing is believed")
    func askedBefore() async throws {
        let events = EventRecorder<String>()
        let living = try await makeLiving(
            [
                ServerRosterItem(.of("gone"), asked: true), ServerRosterItem(.of("later"), asked: true),
                ServerRosterItem(.of("from"), subscription: "from"),
            ], events)
        for from in ["from@example.org", "gone@example.org/phone", "stranger@example.org"] {
            await living.server.send(error(from: from, "item-not-found", "cancel"), to: .bot)
        }
        try await living.server.barrier(.bot)
        #expect(!events.all.contains { $0.hasPrefix("refused") } && living.sent("unsubscribe").isEmpty)
        for _ in 0..<2 {
            await living.server.send(error(from: "gone@example.org", "remote-server-not-found", "cancel"), to: .bot)
            await living.server.send(error(from: "later@example.org", "remote-server-timeout", "wait"), to: .bot)
        }
        try await living.server.barrier(.bot)
        #expect(living.sent("unsubscribe") == ["gone@example.org"])
        let refused = [
            "refused gone@example.org remote-server-not-found", "refused later@example.org remote-server-timeout",
        ]
        #expect(events.all.filter { $0.hasPrefix("refused") } == refused)
        #expect(await item(.of("gone"), living)?.asked == false)
        #expect(await item(.of("later"), living)?.asked == true)
        try await living.finish()
    }
}
