import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// What nobody waits for is recorded with other things, or after a while; lost, it is found again.
@Suite struct RecordLaterTests {
    private let folder: StoreFolder
    private let accounts = [AccountConfiguration.of("bot@example.org")]
    private let policy = Policy.of([
        Rule("no", .reject(Rejection()), domain: "evil.example"), Rule("yes", .accept(Acceptance())),
    ])

    init() throws { folder = try StoreFolder() }

    private static let bad = BareJID.of("eve", "evil.example")

    /// One is accepted and one refused, and the server has had both answers.
    private func answer(_ world: World) async throws {
        try await world.online()
        await world.server.ask(.bot, from: .new)
        await world.server.ask(.bot, from: JID(Self.bad))
        _ = try await world.events.next { $0.isDecided(Self.bad) }
        _ = try await world.server.received.next { $0.isPresence("subscribed", to: "new@example.net") }
        _ = try await world.server.received.next { $0.isPresence("unsubscribed", to: "eve@evil.example") }
        try await world.quiet()
        // The second decision may have taken the confirmation of the first along.
        #expect(try await world.history().first?.state == .sent)
    }

    @Test("a confirmation is recorded after a while", arguments: [true, false])
    func after(isManaged: Bool) async throws {
        let before = { (server: ScriptedServer) in if isManaged { await ResumptionTests.managed(server) } }
        try await inWorld(accounts, policy: policy, recordsLater: true, before: before) { world in
            try await answer(world)
            // With stream management an acknowledgement has to come first, which takes its own time.
            try await world.until("both are confirmed") {
                await world.pass(.milliseconds(500))
                return try await world.history().map(\.state) == [.confirmed, .confirmed]
            }
            #expect(world.time.now < .seconds(10))
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
        }
    }

    @Test("it is recorded with the next decision, whenever that comes")
    func withTheNext() async throws {
        try await inWorld(accounts, policy: policy, recordsLater: true) { world in
            try await answer(world)
            let commits = world.store.commits
            await world.server.ask(.bot, from: JID(BareJID.of("next")))
            _ = try await world.events.next { $0.isConfirmed(Self.bad) }
            _ = try await world.events.next { $0.isDecided(.of("next")) }
            #expect(world.store.commits == commits + 1)
        }
    }

    @Test(
        "it is recorded when the link breaks, and when the service stops",
        arguments: [true, false], [Configuration.StopMode.close, .resumable])
    func atTheEnd(isManaged: Bool, mode: Configuration.StopMode) async throws {
        let before = { (server: ScriptedServer) in if isManaged { await ResumptionTests.managed(server) } }
        for isStop in [true, false] {
            let store = try folder.store("\(isStop).db")
            let world = try await World(
                accounts, policy: policy, stop: mode, store: store, recordsLater: true, before: before)
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.server.received.next { $0.isPresence("subscribed", to: "new@example.net") }
            try await world.quiet()
            #expect(try await world.history().first?.state == .sent)
            if isStop {
                await world.stop()
            } else {
                await world.server.dropLink(of: .bot)
                _ = try await world.state(.waiting)
            }
            #expect(try await store.history(limit: 10, before: nil, account: nil).first?.state == .confirmed)
            if !isStop { await world.stop() }
        }
    }

    @Test("a process that is killed before finds it again", arguments: [true, false])
    func killed(isManaged: Bool) async throws {
        let before = { (server: ScriptedServer) in if isManaged { await ResumptionTests.managed(server) } }
        let store = try folder.store("live.db")
        try await inWorld(accounts, policy: policy, store: store, recordsLater: true, before: before) { world in
            try await answer(world)
            folder.copy("live.db", to: "copy.db")
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.service.stop()
            let next = try World(
                after: world, .of(accounts, [policy]), store: folder.store("copy.db"), recordsLater: true)
            try await next.until("both are confirmed") {
                await next.pass(.milliseconds(500))
                return try await next.history().map(\.state) == [.confirmed, .confirmed]
            }
            #expect(next.sent("unsubscribed", to: "new@example.net") == 0)
            #expect(next.sent("subscribed", to: "eve@evil.example") == 0)
            #expect(await next.server.roster(of: .bot).first { $0.jid == .new }?.subscription == "from")
            #expect(try await next.store.liveRequests(of: .bot).isEmpty)
            await next.stop()
        }
    }

    @Test("the server is not told that it may forget what is not recorded")
    func notCovered() async throws {
        try await inWorld(accounts, policy: policy, recordsLater: true, before: ResumptionTests.managed) { world in
            try await answer(world)
            let saved = try #require(try await world.store.savedSession(of: .bot))
            await world.server.send("<r xmlns='urn:xmpp:sm:3'/>", to: .bot)
            let told = try await world.server.received.next { $0.element.name == "a" }
            #expect(told.element[attribute: "h"] == "\(saved.counts.inbound)")
            await world.pass(.milliseconds(1500))
            try await world.quiet()
            let later = try #require(try await world.store.savedSession(of: .bot))
            #expect(later.counts.inbound > saved.counts.inbound)
        }
    }
}
