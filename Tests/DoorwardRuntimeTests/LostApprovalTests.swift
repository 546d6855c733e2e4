import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// Approvals ahead that servers, other clients and broken links have a part in.
@Suite struct LostApprovalTests {
    let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    @Test(
        "another client that changes name or groups does not take it back; what changes nothing is no reason to repeat it"
    )
    func otherClient() async throws {
        try await inWorld { world in
            try await world.online()
            try await world.approve()
            await world.server.push(.new, to: .bot) {
                $0.name = "Other"
                $0.approved = false
            }
            try await world.quiet()
            #expect(await world.isApprovedOnServer() == true)
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
            #expect(await world.isApprovedOnServer() == true)
            await world.server.remove(.new, from: .bot)
            try await world.quiet()
            #expect(try await world.store.approvals(of: .bot).isEmpty)
        }
    }

    @Test("whom the server lets in while the account is away is told of at the next login, once")
    func usedAway() async throws {
        let accounts = [AccountConfiguration.of("bot@example.org")]
        try await inWorld(accounts, store: folder.store("live.db")) { world in
            try await world.online()
            try await world.approve()
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.letIn()
            await world.pass(.seconds(60))
            try await world.online()
            try await world.until("it is recorded") { try await !world.letIns().isEmpty }
            try await world.until("it is over") { try await world.store.approvals(of: .bot).isEmpty }
            try await world.quiet()
            let rows = try await world.letIns().map { "\($0.operator ?? "-") \($0.reason ?? "-")" }
            #expect(rows == ["ana pre-approved by ana"])
            #expect(await world.isApprovedOnServer() == false)
        }
    }

    @Test("what is taken back behind its use is taken back at the next login where the link broke before")
    func takenBackLater() async throws {
        try await inWorld { world in
            try await world.online()
            try await world.approve()
            await world.server.react { received in
                IQ(received.element)?.type == .set ? .nothing : .usual
            }
            await world.letIn()
            try await world.until("it is recorded") { try await world.letIns().count == 1 }
            #expect(try await world.store.approvals(of: .bot)[.new]?.isUsed == true)
            #expect(try await world.isShownAsApproved() == false)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.server.react(nil)
            await world.pass(.seconds(60))
            try await world.online()
            try await world.until("it is over") { try await world.store.approvals(of: .bot).isEmpty }
            #expect(await world.isApprovedOnServer() == false)
            #expect(try await world.letIns().count == 1)
        }
    }

    @Test(
        "a request that comes all the same is accepted by it: servers lose what they were told",
        arguments: [true, false])
    func lostByServer(isOffline: Bool) async throws {
        try await inWorld(policy: .of([Rule("none", .reject(Rejection()))])) { world in
            try await world.online()
            try await world.approve()
            try await world.refuse()
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
            let names = world.events.all.compactMap { if case .decided(_, _, let name) = $0 { name } else { nil } }
            #expect(names == ["ana"], "the log has who it was")
            #expect(try await world.letIns().isEmpty)
            try await world.until("it is used") { try await world.store.approvals(of: .bot).isEmpty }
            await world.server.push(.new, to: .bot) { $0.subscription = "none" }
            await world.server.ask(.bot, from: .new)
            _ = try await world.server.received.next { $0.isPresence("unsubscribed", to: "new@example.net") }
        }
    }

    @Test(
        "another name that was on its way when the link broke costs no approval, nor does a killed process",
        arguments: [true, false])
    func linkLost(isKilled: Bool) async throws {
        let accounts = [AccountConfiguration.of("bot@example.org")]
        try await inWorld(accounts, store: folder.store("live.db")) { world in
            try await world.online()
            try await world.approve()
            await world.server.behave { $0.answers.held = 1000 }
            // The set arrives, and nothing behind it.
            await world.server.react { received in
                received.element.name == "presence" ? .nothing : .usual
            }
            let answer = Task { try await world.change(.rename("N")) }
            try await world.until("it is set") { await world.server.roster(of: .bot).first?.name == "N" }
            for _ in 0..<4 { await world.loop.settle() }
            #expect(await world.isApprovedOnServer() == false)
            if isKilled { folder.copy("live.db", to: "copy.db") }
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            _ = try await answer.value
            await world.server.react(nil)
            await world.server.behave { $0.answers.held = nil }
            guard isKilled else {
                await world.pass(.seconds(60))
                try await world.online()
                try await world.until("it is renewed") { await world.isApprovedOnServer() == true }
                return
            }
            await world.service.stop()
            let after = try World(after: world, .of(accounts, [.of([])]), store: folder.store("copy.db"))
            try await after.online()
            try await after.until("it is renewed") { await after.isApprovedOnServer() == true }
            #expect(try await after.isShownAsApproved() == true)
            await after.stop()
        }
    }
}
