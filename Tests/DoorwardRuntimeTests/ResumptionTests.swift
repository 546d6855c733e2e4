import Dispatch
import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// A link breaks, and the session goes on over the next one (XEP-0198 section 5).
@Suite struct ResumptionTests {
    static let managed = { @Sendable (server: ScriptedServer) async -> Void in
        await server.behave { $0.streamManagement = .init() }
        await server.add(
            .bot, password: "secret", roster: [ServerRosterItem(.ally, subscription: "both", groups: ["Friends"])])
    }

    @Test("a resumed session fetches and announces nothing, keeps its roster and its number, and gets what it missed")
    func resumed() async throws {
        try await inWorld(policy: .acceptAll, before: Self.managed) { world in
            try await world.online()
            #expect(try await world.service.status().accounts.first?.resumedAt == nil)
            let before = try #require(try await world.store.savedSession(of: .bot))
            await world.server.dropLink(of: .bot)
            #expect(try await world.state(.waiting).resumedAt == nil)
            await world.server.ask(.bot, from: .new, "while you were away")
            await world.pass(.seconds(3))
            #expect(try await world.state(.online).resumedAt == Timestamp(milliseconds: world.time.wallMilliseconds))
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(try await world.service.status().accounts.first?.resumedAt != nil)
            #expect(world.saidLast() == ["presence subscribed new@example.net", "iq result"])
            #expect(world.resumptions() == 1)
            let roster = try await world.service.roster(of: .bot)
            #expect(roster?.items.map(\.jid) == [.ally, .new])
            let after = try #require(try await world.store.savedSession(of: .bot))
            #expect(after.number == before.number)
            #expect(after.id == before.id)
            #expect(try await world.history().first?.state == .confirmed)
            #expect(try await world.history().map(\.event) == [.decided])
        }
    }

    @Test(
        "a session that the server no longer has is followed by a fresh login, and no request is lost",
        arguments: [false, true])
    func failed(tellsCount: Bool) async throws {
        let setup = { @Sendable (server: ScriptedServer) async -> Void in
            await Self.managed(server)
            await server.behave { $0.streamManagement?.tellsCountOfLostSessions = tellsCount }
        }
        try await inWorld(policy: .of([Rule("no", .reject(Rejection()), domain: "evil.example")]), before: setup) {
            world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            await world.server.ask(.bot, from: JID(.of("eve", "evil.example")))
            _ = try await world.server.received.next { $0.isPresence("unsubscribed", to: "eve@evil.example") }
            let number = try await world.store.savedSession(of: .bot)?.number
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.server.expireSessions(of: .bot)
            await world.pass(.seconds(3))
            try await world.online()
            try await world.quiet()
            #expect(world.resumptions() == 0)
            #expect(try await world.service.status().accounts.first?.resumedAt == nil)
            // The verdict that had arrived is known to have, or the next half minute shows it; it is not said again.
            if !tellsCount { await world.pass(.seconds(31)) }
            _ = try await world.events.next { $0.isConfirmed(.of("eve", "evil.example")) }
            #expect(world.sent("unsubscribed", to: "eve@evil.example") == 1)
            let rows = try await world.pending()
            #expect(rows.map(\.contact) == [.new])
            #expect(rows.map(\.seenCount) == [2])
            #expect(try await world.store.savedSession(of: .bot)?.number != number)
        }
    }

    @Test(
        "a link that breaks before all answers of a login are there leaves no session that knows half of it",
        arguments: [true, false])
    func halfKnown(lacksDiscovery: Bool) async throws {
        let setup = { @Sendable (server: ScriptedServer) async -> Void in
            await Self.managed(server)
            await server.behave {
                $0.announcesBlocking = true
                if lacksDiscovery { $0.answersDiscovery = false } else { $0.answersBlockList = false }
            }
        }
        try await inWorld(before: setup) { world in
            _ = try await world.server.events.next { if case .available = $0 { true } else { false } }
            try await world.quiet()
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            #expect(!world.events.all.contains { $0.isChange(of: .bot, to: .online) })
            await world.server.behave { ($0.answersDiscovery, $0.answersBlockList) = (true, true) }
            await world.pass(.seconds(3))
            try await world.online()
            #expect(world.resumptions() == 0)
        }
    }

