import Dispatch
import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// Many accounts, some of them in trouble (B069).
@Suite struct SupervisionTests {
    /// Counts connections by domain; one domain has no address, one no service.
    private struct CountingConnector: Connector {
        let base: any Connector
        let counts: Locked<[ServerAddress: Int]>

        func connect(
            to address: ServerAddress, security: TLSSettings?, on loop: EventLoop,
            handler: @escaping @Sendable (ChannelEvent) -> Void
        ) -> any Channel {
            counts.withLock { $0[address, default: 0] += 1 }
            let error: TransportError? =
                switch address {
                case .domain("d7.example"): TransportError(.dnsFailed, "no such name")
                case .domain("none.example"): TransportError(.serviceNotOffered, "it says that it has none")
                default: nil
                }
            if let error {
                let nowhere = MemoryConnector { _, _ in nil }
                return nowhere.connect(to: address, security: security, on: loop) { event in
                    guard case .closed = event else { return }
                    handler(.closed(.failed(error)))
                }
            }
            return base.connect(to: address, security: security, on: loop, handler: handler)
        }
    }

    private static func jid(_ number: Int) -> BareJID { .of("bot", "d\(number).example") }

    @Test("of fifty accounts three fail in their ways, and the other forty-seven notice nothing")
    func fifty() async throws {
        let counts = Locked<[ServerAddress: Int]>([:])
        let accounts = (1...50).map { AccountConfiguration.of("bot@d\($0).example") }
        try await inWorld(
            accounts,
            connector: { CountingConnector(base: $0, counts: counts) },
            before: { server in
                await server.refuseLogins(of: Self.jid(9), with: "not-authorized")
                await server.react { received in
                    // Bound, and then an error at the first stanza, each time.
                    guard received.account == Self.jid(8) else { return .usual }
                    return .send(
                        "<stream:error><internal-server-error xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
                            + "</stream:error></stream:stream>")
                }
            }
        ) { world in
            func states() async throws -> [BareJID: AccountStatus] {
                let accounts = try await world.service.status().accounts
                return Dictionary(accounts.map { ($0.jid, $0) }, uniquingKeysWith: { first, _ in first })
            }
            try await world.until("47 are online") {
                try await states().values.count { $0.state == .online } == 47
            }
            _ = try await world.events.next { $0.isAlert(AlertCode.accountParked) }

            // What operators want of the dead account waits in the store.
            let session = try await world.store.beginSession(account: Self.jid(8), at: Timestamp(milliseconds: 0))
            let ask = DecisionRecord(decision: .ask, by: .default)
            let rows = try await world.store.commit(
                account: Self.jid(8), session: session, at: Timestamp(milliseconds: 0),
                changes: (0..<100).map { number in
                    .opened(
                        DeliveredRequest(contact: .of("u\(number)"), message: nil, nickname: nil), ask)
                })
            let outcomes = try await world.service.answer(rows.compactMap { $0 }.map { .accept($0) })
            #expect(outcomes.count == 100)

            for _ in 0..<120 {
                try await world.until("the failing ones rest") {
                    let states = try await states()
                    return [7, 8].allSatisfy { states[Self.jid($0)]?.state == .waiting }
                }
                await world.pass(.seconds(10))
            }
            let states = try await states()
            #expect(states.values.count { $0.state == .online } == 47)
            #expect(states[Self.jid(7)]?.lastError?.contains("no such name") == true)
            #expect(states[Self.jid(8)]?.lastError?.contains("internal-server-error") == true)
            #expect(states[Self.jid(9)]?.state == .parked)
            let tries = counts.withLock { $0 }
            // Twenty minutes: growing waits, no spinning, and no second try with a wrong password.
            #expect((3...60).contains(tries[.domain("d7.example")] ?? 0))
            #expect((3...60).contains(tries[.domain("d8.example")] ?? 0))
            #expect(tries[.domain("d9.example")] == 1)
            for number in [1, 10, 50] { #expect(tries[.domain("d\(number).example")] == 1) }

            // It recovers, the server delivers the requests again, and all hundred answers go out once.
            await world.server.react(nil)
            for number in 0..<100 { await world.server.ask(Self.jid(8), from: JID(BareJID.of("u\(number)"))) }
            try await world.until("it is back") {
                await world.pass(.seconds(10))
                return try await world.service.status().accounts.contains {
                    $0.jid == Self.jid(8) && $0.state == .online
                }
            }
            try await world.until("all are confirmed") {
                try await world.store.liveRequests(of: Self.jid(8)).isEmpty
            }
            #expect(world.presences.count == 100)
            #expect(Set(world.presences).count == 100)
        }
    }

    @Test("a domain that says in DNS that it has no service is asked again after minutes, with an alert at once (B065)")
    func notOffered() async throws {
        let counts = Locked<[ServerAddress: Int]>([:])
        let account = AccountConfiguration.of("bot@none.example")
        try await inWorld([account], connector: { CountingConnector(base: $0, counts: counts) }) { world in
            _ = try await world.events.next { $0.isAlert(AlertCode.accountOffline) }
            let alert = try #require(try await world.service.alerts(all: false).first)
            #expect(alert.text.contains("it says that it has none"))
            try await world.until("the rest is scheduled") { world.loop.timerCount > 0 }
            await world.pass(.seconds(299))
            #expect(counts.withLock { $0[.domain("none.example")] } == 1)
            await world.pass(.seconds(302))
            try await world.until("it is tried again") { counts.withLock { $0[.domain("none.example")] } == 2 }
        }
    }

    @Test("accounts on several loops share one store: every request is answered once")
    func severalLoops() async throws {
        let accounts = (1...8).map { AccountConfiguration.of("bot@d\($0).example") }
        try await inWorld(accounts, policy: .acceptAll, loops: 3) { world in
            for account in accounts { try await world.online(account.jid) }
            for number in 0..<20 {
                for account in accounts { await world.server.ask(account.jid, from: JID(BareJID.of("u\(number)"))) }
            }
            try await world.until("all are confirmed") {
                for account in accounts where try await world.history(account.jid).count != 20 { return false }
                for account in accounts where try await !world.store.liveRequests(of: account.jid).isEmpty {
                    return false
                }
                return true
            }
            for account in accounts {
                #expect(try await world.history(account.jid).allSatisfy { $0.state == .confirmed })
                #expect(await world.server.roster(of: account.jid).count == 20)
            }
            #expect(world.presences.count == 160)
        }
    }

    @Test("a wrong password parks with an alert that says what to do")
    func wrongPassword() async throws {
        try await inWorld(before: { await $0.add(.bot, password: "another") }) { world in
            let status = try await world.state(.parked)
            #expect(status.lastError?.contains("not-authorized") == true)
            _ = try await world.events.next { $0.isAlert(AlertCode.accountParked) }
            let alerts = try await world.service.alerts(all: false)
            #expect(alerts.map(\.account) == [.bot])
            #expect(alerts.first?.text.contains("doorward reload") == true)
            #expect(alerts.first?.text.contains("secret") == false)
        }
    }

    @Test("an account that does not come online in four tries raises an alert, which is over when it does")
    func offline() async throws {
        try await inWorld(before: { await $0.behave { $0.isReachable = false } }) { world in
            try await world.until("four tries") {
                await world.pass(.seconds(10))
                return try await !world.service.alerts(all: false).isEmpty
            }
            #expect(world.connects >= 4)
            let alert = try #require(try await world.service.alerts(all: false).first)
            #expect(alert.account == .bot)
            #expect(alert.text.contains("tried again"))
            await world.server.behave { $0.isReachable = true }
            try await world.until("the alert is over") {
                await world.pass(.seconds(10))
                return try await world.service.alerts(all: false).isEmpty
            }
        }
    }

    @Test("a password that cannot be read parks the account, and no connection is tried")
    func noPassword() async throws {
        var account = AccountConfiguration.of("bot@example.org")
        account.password = .file(path: "/nowhere")
        try await inWorld([account]) { world in
            let status = try await world.state(.parked)
            #expect(status.lastError?.contains("password") == true)
            #expect(world.connects == 0)
        }
    }

    @Test("no more accounts log in at the same time than the gate lets in, and a stuck one gives its place back")
    func gate() async throws {
        let accounts = (1...30).map { AccountConfiguration.of("bot@d\($0).example") }
        try await inWorld(accounts, before: { await $0.behave { $0.silentFrom = .challenge } }) { world in
            try await world.until("ten are waiting for their challenge") {
                world.server.received.all.count { $0.element.name == "auth" } == 10
            }
            await world.loop.settle()
            #expect(world.connects == 10)
            // Servers that say nothing hold the others up for three seconds, not for the half minute of a login.
            await world.pass(.seconds(4))
            try await world.until("the next ten") { world.connects == 20 }
            await world.server.behave { $0.silentFrom = nil }
            await world.pass(.seconds(36))
            try await world.until("all are online") {
                await world.pass(.seconds(10))
                return try await world.service.status().accounts.allSatisfy { $0.state == .online }
            }
        }
    }

    @Test("a password that takes long to come does not hold up the stop")
    func stopWithinPassword() async throws {
        let loop = try EventLoop(name: "stop", time: ManualTime())
        loop.start()
        let gate = DispatchSemaphore(value: 0)
        let isReading = Locked(false)
        var parts = Service.Parts(
            loops: [loop], connector: ScriptedServer(on: loop).connector, version: "test",
            load: { LoadResult(configuration: nil, faults: []) }, events: { _ in })
        parts.readSecret = { _ in
            isReading.withLock { $0 = true }
            gate.wait()
            return Array("secret".utf8)
        }
        let configuration = Configuration.of([.of("bot@example.org")], [.of([])])
        let service = Service(configuration: configuration, store: try Store(path: ":memory:"), parts: parts)
        let hasEnded = Locked(false)
        let running = Task {
            await service.run()
            hasEnded.withLock { $0 = true }
        }
        while !isReading.withLock({ $0 }) { await Task.yield() }
        await service.stop()
        let deadline = SystemTime().now + .seconds(5)
        while !hasEnded.withLock({ $0 }), SystemTime().now < deadline { await loop.settle() }
        #expect(hasEnded.withLock { $0 })
        gate.signal()
        await running.value
        loop.stop()
    }
}
