import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

@testable import DoorwardRuntime

/// What is announced where a session goes on, and what modules are told of its end.
@Suite struct AnnouncementTests {
    let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func announcements(_ world: World) -> Int { world.saidLast().count { $0 == "presence available" } }

    @Test("a process that goes on with a session announces what it can do only where that is not what was announced")
    func restarted() async throws {
        let plain = AccountConfiguration.of("bot@example.org")
        var other = plain
        other.answers = [.version]
        try await inWorld([plain], store: folder.store("live.db"), before: ResumptionTests.managed) { world in
            try await world.online()
            try await world.quiet()
            var before = world
            for (number, account) in [plain, other, other].enumerated() {
                folder.copy(number == 0 ? "live.db" : "\(number).db", to: "\(number + 1).db")
                await before.server.dropLink(of: .bot)
                _ = try await before.state(.waiting)
                await before.service.stop()
                let store = try folder.store("\(number + 1).db")
                let next = try World(after: before, .of([account], [.of([])]), store: store)
                try await next.online(.bot, isFresh: false)
                try await next.quiet()
                #expect(announcements(next) == [0, 1, 0][number], "\(number)")
                try await next.until("it is kept") {
                    try await next.store.savedSession(of: .bot)?.announced != nil
                }
                // What a process that is killed now leaves.
                await next.pass(.seconds(2))
                try await next.quiet()
                before = next
            }
            await before.stop()
        }
    }

    @Test("what changed while the link was gone is announced when it is back")
    func changedMeanwhile() async throws {
        var other = AccountConfiguration.of("bot@example.org")
        other.answers = [.version]
        try await inWorld(before: ResumptionTests.managed) { world in
            try await world.online()
            try await world.quiet()
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            world.write([other], [.of([])])
            _ = await world.service.reload()
            await world.pass(.seconds(3))
            try await world.online(.bot, isFresh: false)
            try await world.quiet()
            #expect(world.resumptions() == 1 && announcements(world) == 1)
        }
    }

    @Test("modules are told of the end of a session, and of a broken link that is taken up again they are not")
    func ended() async throws {
        try await inWorld(before: ResumptionTests.managed) { world in
            try await world.online()
            await world.server.send("<presence from='ally@example.org/x'/>", to: .bot)
            try await world.quiet()
            let account = try #require(await world.service.account(.bot))
            let presence = try #require(await account.presenceCount())
            #expect(presence.count == 1)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            #expect(await account.count(of: presence) == 1)
            await world.pass(.seconds(3))
            try await world.online(.bot, isFresh: false)
            #expect(await account.count(of: presence) == 1)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.server.expireSessions(of: .bot)
            await world.pass(.seconds(60))
            try await world.online()
            #expect(await account.count(of: presence) == 0)
        }
    }

    @Test("pre-approvals are known from the features behind the login, also where they come after it (XEP-0388)")
    func preApprovals() async throws {
        for keeps in [true, false] {
            let setup = { (server: ScriptedServer) in
                await server.behave { behaviour in
                    behaviour = .modern
                    behaviour.keepsPreApprovals = keeps
                }
            }
            try await inWorld(before: setup) { world in
                try await world.online()
                let order = ContactOrder.add(.init(preApproves: true))
                let outcome = try await world.service.change(order, of: .new, on: .bot, by: "ana")
                if keeps {
                    #expect(world.sent("subscribed", to: "new@example.net") == 1, "\(outcome)")
                } else {
                    #expect(outcome == .noPreApproval)
                }
            }
        }
    }
}

extension Account {
    fileprivate func presenceCount() -> PresenceBox? {
        session?.presence.map { PresenceBox(module: $0, count: $0.count) }
    }

    fileprivate func count(of box: PresenceBox) -> Int { box.module.count }
}

/// A module that is looked at in its account's isolation only.
private struct PresenceBox: @unchecked Sendable {
    let module: PresenceModule
    let count: Int
}