    @Test("an account that begins to act, or on another resource, does not go on with the session of before")
    func otherSettings() async throws {
        let observing = AccountConfiguration.of("bot@example.org", mode: .observe)
        try await inWorld([observing], policy: .acceptAll, before: Self.managed) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            try await world.quiet()
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            world.write([.of("bot@example.org")], [.acceptAll])
            #expect(await world.service.reload().change?.restarted == [.bot])
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(world.presences == ["subscribed new@example.net"])
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            world.write([.of("bot@example.org", resource: "other")], [.acceptAll])
            #expect(await world.service.reload().change?.restarted == [.bot])
            _ = try await world.server.events.next { if case .available = $0 { true } else { false } }
            _ = try await world.server.events.next { if case .available = $0 { true } else { false } }
            #expect(world.resumptions() == 0)
        }
    }

    @Test("an operator's answer to a request of a session without a link is sent when it goes on, once")
    func answeredMeanwhile() async throws {
        try await inWorld(before: Self.managed) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            let row = try #require(try await world.pending().first)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            _ = try await world.service.answer([.accept(row)])
            #expect(world.presences == [])
            await world.pass(.seconds(3))
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(world.presences == ["subscribed new@example.net"])
            #expect(world.resumptions() == 1)
        }
    }

    @Test("an answer whose link breaks before the server has it is sent again by the session itself, and not twice")
    func lostOnTheWay() async throws {
        try await inWorld(before: Self.managed) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            await world.server.ask(.bot, from: JID(.of("bad")))
            _ = try await world.events.next { $0.isDecided(.of("bad")) }
            let rows = try await world.pending()
            // From the moment the answers are on disk nothing arrives any more.
            let server = world.server
            world.hook.withLock {
                $0 = { event in
                    guard case .answered = event else { return }
                    server.loop.execute { server.assumeIsolated { $0.dropLink(of: .bot) } }
                }
            }
            _ = try await world.service.answer(rows.map { $0.contact == .new ? .accept($0) : .reject($0) })
            _ = try await world.state(.waiting)
            world.hook.withLock { $0 = nil }
            await world.pass(.seconds(3))
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            await world.pass(.seconds(3))
            _ = try await world.events.next { $0.isConfirmed(.of("bad")) }
            try await world.quiet()
            #expect(world.sent("subscribed", to: "new@example.net") == 1)
            #expect(world.sent("unsubscribed", to: "bad@example.net") == 1)
        }
    }

    @Test("with stream management answers close by acknowledgement: nothing is pinged for them")
    func withoutPings() async throws {
        let policy = Policy.of([
            Rule("no", .reject(Rejection()), domain: "evil.example"), Rule("yes", .accept(Acceptance())),
        ])
        try await inWorld(policy: policy, before: Self.managed) { world in
            try await world.online()
            for index in 0..<30 {
                await world.server.ask(
                    .bot, from: JID(.of("c\(index)", index % 2 == 0 ? "evil.example" : "good.example")))
            }
            _ = try await world.events.next { $0.isDecided(.of("c29", "good.example")) }
            try await world.quiet()
            await world.pass(.seconds(3))
            try await world.quiet()
            #expect(try await world.history().allSatisfy { $0.state == .confirmed })
            #expect(try await world.history().count == 30)
            #expect(!world.server.received.all.contains { $0.isIQ("get", "ping", Namespace.ping) })
        }
    }

    @Test("an acknowledgement that overtakes its roster push is no proof that an accept met nobody (ejabberd)")
    func overtaken() async throws {
        let setup = { @Sendable (server: ScriptedServer) async -> Void in
            await Self.managed(server)
            await server.react { $0.isPresence("subscribed", to: "new@example.net") ? .nothing : .usual }
        }
        try await inWorld(policy: .acceptAll, before: setup) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.server.received.next { $0.isPresence("subscribed", to: "new@example.net") }
            await world.server.react { $0.isIQ("get", "ping", Namespace.ping) ? .nothing : .usual }
            await world.pass(.seconds(3))
            // Acknowledged, and nothing of it in the roster: only the ping behind it may tell.
            let ping = try await world.server.received.next { $0.isIQ("get", "ping", Namespace.ping) }
            await world.server.push(.new, to: .bot) { $0.subscription = "from" }
            let id = ping.element[attribute: "id"] ?? ""
            await world.server.send("<iq type='result' id='\(id)' from='example.org'/>", to: .bot)
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(try await world.history().map(\.state) == [.confirmed])
            #expect(!world.server.received.all.contains { $0.isIQ("set", "query", Namespace.roster) })
        }
    }

    @Test("the server is told that it may forget a request only when its effect is on disk")
    func committedFirst() async throws {
        try await inWorld(policy: .acceptAll, before: Self.managed) { world in
            try await world.online()
            try await world.quiet()
            await world.pass(.seconds(3))
            let before = try #require(try await world.store.savedSession(of: .bot)?.counts.inbound)
            let gate = StoreGate()
            let held = Task { await world.store.hold(gate) }
            gate.waitUntilHeld()
            await world.server.ask(.bot, from: .new)
            await world.server.requestAcknowledgement(of: .bot)
            let first = try await world.server.received.next { $0.element.name == "a" }
            #expect(first.element[attribute: "h"] == "\(before)")
            gate.open()
            await held.value
            let second = try await world.server.received.next {
                $0.element.name == "a" && $0.element[attribute: "h"] != "\(before)"
            }
            let told = try #require(second.element[attribute: "h"].flatMap { UInt32($0) })
            let saved = try #require(try await world.store.savedSession(of: .bot)?.counts.inbound)
            #expect(told > before)
            #expect(told <= saved)
            #expect(try await world.history().count == 1)
        }
    }

    @Test("what brings nothing while a transaction is under way is counted all the same")
    func countedBehindCommit() async throws {
        try await inWorld(before: Self.managed) { world in
            try await world.online()
            try await world.quiet()
            await world.pass(.seconds(3))
            _ = try await world.store.pendingCounts()
            await world.loop.settle()
            let before = try #require(try await world.store.savedSession(of: .bot)?.counts.inbound)
            let gate = StoreGate()
            let holding = Task { await world.store.hold(gate) }
            gate.waitUntilHeld()
            await world.server.ask(.bot, from: .new)
            await world.loop.settle()
            await world.server.send("<presence from='ally@example.org/phone'/>", to: .bot)
            await world.loop.settle()
            gate.open()
            await holding.value
            _ = try await world.events.next { $0.isDecided(.new) }
            await world.loop.settle()
            await world.pass(.seconds(3))
            try await world.until("both are counted") {
                try await world.store.savedSession(of: .bot)?.counts.inbound == before + 2
            }
        }
    }

    @Test("what has no effect of its own is counted on disk after a while, or when it is much")
    func lazyCounts() async throws {
        try await inWorld(before: Self.managed) { world in
            try await world.online()
            await world.pass(.seconds(3))
            try await world.quiet()
            await world.pass(.seconds(3))
            let before = try #require(try await world.store.savedSession(of: .bot)?.counts.inbound)
            await world.server.send("<message from='ally@example.org/x'><body>hi</body></message>", to: .bot)
            await world.loop.settle()
            #expect(try await world.store.savedSession(of: .bot)?.counts.inbound == before)
            await world.pass(.seconds(3))
            try await world.until("counted") {
                try await world.store.savedSession(of: .bot)?.counts.inbound == before + 1
            }
            for _ in 0..<70 {
                await world.server.send("<message from='ally@example.org/x'><body>hi</body></message>", to: .bot)
            }
            try await world.until("counted") {
                try await world.store.savedSession(of: .bot)?.counts.inbound ?? 0 >= before + 64
            }
        }
    }

    @Test("a server that refuses stream management, or resumption, is served as one without", arguments: [true, false])
    func unmanaged(refuses: Bool) async throws {
        let setup = { @Sendable (server: ScriptedServer) async -> Void in
            await Self.managed(server)
            await server.behave {
                $0.streamManagement?.refusal = refuses ? "internal-server-error" : nil
                $0.streamManagement?.allowsResumption = false
            }
        }
        try await inWorld(policy: .acceptAll, before: setup) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(try await world.store.savedSession(of: .bot) == nil)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.pass(.seconds(3))
            try await world.online()
            #expect(world.resumptions() == 0)
        }
    }
}

/// Holds the store up, as a slow disk does.
final class StoreGate: @unchecked Sendable {
    // Two semaphores that are safe to share.
    private let held = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)

    func hold() {
        held.signal()
        opened.wait()
    }

    func waitUntilHeld() { held.wait() }

    func open() { opened.signal() }
}

extension Store {
    func hold(_ gate: StoreGate) { gate.hold() }
}
