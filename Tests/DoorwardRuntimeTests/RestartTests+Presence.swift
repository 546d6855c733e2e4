import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

extension RestartTests {
    private static let idle = Timestamp(milliseconds: 1_600_000_000_000)

    private static let said = [
        "<presence from='ally@example.org/phone'><show>away</show><status>lunch</status><priority>3</priority>"
            + "<idle xmlns='urn:xmpp:idle:1' since='2020-09-13T12:26:40Z'/></presence>",
        "<presence from='ally@example.org/desk'><show>dnd</show><priority>-1</priority></presence>",
    ]

    private func ally(_ world: World) async throws -> RosterSnapshot.Item? {
        try await world.service.roster(of: .bot)?.items.first { $0.jid == .ally }
    }

    @Test("what contacts say of themselves is known after a resumption by the next process, and not asked for")
    func presences() async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: ResumptionTests.managed) { world in
            try await world.online()
            // As it was told first: what it says later replaces that, on disk too.
            await world.server.send("<presence from='ally@example.org/phone'/>", to: .bot)
            try await world.quiet()
            for presence in Self.said { await world.server.send(presence, to: .bot) }
            try await world.quiet()
            let before = try await ally(world)
            #expect(before?.show == "away")
            #expect(before?.status == "lunch")
            #expect(before?.idleSince == Self.idle)
            let next = try await kill(world, .of(accounts, [.of([])]))
            try await next.online(.bot, isFresh: false)
            try await next.quiet()
            let after = try await ally(next)
            #expect(after?.show == "away")
            #expect(after?.status == "lunch")
            #expect(after?.idleSince == Self.idle)
            #expect(after?.resources == before?.resources)
            // What is told from then on goes on from there.
            await next.server.send("<presence from='ally@example.org/phone' type='unavailable'/>", to: .bot)
            try await next.quiet()
            #expect(try await ally(next)?.show == "dnd")
            await next.stop()
        }
    }

    @Test("a gateway that is available with its bare address is so after a resumption by the next process")
    func gateway() async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: ResumptionTests.managed) { world in
            try await world.online()
            await world.server.push(try BareJID("irc.example.org"), to: .bot) { $0.subscription = "both" }
            await world.server.send("<presence from='irc.example.org'><show>xa</show></presence>", to: .bot)
            try await world.quiet()
            let next = try await kill(world, .of(accounts, [.of([])]))
            try await next.online(.bot, isFresh: false)
            try await next.quiet()
            let gate = try #require(try await next.service.roster(of: .bot)?.items.first { $0.jid.local == nil })
            #expect(gate.isPresent == true)
            #expect(gate.show == "xa")
            await next.server.send("<presence from='irc.example.org' type='unavailable'/>", to: .bot)
            try await next.quiet()
            try await next.until("it is gone on disk") { try await next.store.mirror(of: .bot)?.available == [] }
            await next.stop()
        }
    }

    @Test("that contacts say something else costs no commit of its own")
    func batches() async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: ResumptionTests.managed) { world in
            try await world.online()
            try await world.quiet()
            let before = world.store.commits
            for number in 0..<50 {
                await world.server.send(
                    "<presence from='ally@example.org/phone'><status>\(number)</status></presence>", to: .bot)
            }
            try await world.quiet()
            #expect(world.store.commits - before <= 2)
            #expect(try await ally(world)?.status == "49")
        }
    }
}
