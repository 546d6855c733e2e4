import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// What a program changes of a roster.
@Suite struct RosterRequestTests {
    private func makeLiving(
        _ roster: [ServerRosterItem] = [], _ change: (inout ServerBehaviour) -> Void = { _ in },
        _ events: EventRecorder<String> = EventRecorder()
    ) async throws -> LivingModules {
        var behaviour = ServerBehaviour.modern
        change(&behaviour)
        let living = try await LivingModules(behaviour, roster: roster) {
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

    private static let friends = ServerRosterItem(
        .ally, subscription: "both", name: "Ally", groups: ["Friends", "Ops"])

    @Test("renaming keeps the groups, and grouping keeps the name")
    func edits() async throws {
        let living = try await makeLiving([Self.friends])
        #expect(try await living.outcome { $0.rename(.ally, to: "Alice", reply: $1) } == nil)
        #expect(try await living.outcome { $0.add(.ally, toGroup: "Night", reply: $1) } == nil)
        #expect(try await living.outcome { $0.add(.ally, toGroup: "Ops", reply: $1) } == nil)
        #expect(try await living.outcome { $0.remove(.ally, fromGroup: "Friends", reply: $1) } == nil)
        let item = try #require(await living.server.roster(of: .bot).first)
        #expect(item.name == "Alice" && item.groups == ["Ops", "Night"] && item.subscription == "both")
        #expect(try await living.outcome { $0.rename(.ally, to: nil, reply: $1) } == nil)
        #expect(await living.server.roster(of: .bot).first?.name == nil)
        #expect(try await living.outcome { $0.set(.ally, name: "A", groups: ["", "X", "X"], reply: $1) } == nil)
        #expect(await living.server.roster(of: .bot).first?.groups == ["X"])
        try await living.finish()
    }

    @Test("two changes in one breath do not undo each other, though the roster shows none of them yet")
    func inOneBreath() async throws {
        let living = try await makeLiving([Self.friends])
        let code = try await living.outcome { roster, reply in
            roster.rename(.ally, to: "Alice")
            roster.add(.ally, toGroup: "Night")
            roster.remove(.ally, fromGroup: "Ops", reply: reply)
        }
        #expect(code == nil)
        let item = try #require(await living.server.roster(of: .bot).first)
        #expect(item.name == "Alice" && item.groups == ["Friends", "Night"])
        // Later ones begin with what the roster shows by then.
        await living.server.push(.ally, to: .bot) { $0.name = "By another client" }
        try await living.server.barrier(.bot)
        #expect(try await living.outcome { $0.add(.ally, toGroup: "Late", reply: $1) } == nil)
        #expect(await living.server.roster(of: .bot).first?.name == "By another client")
        try await living.finish()
    }

    @Test("a contact is added, then asked; neither the account itself nor who is there already")
    func adding() async throws {
        let living = try await makeLiving([Self.friends])
        #expect(try await living.outcome { $0.add(.new, name: "New", groups: ["Ops"], reply: $1) } == nil)
        try await living.server.barrier(.bot)
        let item = try #require(await living.server.roster(of: .bot).first { $0.jid == .new })
        #expect(item.name == "New" && item.groups == ["Ops"] && item.asked)
        #expect(living.sent("subscribe") == ["new@example.net"])
        let stanzas = living.sent
        let set = stanzas.firstIndex { IQ($0)?.type == .set }
        let asked = stanzas.firstIndex { $0[attribute: "type"] == "subscribe" }
        #expect(try #require(set) < #require(asked))
        #expect(stanzas[try #require(asked)][attribute: "id"]?.isEmpty == false)
        #expect(try await living.outcome { $0.add(.bot, reply: $1) } == .ownAddress)
        #expect(try await living.outcome { $0.add(.ally, reply: $1) } == .alreadyThere)
        #expect(try await living.outcome { $0.add(.new, reply: $1) } == .alreadyThere)
        #expect(try await living.outcome { $0.set(.bot, name: "Me", groups: [], reply: $1) } == .ownAddress)
        #expect(living.sent("subscribe").count == 1)
        // Kept in the roster only.
        #expect(try await living.outcome { $0.add(.of("quiet"), asks: false, reply: $1) } == nil)
        #expect(living.sent("subscribe").count == 1)
        try await living.finish()
    }

    @Test("twice in one breath is once")
    func addedTwice() async throws {
        let living = try await makeLiving()
        let codes = EventRecorder<RosterError.Code?>()
        await living.client.withModule(RosterModule.self) { roster in
            for _ in 0..<2 {
                roster.add(.new) {
                    if case .failure(let error) = $0 { codes.record(error.code) } else { codes.record(nil) }
                }
            }
        }
        _ = try await codes.next { $0 == nil }
        try await living.server.barrier(.bot)
        #expect(codes.all == [.alreadyThere, nil] && living.sent("subscribe").count == 1)
        try await living.finish()
    }

    @Test("what the server refuses to keep is not asked for")
    func refusedItem() async throws {
        let living = try await makeLiving([], { $0.rosterSetRefusal = .notAllowed })
        #expect(try await living.outcome { $0.add(.new, reply: $1) } == .refused)
        #expect(living.sent("subscribe").isEmpty)
        await living.server.behave { $0.rosterSetRefusal = nil }
        #expect(try await living.outcome { $0.add(.new, reply: $1) } == nil)
        try await living.finish()
    }

    @Test("a server that cannot be reached is reported, and the request taken back once (B021)")
    func unreachable() async throws {
        let events = EventRecorder<String>()
        let living = try await makeLiving([], { $0.unreachableDomains = ["example.net"] }, events)
        #expect(try await living.outcome { $0.add(.new, name: "New", reply: $1) } == nil)
        _ = try await events.next { $0 == "refused new@example.net remote-server-not-found" }
        try await living.server.barrier(.bot)
        #expect(living.sent("unsubscribe") == ["new@example.net"])
        let item = try #require(await living.server.roster(of: .bot).first)
        #expect(!item.asked && item.name == "New")
        #expect(await living.client.withModule(RosterModule.self) { $0.items[.new]?.asked } == false)
        try await living.finish()
    }

    @Test("an error that belongs to no request of ours, or is one to wait for, takes nothing back (B021)")
    func otherErrors() async throws {
        let events = EventRecorder<String>()
        let living = try await makeLiving([], { _ in }, events)
        #expect(try await living.outcome { $0.add(.new, reply: $1) } == nil)
        try await living.server.barrier(.bot)
        let id = try #require(living.sent.first { $0[attribute: "type"] == "subscribe" }?[attribute: "id"])
        func error(_ id: String, from: String, _ condition: String, _ kind: String) -> String {
            "<presence type='error' id='\(id)' from='\(from)' to='bot@example.org'><error type='\(kind)'>"
                + "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>"
        }
        await living.server.send(error("other", from: "new@example.net", "item-not-found", "cancel"), to: .bot)
        await living.server.send(error(id, from: "mallory@example.net", "item-not-found", "cancel"), to: .bot)
        try await living.server.barrier(.bot)
        #expect(!events.all.contains { $0.hasPrefix("refused") })
        await living.server.send(error(id, from: "new@example.net", "remote-server-timeout", "wait"), to: .bot)
        _ = try await events.next { $0 == "refused new@example.net remote-server-timeout" }
        await living.server.send(error(id, from: "new@example.net", "remote-server-not-found", "cancel"), to: .bot)
        try await living.server.barrier(.bot)
        #expect(events.all.filter { $0.hasPrefix("refused") }.count == 1 && living.sent("unsubscribe").isEmpty)
        try await living.finish()
    }

    @Test("removing a contact ends both directions on the server; whoever is not there is said to be so")
    func removing() async throws {
        let living = try await makeLiving([Self.friends])
        #expect(try await living.outcome { $0.remove(.ally, reply: $1) } == nil)
        #expect(await living.server.roster(of: .bot).isEmpty)
        #expect(await living.client.withModule(RosterModule.self) { $0.items.isEmpty } == true)
        #expect(try await living.outcome { $0.remove(.ally, reply: $1) } == .notThere)
        #expect(try await living.outcome { $0.rename(.ally, to: "A", reply: $1) } == .notThere)
        #expect(try await living.outcome { $0.add(.ally, toGroup: "G", reply: $1) } == .notThere)
        try await living.finish()
    }

    @Test("the request to a contact that has not answered is taken back before the contact is removed")
    func removingAsked() async throws {
        let living = try await makeLiving([Self.friends])
        #expect(try await living.outcome { $0.add(.new, reply: $1) } == nil)
        try await living.server.barrier(.bot)
        #expect(await living.client.withModule(RosterModule.self) { $0.items[.new]?.asked } == true)
        for contact in [BareJID.new, .ally] {
            #expect(try await living.outcome { $0.remove(contact, reply: $1) } == nil)
        }
        try await living.server.barrier(.bot)
        #expect(living.sent("unsubscribe") == ["new@example.net"])
        try await living.finish()
    }

    private func code(_ living: LivingModules, _ body: @escaping @Sendable (RosterModule) throws -> Void) async
        -> String?
    {
        await living.client.withModule(RosterModule.self) { roster -> String in
            do {
                try body(roster)
                return "done"
            } catch {
                return (error as? RosterError)?.code.name ?? "\(error)"
            }
        }
    }

    @Test("an approval ahead is sent only where the server keeps it, and only where it is one")
    func preApproval() async throws {
        let items = [Self.friends, ServerRosterItem(.of("to"), subscription: "to")]
        let living = try await makeLiving(items)
        #expect(await code(living) { try $0.preApprove(.new) } == "done")
        #expect(await code(living) { try $0.preApprove(.of("to")) } == "done")
        #expect(await code(living) { try $0.preApprove(.ally) } == "already_there")
        #expect(await code(living) { try $0.preApprove(.bot) } == "own_address")
        try await living.server.barrier(.bot)
        #expect(living.sent("subscribed") == ["new@example.net", "to@example.org"])
        #expect(await living.client.withModule(RosterModule.self) { $0.items[.new]?.isApproved } == true)
        // It is taken back by removing the item.
        #expect(try await living.outcome { $0.remove(.new, reply: $1) } == nil)
        #expect(!(await living.server.roster(of: .bot)).contains { $0.approved && $0.jid == .new })
        try await living.finish()
        let other = try await makeLiving([], { $0.keepsPreApprovals = false })
        #expect(await code(other) { try $0.preApprove(.new) } == "not_offered")
        try await other.server.barrier(.bot)
        #expect(other.sent("subscribed").isEmpty)
        try await other.finish()
    }

    @Test("asking and no longer wanting to see: only where it says something")
    func asking() async throws {
        let living = try await makeLiving([Self.friends, ServerRosterItem(.of("from"), subscription: "from")])
        #expect(await code(living) { try $0.ask(.of("from")) } == "done")
        #expect(await code(living) { try $0.ask(.ally) } == "already_there")
        #expect(await code(living) { try $0.ask(.bot) } == "own_address")
        #expect(await code(living) { try $0.unsubscribe(from: .ally) } == "done")
        try await living.server.barrier(.bot)
        #expect(living.sent("subscribe") == ["from@example.org"] && living.sent("unsubscribe") == ["ally@example.org"])
        #expect(await living.client.withModule(RosterModule.self) { $0.items[.ally]?.subscription } == .from)
        try await living.finish()
    }

    @Test("without a session, or before the roster is there, nothing is sent, and that is said")
    func early() {
        let roster = RosterModule(account: .bot, cached: Roster(), version: nil) { _ in }
        var codes: [String] = []
        func note(_ result: Result<Void, RosterError>) {
            if case .failure(let error) = result { codes.append(error.code.name) }
        }
        roster.add(.new, reply: note)
        roster.rename(.new, to: "N", reply: note)
        roster.remove(.new, reply: note)
        roster.loaded(nil)
        roster.add(.new, reply: note)
        roster.set(.new, name: nil, groups: [], reply: note)
        #expect(codes == ["not_loaded", "not_loaded", "not_loaded", "offline", "offline"])
        #expect(throws: RosterError.self) { try roster.ask(.new) }
        for code in [RosterError.Code.ownAddress, .alreadyThere, .notThere, .notLoaded, .notOffered, .offline] {
            #expect(!code.name.isEmpty)
        }
    }
}
