import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// Contacts who are approved ahead (RFC 6121 section 3.4): what the operator has decided stands, and can be seen.
@Suite struct ApprovalTests {
    private static let approving = ContactOrder.add(.init(name: "New", preApproves: true))
    let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func change(_ world: World, _ order: ContactOrder, _ contact: BareJID = .new) async throws -> ContactOutcome
    {
        try await world.service.change(order, of: contact, on: .bot, by: "ana")
    }

    private func added(_ world: World) async throws {
        guard case .done = try await change(world, Self.approving) else { throw World.Missing() }
        try await world.quiet()
    }

    private func onServer(_ world: World) async -> Bool? {
        await world.server.roster(of: .bot).first { $0.jid == .new }?.approved
    }

    private func shown(_ world: World) async throws -> Bool? {
        try await world.service.roster(of: .bot)?.items.first { $0.jid == .new }?.isApproved
    }

    private func letIns(_ world: World) async throws -> [HistoryRow] {
        try await world.history().filter { $0.action == "let_in" }
    }

    /// The server lets the contact in, as one does that has the approval: nobody is asked.
    private func letIn(_ world: World) async {
        await world.server.push(.new, to: .bot) {
            $0.subscription = $0.subscription == "to" ? "both" : "from"
        }
    }

    private func refused(_ world: World) async throws {
        await world.server.send("<presence type='unsubscribed' from='new@example.net'/>", to: .bot)
        await world.server.push(.new, to: .bot) { $0.asked = false }
        try await world.quiet()
    }

    @Test("it is shown, and outlives another name, other groups, a refusal and a block; removing the item ends it")
    func stands() async throws {
        try await inWorld { world in
            try await world.online()
            try await added(world)
            #expect(try await shown(world) == true)
            for order in [ContactOrder.group(adding: ["VIP"], removing: []), .rename("N"), .rename(nil)] {
                guard case .done = try await change(world, order) else { throw World.Missing() }
                try await world.quiet()
                #expect(await onServer(world) == true, "\(order)")
            }
            #expect(world.sent("subscribed", to: "new@example.net") == 4)
            try await refused(world)
            _ = try await world.service.block(.bot, [JID(.new)], report: nil, by: "ana")
            _ = try await world.service.unblock(.bot, [JID(.new)], by: "ana")
            try await world.quiet()
            #expect(try await shown(world) == true)
            #expect(try await letIns(world).isEmpty)
            _ = try await change(world, .remove)
            #expect(try await world.store.approvals(of: .bot).isEmpty)
            // Added anew without it, it asks like everybody.
            _ = try await change(world, .add(.init()))
            #expect(try await shown(world) == false)
        }
    }

    @Test(
        "another client that changes name or groups does not take it back; what changes nothing is no reason to repeat it"
    )
    func otherClient() async throws {
        try await inWorld { world in
            try await world.online()
            try await added(world)
            await world.server.push(.new, to: .bot) {
                $0.name = "Other"
                $0.approved = false
            }
            try await world.quiet()
            #expect(await onServer(world) == true)
            #expect(world.sent("subscribed", to: "new@example.net") == 2)
            await world.server.push(.new, to: .bot) { _ in }
            try await world.quiet()
            #expect(world.sent("subscribed", to: "new@example.net") == 2)
            // While the account is away too.
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.server.push(.new, to: .bot) {
                $0.groups = ["Away"]
                $0.approved = false
            }
            await world.pass(.seconds(60))
            try await world.online()
            try await world.quiet()
            #expect(await onServer(world) == true)
            await world.server.remove(.new, from: .bot)
            try await world.quiet()
            #expect(try await world.store.approvals(of: .bot).isEmpty)
        }
    }

