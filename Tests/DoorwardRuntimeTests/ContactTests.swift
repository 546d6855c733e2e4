import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// What operators do to contacts.
@Suite struct ContactTests {
    private static let ask = ContactOrder.add(.init())

    private func change(_ world: World, _ order: ContactOrder, _ contact: BareJID = .new) async throws -> ContactOutcome
    {
        try await world.service.change(order, of: contact, on: .bot, by: "ana")
    }

    @Test("a contact is added with name and groups, asked, listed with who added it, and removed on both sides")
    func addAndRemove() async throws {
        try await inWorld { world in
            try await world.online()
            let added = try await change(
                world, .add(.init(name: "New", groups: ["Guests", "X"], message: "hello from support")))
            let item = RosterFact(subscription: .none, asked: true, name: "New", groups: ["Guests", "X"])
            #expect(added == .done(.init(item: item)))
            #expect(world.sent("subscribe", to: "new@example.net") == 1)
            let asked = world.server.received.all.last { $0.isPresence("subscribe", to: "new@example.net") }
            #expect(asked?.element.first("status", Namespace.client)?.text == "hello from support")
            let row = try #require(try await world.service.roster(of: .bot)?.items.first)
            #expect(row.evidence?.addedBy == .contactAdd)
            #expect(row.evidence?.addedName == "ana")
            #expect(row.evidence?.askedAt != nil)
            #expect(try await world.store.keptRoster(of: .bot)?.contacts.map(\.item) == [item])

            #expect(try await change(world, .remove) == .done(.init()))
            #expect(await world.server.roster(of: .bot).isEmpty)
            #expect(try await world.store.keptRoster(of: .bot)?.contacts == [])
            let gone = try #require(try await world.service.goneContacts(of: .bot, limit: 10)?.first)
            #expect(gone.by == .operator)
            #expect(gone.operator == "ana")
            #expect(gone.evidence?.addedBy == .contactAdd)
            let history = try await world.history()
            #expect(history.map(\.action) == ["remove", "add"])
            #expect(history.allSatisfy { $0.event == .contact && $0.operator == "ana" && $0.state == .confirmed })
            // What goes along with a request stands nowhere.
            #expect(!history.contains { $0.reason?.contains("hello") == true })
            #expect(history.last?.reason == "name “New”; groups: Guests, X")
        }
    }

    @Test("nobody is added who is there, nor the account itself; nothing is sent, and the state is said")
    func refusals() async throws {
        let setup = { (server: ScriptedServer) in
            await server.add(.bot, password: "secret", roster: [ServerRosterItem(.ally, subscription: "to")])
            await server.behave { $0.keepsPreApprovals = false }
        }
        try await inWorld(before: setup) { world in
            try await world.online()
            #expect(try await change(world, Self.ask, .bot) == .ownAddress)
            #expect(try await change(world, Self.ask, .ally) == .alreadyThere(RosterFact(subscription: .to)))
            #expect(try await change(world, .add(.init(preApproves: true))) == .noPreApproval)
            for order in [ContactOrder.rename("x"), .group(adding: ["x"], removing: []), .remove] {
                #expect(try await change(world, order) == .notThere)
            }
            let other = try await world.service.change(Self.ask, of: .new, on: .of("nobody"), by: "ana")
            #expect(other == .unknownAccount)
            #expect(world.presences == [])
            #expect(try await world.history().isEmpty)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            #expect(try await change(world, Self.ask) == .offline)
            #expect(try await world.history().isEmpty)
        }
    }

    @Test("whom the account blocks it does not ask, and the entry is named: nothing would arrive")
    func blocked() async throws {
        let domain = JID(BareJID.new.server)
        try await inWorld(before: { await $0.block(.bot, [domain]) }) { world in
            try await world.online()
            try await world.quiet()
            #expect(try await change(world, Self.ask) == .blocked(domain))
            #expect(try await world.history().isEmpty)
            #expect(await world.server.roster(of: .bot).isEmpty)
            _ = try await world.service.unblock(.bot, [domain], by: "ana")
            guard case .done = try await change(world, Self.ask) else {
                Issue.record("not done")
                return
            }
            #expect(world.sent("subscribe", to: "new@example.net") == 1)
        }
    }

    @Test("a server that is not there refuses: the row and the log say why, and the request is taken back (B021)")
    func unreachable() async throws {
        try await inWorld(before: { await $0.behave { $0.unreachableDomains = ["nowhere.example"] } }) { world in
            try await world.online()
            let contact = BareJID.of("gone", "nowhere.example")
            guard case .done(let report) = try await change(world, Self.ask, contact) else {
                Issue.record("not done")
                return
            }
            #expect(report.bounce?.contains("remote-server-not-found") == true)
            try await world.quiet()
            _ = try await world.events.next { event in
                if case .contact(let change) = event { change.kind == .refused } else { false }
            }
            #expect(world.sent("unsubscribe", to: "gone@nowhere.example") == 1)
            let row = try #require(try await world.service.roster(of: .bot)?.items.first)
            #expect(row.asked == false)
            #expect(row.evidence?.askedAt == nil)
            #expect(row.evidence?.refusal?.contains("remote-server-not-found") == true)
            let history = try await world.history()
            #expect(history.map(\.state) == [.refused] && history.first?.sentAt != nil)
            #expect(history.first?.reason?.contains("remote-server-not-found") == true)
        }
    }

