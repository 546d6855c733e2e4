import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// Contacts who are approved ahead (RFC 6121 section 3.4): what the operator has decided stands, and can be seen.
@Suite struct ApprovalTests {
    @Test("it is shown, and outlives another name, other groups, a refusal and a block; removing the item ends it")
    func stands() async throws {
        try await inWorld { world in
            try await world.online()
            try await world.approve()
            #expect(try await world.isShownAsApproved() == true)
            for order in [ContactOrder.group(adding: ["VIP"], removing: []), .rename("N"), .rename(nil)] {
                guard case .done = try await world.change(order) else { throw World.Missing() }
                try await world.quiet()
                #expect(await world.isApprovedOnServer() == true, "\(order)")
            }
            #expect(world.sent("subscribed", to: "new@example.net") == 4)
            try await world.refuse()
            _ = try await world.service.block(.bot, [JID(.new)], report: nil, by: "ana")
            _ = try await world.service.unblock(.bot, [JID(.new)], by: "ana")
            try await world.quiet()
            #expect(try await world.isShownAsApproved() == true)
            #expect(try await world.letIns().isEmpty)
            _ = try await world.change(.remove)
            #expect(try await world.store.approvals(of: .bot).isEmpty)
            // Added anew without it, it asks like everybody.
            _ = try await world.change(.add(.init()))
            #expect(try await world.isShownAsApproved() == false)
        }
    }

    @Test("whom the server lets in by it is in the history and the log with who approved, modules hear, and it is over")
    func used() async throws {
        try await inWorld([.of("bot@example.org").with([.test()])]) { world in
            try await world.online()
            try await world.approve()
            await world.letIn()
            try await world.quiet()
            let row = try #require(try await world.letIns().first)
            #expect(row.by == "operator" && row.operator == "ana" && row.reason == "pre-approved by ana")
            #expect(row.state == .confirmed && row.contact == .new)
            let told = world.events.all.compactMap { event -> ContactEvent? in
                guard case .contact(let change) = event, change.kind == .letIn else { return nil }
                return change
            }
            #expect(told.map(\.operator) == ["ana"] && told.map(\.detail) == ["pre-approved by ana"])
            try await world.until("the module welcomes") { world.said().contains("welcome") }
            #expect(await world.isApprovedOnServer() == false, "what would let it in again unseen is taken back")
            #expect(await world.server.roster(of: .bot).first?.name == "New")
            try await world.until("it is over") { try await world.store.approvals(of: .bot).isEmpty }
            #expect(try await world.isShownAsApproved() == false)
            // Who leaves, and asks again, is judged anew.
            await world.server.push(.new, to: .bot) {
                $0.subscription = "none"; $0.asked = false
            }
            await world.server.ask(.bot, from: .new)
            try await world.until("on the desk") { try await world.pending().map(\.contact) == [.new] }
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
            #expect(try await world.change(order) == .done(.init(item: item, isApproval: true)))
            try await world.quiet()
            #expect(await world.isApprovedOnServer() == true)
            #expect(
                try await world.change(order) == .done(.init(item: item, isUnchanged: true, isApproval: true)))
            #expect(world.presences == ["subscribed new@example.net"])
            let row = try #require(try await world.history().first)
            #expect(row.action == "preapprove" && row.operator == "ana" && row.state == .confirmed)
            #expect(row.reason == "approved before it asks")
            // With another name its groups stay.
            _ = try await world.change(.add(.init(name: "N", preApproves: true)))
            try await world.quiet()
            let set = await world.server.roster(of: .bot).first { $0.jid == .new }
            #expect(set?.name == "N" && set?.groups == ["G"] && set?.approved == true)
            guard case .done(let seen) = try await world.change(order, .of("seen")) else { throw World.Missing() }
            #expect(seen.isApproval && seen.item?.subscription == .to)
            // Who sees the account needs none.
            #expect(try await world.change(order, .ally) == .alreadyThere(RosterFact(subscription: .both)))
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
            #expect(try await world.change(.approving) == .requestWaits(id))
            #expect(world.presences.isEmpty)
            #expect(try await world.store.approvals(of: .bot).isEmpty)
        }
    }

    @Test("what the server refuses to add is not approved")
    func notDone() async throws {
        try await inWorld(before: { await $0.behave { $0.rosterSetRefusal = .notAcceptable } }) { world in
            try await world.online()
            guard case .refused = try await world.change(.approving) else { throw World.Missing() }
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
            guard case .done(let report) = try await world.change(.approving) else { throw World.Missing() }
            #expect(report.bounce != nil)
            try await world.quiet()
            #expect(try await world.isShownAsApproved() == true)
            #expect(await world.isApprovedOnServer() == true)
        }
    }
}