    @Test("whom the server lets in by it is in the history and the log with who approved, modules hear, and it is over")
    func used() async throws {
        try await inWorld([.of("bot@example.org").with([.test()])]) { world in
            try await world.online()
            try await added(world)
            await letIn(world)
            try await world.quiet()
            let row = try #require(try await letIns(world).first)
            #expect(row.by == "operator" && row.operator == "ana" && row.reason == "pre-approved by ana")
            #expect(row.state == .confirmed && row.contact == .new)
            let told = world.events.all.compactMap { event -> ContactEvent? in
                guard case .contact(let change) = event, change.kind == .letIn else { return nil }
                return change
            }
            #expect(told.map(\.operator) == ["ana"] && told.map(\.detail) == ["pre-approved by ana"])
            try await world.until("the module welcomes") { world.said().contains("welcome") }
            #expect(await onServer(world) == false, "what would let it in again unseen is taken back")
            #expect(await world.server.roster(of: .bot).first?.name == "New")
            try await world.until("it is over") { try await world.store.approvals(of: .bot).isEmpty }
            #expect(try await shown(world) == false)
            // Who leaves, and asks again, is judged anew.
            await world.server.push(.new, to: .bot) {
                $0.subscription = "none"; $0.asked = false
            }
            await world.server.ask(.bot, from: .new)
            try await world.until("on the desk") { try await world.pending().map(\.contact) == [.new] }
        }
    }

    @Test("whom the server lets in while the account is away is told of at the next login, once")
    func usedAway() async throws {
        let accounts = [AccountConfiguration.of("bot@example.org")]
        try await inWorld(accounts, store: folder.store("live.db")) { world in
            try await world.online()
            try await added(world)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await letIn(world)
            await world.pass(.seconds(60))
            try await world.online()
            try await world.quiet()
            #expect(try await letIns(world).map(\.operator) == ["ana"])
            try await world.until("it is over") { try await world.store.approvals(of: .bot).isEmpty }
            #expect(await onServer(world) == false)
        }
    }

    @Test("what is taken back behind its use is taken back at the next login where the link broke before")
    func takenBackLater() async throws {
        try await inWorld { world in
            try await world.online()
            try await added(world)
            await world.server.react { received in
                IQ(received.element)?.type == .set ? .nothing : .usual
            }
            await letIn(world)
            try await world.until("it is recorded") { try await letIns(world).count == 1 }
            #expect(try await world.store.approvals(of: .bot)[.new]?.isUsed == true)
            #expect(try await shown(world) == false)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.server.react(nil)
            await world.pass(.seconds(60))
            try await world.online()
            try await world.until("it is over") { try await world.store.approvals(of: .bot).isEmpty }
            #expect(await onServer(world) == false)
            #expect(try await letIns(world).count == 1)
        }
    }

    @Test(
        "a request that comes all the same is accepted by it: servers lose what they were told",
        arguments: [true, false])
    func lostByServer(isOffline: Bool) async throws {
        try await inWorld(policy: .of([Rule("none", .reject(Rejection()))])) { world in
            try await world.online()
            try await added(world)
            try await refused(world)
            if isOffline {
                await world.server.dropLink(of: .bot)
                _ = try await world.state(.waiting)
            }
            await world.server.ask(.bot, from: .new)
            if isOffline {
                await world.pass(.seconds(60))
                try await world.online()
            }
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            let row = try #require(try await world.history().first { $0.event == .decided })
            #expect(row.decision == "accept" && row.by == "operator" && row.operator == "ana")
            #expect(row.reason == "pre-approved by ana" && row.state == .confirmed)
            #expect(try await letIns(world).isEmpty)
            try await world.until("it is used") { try await world.store.approvals(of: .bot).isEmpty }
            await world.server.push(.new, to: .bot) { $0.subscription = "none" }
            await world.server.ask(.bot, from: .new)
            _ = try await world.server.received.next { $0.isPresence("unsubscribed", to: "new@example.net") }
        }
    }