    @Test("who refuses stays in the list with the time of it; a stranger's refusal makes nothing (B017)")
    func denied() async throws {
        try await inWorld { world in
            try await world.online()
            _ = try await change(world, Self.ask)
            await world.server.send("<presence type='unsubscribed' from='new@example.net'/>", to: .bot)
            await world.server.push(.new, to: .bot) { $0.asked = false }
            await world.server.send("<presence type='unsubscribed' from='ghost@example.net'/>", to: .bot)
            try await world.quiet()
            let items = try #require(try await world.service.roster(of: .bot)?.items)
            #expect(items.map(\.jid) == [.new])
            #expect(items.first?.evidence?.refusal == "the contact refused")
            #expect(items.first?.evidence?.refusedAt != nil)
            #expect(world.sent("subscribe", to: "new@example.net") == 1)
        }
    }

    @Test("a new name keeps the groups, a new group keeps the name, whatever comes at once")
    func renameAndGroup() async throws {
        let setup = { (server: ScriptedServer) in
            let item = ServerRosterItem(.ally, subscription: "both", name: "Ally", groups: ["A", "B"])
            await server.add(.bot, password: "secret", roster: [item])
        }
        try await inWorld(before: setup) { world in
            try await world.online()
            let expected = RosterFact(subscription: .both, name: "Al", groups: ["A", "B"])
            #expect(try await change(world, .rename("Al"), .ally) == .done(.init(item: expected)))
            async let first = change(world, .group(adding: ["C", "A"], removing: ["B"]), .ally)
            async let second = change(world, .rename(nil), .ally)
            async let third = change(world, .group(adding: ["D"], removing: []), .ally)
            for outcome in [try await first, try await second, try await third] {
                guard case .done = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
            }
            let item = try #require(await world.server.roster(of: .bot).first)
            #expect(Set(item.groups) == ["A", "C", "D"])
            #expect(item.name == nil)
        }
    }

    @Test(
        "who is removed while its own request waits is refused too, with an item and without", arguments: [true, false])
    func removeWithRequest(hasItem: Bool) async throws {
        let setup = { (server: ScriptedServer) in
            let roster = hasItem ? [ServerRosterItem(.new, groups: ["G"])] : []
            await server.add(.bot, password: "secret", roster: roster)
        }
        try await inWorld(before: setup) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            let id = try #require(try await world.pending().first?.id)
            #expect(try await change(world, .remove) == .done(.init(request: id)))
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(world.sent("unsubscribed", to: "new@example.net") == 1)
            #expect(await world.server.requests(of: .bot).isEmpty)
            #expect(await world.server.roster(of: .bot).isEmpty)
            #expect(try await world.pending().isEmpty)
            let answer = try await world.history().first { $0.event == .decided && $0.by == "operator" }
            #expect(answer?.operator == "ana")
            #expect(answer?.decision == "reject")
        }
    }

    @Test("an approval before the request is written down, and taken back by removing the item")
    func preApproval() async throws {
        try await inWorld { world in
            try await world.online()
            guard case .done = try await change(world, .add(.init(preApproves: true))) else {
                Issue.record("not done")
                return
            }
            #expect(await world.server.roster(of: .bot).first?.approved == true)
            #expect(try await world.history().first?.reason == "approved before it asks")
            _ = try await change(world, .remove)
            #expect(await world.server.roster(of: .bot).isEmpty)
        }
    }

    @Test("a contact whom an accept let in is told from one that another client added")
    func origins() async throws {
        let policy = Policy.of([Rule("friends", .accept(Acceptance(groups: ["G"])), domain: "example.net")])
        try await inWorld(policy: policy) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isConfirmed(.new) }
            await world.server.ask(.bot, from: JID(BareJID.of("ann", "example.com")))
            _ = try await world.events.next { $0.isDecided(.of("ann", "example.com")) }
            let row = try #require(try await world.pending().first)
            _ = try await world.service.answer([.accept(row)])
            _ = try await world.events.next { $0.isConfirmed(.of("ann", "example.com")) }
            await world.server.push(.of("other"), to: .bot) { $0.subscription = "to" }
            try await world.quiet()
            let items = try #require(try await world.service.roster(of: .bot)?.items)
            let origins = items.map {
                "\($0.jid) \($0.evidence?.addedBy.rawValue ?? "") \($0.evidence?.addedName ?? "")"
            }
            #expect(
                origins == [
                    "ann@example.com operator ana", "new@example.net rule friends", "other@example.net other_client ",
                ])
        }
    }
}
