import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// Contacts who are in the list and are asked, and servers that cannot be reached yet.
@Suite struct AskingTests {
    let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func change(_ world: World, _ order: ContactOrder, _ contact: BareJID) async throws -> ContactOutcome {
        try await world.service.change(order, of: contact, on: .bot, by: "ana")
    }

    private func error(from: String, id: String? = nil, _ condition: String, _ kind: String) -> String {
        let id = id.map { " id='\($0)'" } ?? ""
        return "<presence type='error'\(id) from='\(from)'><error type='\(kind)'>"
            + "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></presence>"
    }

    private func changes(_ world: World) -> [String] {
        world.events.all.compactMap { event in
            guard case .contact(let change) = event else { return nil }
            return "\(change.kind.rawValue) \(change.contact?.local ?? "") \(change.operator ?? "-")"
        }
    }

    @Test("one who is in the list and does not let the account see it is asked, and the history has that as an ask")
    func asked() async throws {
        let setup = { (server: ScriptedServer) in
            let roster = [
                ServerRosterItem(.of("from"), subscription: "from", name: "F", groups: ["A"]),
                ServerRosterItem(.of("none"), name: "N", groups: ["A"]),
            ]
            await server.add(.bot, password: "secret", roster: roster)
        }
        try await inWorld(before: setup) { world in
            try await world.online()
            let first = RosterFact(subscription: .from, asked: true, name: "F", groups: ["A"])
            #expect(try await change(world, .add(.init()), .of("from")) == .done(.init(item: first)))
            let second = RosterFact(subscription: .none, asked: true, name: "M", groups: ["A"])
            #expect(try await change(world, .add(.init(name: "M")), .of("none")) == .done(.init(item: second)))
            // Approving whoever sees the account already means nothing.
            #expect(
                try await change(world, .add(.init(preApproves: true)), .of("from")) == .alreadyThere(first))
            #expect(world.presences == ["subscribe from@example.net", "subscribe none@example.net"])
            let history = try await world.history()
            #expect(history.map(\.action) == ["ask", "ask"])
            #expect(history.allSatisfy { $0.operator == "ana" && $0.state == .confirmed })
            #expect(changes(world) == ["asked from ana", "asked none ana"])
            // How it came is still what it was.
            let items = try #require(try await world.service.roster(of: .bot)?.items)
            #expect(items.allSatisfy { $0.evidence?.addedBy == .before && $0.evidence?.askedAt != nil })
            // After a refusal it can be asked anew.
            await world.server.send("<presence type='unsubscribed' from='none@example.net'/>", to: .bot)
            await world.server.push(.of("none"), to: .bot) { $0.asked = false }
            try await world.quiet()
            guard case .done = try await change(world, .add(.init()), .of("none")) else {
                Issue.record("not done")
                return
            }
            #expect(world.sent("subscribe", to: "none@example.net") == 2)
        }
    }

    @Test("what changes nothing is not sent, nor written down")
    func unchanged() async throws {
        let setup = { (server: ScriptedServer) in
            let ally = ServerRosterItem(.ally, subscription: "both", name: "Ally", groups: ["A", "B"])
            await server.add(.bot, password: "secret", roster: [ally])
        }
        try await inWorld(before: setup) { world in
            try await world.online()
            let item = RosterFact(subscription: .both, name: "Ally", groups: ["A", "B"])
            let same = ContactOutcome.done(.init(item: item, isUnchanged: true))
            #expect(try await change(world, .rename("Ally"), .ally) == same)
            #expect(try await change(world, .group(adding: ["B", "A"], removing: ["C"]), .ally) == same)
            #expect(try await world.history().isEmpty && changes(world).isEmpty)
            let isSet = { (iq: IQ) in iq.type == .set && iq.payload?.matches("query", Namespace.roster) == true }
            #expect(!world.server.received.all.compactMap { IQ($0.element) }.contains(where: isSet))
        }
    }

    @Test("what a server refuses is told behind what was done")
    func order() async throws {
        try await inWorld(before: { await $0.behave { $0.unreachableDomains = ["nowhere.example"] } }) { world in
            try await world.online()
            _ = try await change(world, .add(.init()), .of("gone", "nowhere.example"))
            #expect(changes(world) == ["added gone ana", "refused gone -"])
        }
    }

    @Test("a server that cannot be reached yet is no refusal: it is asked again each hour until it takes it")
    func delayed() async throws {
        try await inWorld { world in
            try await world.online()
            // The error comes as the answer to the request, in front of the answer to the ping behind it.
            await world.server.react { received in
                guard received.isPresence("subscribe", to: "new@example.net") else { return .usual }
                return .send(
                    "<iq type='set' id='p' to='bot@example.org'><query xmlns='jabber:iq:roster'>"
                        + "<item jid='new@example.net' subscription='none' ask='subscribe'/></query></iq>"
                        + error(
                            from: "new@example.net", id: received.element[attribute: "id"], "remote-server-timeout",
                            "wait"))
            }
            guard case .done(let report) = try await change(world, .add(.init()), .new) else {
                Issue.record("not done")
                return
            }
            #expect(report.bounce == nil && report.delay?.contains("remote-server-timeout") == true)
            #expect(report.item?.asked == true)
            let row = try #require(try await world.history().first)
            #expect(row.state == .confirmed && row.reason?.contains("not delivered yet: ") == true)
            #expect(changes(world) == ["added new ana", "delayed new -"])
            #expect(world.sent("unsubscribe", to: "new@example.net") == 0)
            func evidence() async throws -> ContactEvidence? {
                try await world.store.evidence(of: .bot)[.new]
            }
            #expect(try await evidence()?.refusal?.contains("remote-server-timeout") == true)
            #expect(try await evidence()?.askedAt != nil)
            #expect(try await world.store.backlog(of: .bot).delayed == [.new])
            // Not reached at the first repetition either: nothing new is told.
            try await hours(1, world)
            #expect(world.sent("subscribe", to: "new@example.net") == 2 && changes(world).count == 2)
            // Then it is, and nothing comes back.
            await world.server.react(nil)
            try await hours(1, world)
            #expect(world.sent("subscribe", to: "new@example.net") == 3)
            try await hours(1, world)
            try await world.until("it is over") { try await evidence()?.refusal == nil }
            #expect(try await evidence()?.askedAt != nil)
            try await hours(3, world)
            #expect(world.sent("subscribe", to: "new@example.net") == 3)
        }
    }

    /// Time passes, and what comes of it.
    private func hours(_ count: Int, _ world: World) async throws {
        for _ in 0..<(count * 60 + 1) {
            await world.pass(.seconds(60))
            // A server that had no time to answer would be given up.
            try await world.server.barrier(.bot)
        }
    }

    @Test("who could not be reached before a restart is asked again after it; who never will be is refused")
    func delayedBefore() async throws {
        let accounts = [AccountConfiguration.of("bot@example.org")]
        try await inWorld(accounts, store: folder.store("live.db")) { world in
            try await world.online()
            for contact in [BareJID.new, .of("gone")] { _ = try await change(world, .add(.init()), contact) }
            let id = world.server.received.all.last { $0.isPresence("subscribe", to: "new@example.net") }?.element[
                attribute: "id"]
            await world.server.send(error(from: "new@example.net", id: id, "remote-server-timeout", "wait"), to: .bot)
            try await world.quiet()
            folder.copy("live.db", to: "copy.db")
            await world.service.stop()
            let next = try World(after: world, .of(accounts, [.of([])]), store: folder.store("copy.db"))
            try await next.online()
            try await next.quiet()
            // The server sends the other one again at the login, and it comes back without its id.
            await next.server.send(error(from: "gone@example.net", "remote-server-not-found", "cancel"), to: .bot)
            try await next.quiet()
            #expect(changes(next) == ["refused gone -"])
            #expect(next.sent("unsubscribe", to: "gone@example.net") == 1)
            await next.pass(.seconds(61))
            #expect(next.sent("subscribe", to: "new@example.net") == 2)
            let evidence = try await next.store.evidence(of: .bot)
            #expect(evidence[.of("gone")]?.refusal?.contains("remote-server-not-found") == true)
            await next.stop()
        }
    }
}