    @Test("who was asked, or is seen, can be approved too: written down, once, and it is not asked again")
    func later() async throws {
        let setup = { (server: ScriptedServer) in
            let roster = [
                ServerRosterItem(.new, name: "New", asked: true, groups: ["G"]),
                ServerRosterItem(.ally, subscription: "both"), ServerRosterItem(.of("seen"), subscription: "to"),
            ]
            await server.add(.bot, password: "secret", roster: roster)
        }
        try await inWorld(before: setup) { world in
            try await world.online()
            let order = ContactOrder.add(.init(preApproves: true))
            let item = RosterFact(subscription: .none, asked: true, name: "New", groups: ["G"])
            #expect(try await change(world, order) == .done(.init(item: item, isApproval: true)))
            try await world.quiet()
            #expect(await onServer(world) == true)
            #expect(
                try await change(world, order) == .done(.init(item: item, isUnchanged: true, isApproval: true)))
            #expect(world.presences == ["subscribed new@example.net"])
            let row = try #require(try await world.history().first)
            #expect(row.action == "preapprove" && row.operator == "ana" && row.state == .confirmed)
            #expect(row.reason == "approved before it asks")
            // With another name its groups stay.
            _ = try await change(world, .add(.init(name: "N", preApproves: true)))
            try await world.quiet()
            let set = await world.server.roster(of: .bot).first { $0.jid == .new }
            #expect(set?.name == "N" && set?.groups == ["G"] && set?.approved == true)
            guard case .done(let seen) = try await change(world, order, .of("seen")) else { throw World.Missing() }
            #expect(seen.isApproval && seen.item?.subscription == .to)
            // Who sees the account needs none.
            #expect(try await change(world, order, .ally) == .alreadyThere(RosterFact(subscription: .both)))
            #expect(world.sent("subscribe", to: "new@example.net") == 0)
        }
    }

    @Test("who asks already is not approved ahead: nothing is sent that would accept it")
    func asksAlready() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            try await world.until("on the desk") { try await world.pending().count == 1 }
            let id = try #require(try await world.pending().first?.id)
            #expect(try await change(world, Self.approving) == .requestWaits(id))
            #expect(world.presences.isEmpty)
            #expect(try await world.store.approvals(of: .bot).isEmpty)
        }
    }

    @Test("what the server refuses to add is not approved")
    func notDone() async throws {
        try await inWorld(before: { await $0.behave { $0.rosterSetRefusal = .notAcceptable } }) { world in
            try await world.online()
            guard case .refused = try await change(world, Self.approving) else { throw World.Missing() }
            #expect(try await world.store.approvals(of: .bot).isEmpty)
            await world.server.behave { $0.rosterSetRefusal = nil }
            await world.server.ask(.bot, from: .new)
            try await world.until("on the desk") { try await world.pending().count == 1 }
        }
    }

    @Test("a server that is not there refuses the ask, and the approval stands")
    func notDelivered() async throws {
        try await inWorld(before: { await $0.behave { $0.unreachableDomains = ["example.net"] } }) { world in
            try await world.online()
            guard case .done(let report) = try await change(world, Self.approving) else { throw World.Missing() }
            #expect(report.bounce != nil)
            try await world.quiet()
            #expect(try await shown(world) == true)
            #expect(await onServer(world) == true)
        }
    }

    @Test(
        "another name that was on its way when the link broke costs no approval, nor does a killed process",
        arguments: [true, false])
    func linkLost(isKilled: Bool) async throws {
        let accounts = [AccountConfiguration.of("bot@example.org")]
        try await inWorld(accounts, store: folder.store("live.db")) { world in
            try await world.online()
            try await added(world)
            await world.server.behave { $0.answers.held = 1000 }
            // The set arrives, and nothing behind it.
            await world.server.react { received in
                received.element.name == "presence" ? .nothing : .usual
            }
            let answer = Task { try await change(world, .rename("N")) }
            try await world.until("it is set") { await world.server.roster(of: .bot).first?.name == "N" }
            for _ in 0..<4 { await world.loop.settle() }
            #expect(await onServer(world) == false)
            if isKilled { folder.copy("live.db", to: "copy.db") }
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            _ = try await answer.value
            await world.server.react(nil)
            await world.server.behave { $0.answers.held = nil }
            guard isKilled else {
                await world.pass(.seconds(60))
                try await world.online()
                try await world.until("it is renewed") { await onServer(world) == true }
                return
            }
            await world.service.stop()
            let after = try World(after: world, .of(accounts, [.of([])]), store: folder.store("copy.db"))
            try await after.online()
            try await after.until("it is renewed") { await onServer(after) == true }
            #expect(try await shown(after) == true)
            await after.stop()
        }
    }
}
