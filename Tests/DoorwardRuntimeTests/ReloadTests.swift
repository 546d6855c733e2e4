import Dispatch
import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// `doorward reload`: only what changed is touched.
@Suite struct ReloadTests {
    private static let rejectAll = Policy.of([Rule("none", .reject(Rejection()))], digest: "other")

    private func closed(_ world: World) -> [Int] {
        world.server.events.all.compactMap { if case .disconnected(let number) = $0 { number } else { nil } }
    }

    @Test("accounts are started, stopped and updated; one that did not change keeps its session")
    func onlyWhatChanged() async throws {
        let names = ["a@example.org", "b@example.org", "c@example.org"]
        try await inWorld(names.map { .of($0) }) { world in
            for name in names { try await world.online(try BareJID(name)) }
            await world.server.add(try BareJID("d@example.org"), password: "secret")
            world.write(
                [.of("b@example.org", mode: .observe), .of("c@example.org"), .of("d@example.org")], [.of([])])
            let change = await world.service.reload().change
            #expect(change?.stopped.map(\.description) == ["a@example.org"])
            #expect(change?.updated.map(\.description) == ["b@example.org"])
            #expect(change?.started.map(\.description) == ["d@example.org"])
            #expect(change?.restarted == [])
            try await world.online(try BareJID("d@example.org"))
            try await world.until("a is gone") { self.closed(world).count == 1 }
            #expect(world.connects == 4)
            let status = try await world.service.status()
            #expect(status.accounts.map(\.jid.description) == ["b@example.org", "c@example.org", "d@example.org"])
            #expect(status.accounts.map(\.mode) == [.observe, .enforce, .enforce])
            #expect(status.accounts.allSatisfy { $0.state == .online })
            // It said goodbye.
            #expect(world.server.events.all.contains { if case .streamClosed = $0 { true } else { false } })
        }
    }

    @Test("a reload without any change changes nothing")
    func nothing() async throws {
        try await inWorld { world in
            try await world.online()
            let outcome = await world.service.reload()
            #expect(outcome.change == ReloadOutcome.Change(started: [], stopped: [], updated: [], restarted: []))
            #expect(outcome.faults.isEmpty)
            #expect(world.connects == 1)
        }
    }

    private static let connections: [(AccountConfiguration.Connect, AccountConfiguration.Login)] = [
        (.init(host: "other.example"), .init()), (.init(tls: .direct), .init()), (.init(tls: .starttls), .init()),
        (.init(pins: [Array(repeating: 1, count: 32)]), .init()), (.init(), .init(requiresChannelBinding: true)),
        (.init(), .init(allowsPlain: true)), (.init(), .init(iterations: 4096...8192)),
        (.init(), .init(certificate: .init(file: "a", key: "b"))),
    ]

    @Test("whatever says how to connect or log in needs a new connection", arguments: connections.indices)
    func needsConnection(index: Int) {
        let before = AccountConfiguration.of("bot@example.org")
        var after = before
        (after.connect, after.login) = Self.connections[index]
        #expect(before.needsNewConnection(for: after))
        #expect(after.needsNewConnection(for: before))
        #expect(!after.needsNewConnection(for: after))
    }

    /// What an account is at when it is removed.
    enum Moment: CaseIterable { case connecting, online, waiting }

    @Test(
        "an account that is removed and added again waits for its own end, however often, and meets no session of its own",
        arguments: Moment.allCases, [1, 2, 3])
    func removedAndAdded(moment: Moment, times: Int) async throws {
        let setup = { @Sendable (server: ScriptedServer) async -> Void in
            await server.behave {
                $0.answersClosing = false
                if moment == .connecting { $0.silentFrom = .features }
            }
        }
        try await inWorld(before: setup) { world in
            switch moment {
            case .connecting: _ = try await world.server.events.next { if case .connected = $0 { true } else { false } }
            case .online: try await world.online()
            case .waiting:
                try await world.online()
                await world.server.dropLink(of: .bot)
                _ = try await world.state(.waiting)
            }
            await world.server.behave { $0.silentFrom = nil }
            for _ in 0..<times {
                world.write([], [.of([])])
                #expect(await world.service.reload().change?.stopped == [.bot])
                world.write([.of("bot@example.org")], [.of([])])
                #expect(await world.service.reload().change?.started == [.bot])
            }
            // The old one waits two seconds for the server's goodbye.
            try await world.until("online") {
                await world.pass(.milliseconds(250))
                return try await world.service.status().accounts.first?.state == .online
            }
            await world.pass(.seconds(10))
            var open: Set<Int> = []
            for event in world.server.events.all {
                switch event {
                case .connected(let number):
                    #expect(open.isEmpty)
                    open.insert(number)
                case .disconnected(let number): open.remove(number)
                default: break
                }
            }
            #expect(try await world.service.status().accounts.map(\.state) == [.online])
            #expect(!world.events.all.contains { $0.isAlert(AlertCode.accountParked) })
        }
    }

    @Test("what a reload says of the stop counts for the next stop")
    func stopMode() async throws {
        try await inWorld(before: { await $0.behave { $0.streamManagement = .init() } }) { world in
            try await world.online()
            world.files.withLock {
                $0.configuration = .of([.of("bot@example.org")], [.of([])], stop: .resumable)
            }
            #expect(await world.service.reload().change?.restarted == [])
            await world.service.stop()
            await world.ended()
            #expect(!world.server.events.all.contains { if case .streamClosed = $0 { true } else { false } })
            #expect(try await world.store.savedSession(of: .bot) != nil)
        }
    }

    @Test("a new resource means a new connection, after the old one has ended; the state is the new one's")
    func restarted() async throws {
        try await inWorld { world in
            try await world.online()
            world.write([.of("bot@example.org", resource: "other")], [.of([])])
            #expect(await world.service.reload().change?.restarted == [.bot])
            try await world.online()
            let ends = world.server.events.all.filter { event in
                event == .disconnected(1) || event == .connected(2)
            }
            #expect(ends == [.disconnected(1), .connected(2)])
            try await world.quiet()
            let states = try await world.service.status().accounts.map(\.state)
            #expect(states == [.online])
        }
    }

    @Test("while the server keeps the old session open, the new one waits for its end")
    func restartedSlowly() async throws {
        try await inWorld(before: { await $0.behave { $0.answersClosing = false } }) { world in
            try await world.online()
            world.write([.of("bot@example.org", resource: "other")], [.of([])])
            _ = await world.service.reload()
            _ = try await world.server.events.next { if case .streamClosed = $0 { true } else { false } }
            await world.loop.settle()
            #expect(world.connects == 1)
            await world.pass(.seconds(3))
            try await world.online()
            #expect(world.connects == 2)
        }
    }

    @Test("a fault changes nothing and raises an alert with its place; a clean reload clears it")
    func fault() async throws {
        try await inWorld { world in
            try await world.online()
            let fault = Fault(path: "config/doorward.yaml", line: 3, column: 7, code: "DW001", message: "no such key")
            world.files.withLock { $0 = LoadResult(configuration: nil, faults: [fault]) }
            let outcome = await world.service.reload()
            #expect(outcome.change == nil)
            #expect(outcome.faults == [fault])
            _ = try await world.events.next { $0.isAlert(AlertCode.reloadRefused) }
            let alerts = try await world.service.alerts(all: false)
            #expect(alerts.first?.text.contains("config/doorward.yaml:3:7: no such key") == true)
            _ = await world.service.reload()
            #expect(try await world.service.alerts(all: false).count == 1)
            #expect(world.connects == 1)

            world.write([.of("bot@example.org")], [.of([])])
            #expect(await world.service.reload().change != nil)
            #expect(try await world.service.alerts(all: false).isEmpty)
            #expect(try await world.service.alerts(all: true).count == 1)
        }
    }

    @Test("a parked account is tried again at reload, and its alert is cleared")
    func parked() async throws {
        try await inWorld { world in
            world.passwords.withLock { $0["bot@example.org"] = "wrong" }
            // Whether the first login took place before the line above does not matter: the second one is refused.
            await world.server.add(.bot, password: "new password")
            if try await world.service.status().accounts.first?.state == .online {
                await world.server.dropLink(of: .bot)
            }
            try await world.until("parked") {
                await world.pass(.seconds(3))
                await world.server.dropLink(of: .bot)
                return try await world.service.status().accounts.first?.state == .parked
            }
            _ = try await world.events.next { $0.isAlert(AlertCode.accountParked) }
            world.passwords.withLock { $0["bot@example.org"] = "new password" }
            #expect(await world.service.reload().change?.restarted == [.bot])
            try await world.until("online") { try await world.service.status().accounts.first?.state == .online }
            #expect(try await world.service.alerts(all: false).isEmpty)
        }
    }

    @Test("a reload that comes while an account is being parked tries it again")
    func whileParking() async throws {
        try await inWorld(before: { await $0.add(.bot, password: "another") }) { world in
            // The alert is raised before the board shows the account as parked.
            _ = try await world.events.next { $0.isAlert(AlertCode.accountParked) }
            await world.server.add(.bot, password: "secret")
            let change = await world.service.reload().change
            #expect(change?.restarted == [.bot])
            try await world.online()
            #expect(try await world.service.alerts(all: false).isEmpty)
        }
    }

    @Test("a new policy decides what is delivered after the reload; what waits on the desk stays there")
    func policySwap() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            world.write([.of("bot@example.org")], [Self.rejectAll])
            #expect(await world.service.reload().change?.updated == [.bot])
            await world.server.ask(.bot, from: .new)
            await world.server.ask(.bot, from: JID(BareJID.of("other")))
            _ = try await world.events.next { $0.isConfirmed(.of("other")) }
            try await world.quiet()
            #expect(world.presences == ["unsubscribed other@example.net"])
            #expect(try await world.pending().map(\.contact) == [.new])
            let history = try await world.history()
            #expect(history.map(\.policyDigest) == ["other", "digest"])
            #expect(world.connects == 1)
        }
    }

    @Test("requests of one read are all decided by one policy, however a reload falls")
    func atomic() async throws {
        try await inWorld(policy: .acceptAll) { world in
            try await world.online()
            for round in 0..<10 {
                let policy = round.isMultiple(of: 2) ? Self.rejectAll : Policy.acceptAll
                world.write([.of("bot@example.org")], [policy])
                async let change = world.service.reload().change
                let bytes = (0..<20).map {
                    "<presence type='subscribe' from='u\(round)-\($0)@example.net'/>"
                }
                await world.server.send(bytes.joined(), to: .bot)
                _ = await change
                try await world.quiet()
            }
            let decided = try await world.history().filter { $0.event == .decided }
            #expect(decided.count == 200)
            for round in 0..<10 {
                let digests = decided.filter { $0.contact.local?.hasPrefix("u\(round)-") == true }.map(\.policyDigest)
                #expect(Set(digests).count == 1)
                for row in decided {
                    #expect((row.decision == "reject") == (row.policyDigest == "other"))
                }
            }
        }
    }

    @Test("a new place of the store or the socket waits for the next start, and says so")
    func needsRestart() async throws {
        try await inWorld { world in
            try await world.online()
            var configuration = Configuration.of([.of("bot@example.org")], [.of([])])
            configuration.storePath = "/elsewhere/doorward.db"
            let moved = configuration
            world.files.withLock { $0 = LoadResult(configuration: moved, faults: []) }
            let outcome = await world.service.reload()
            #expect(outcome.change != nil)
            #expect(outcome.faults.map(\.severity) == [.warning])
        }
    }

    @Test("a stop in the middle of a reload ends every account, also those that were being started anew")
    func stopWithinReload() async throws {
        let loop = try EventLoop(name: "stop", time: ManualTime())
        loop.start()
        let server = ScriptedServer(on: loop)
        let names = (0..<20).map { "bot@d\($0).example" }
        for name in names { await server.add(try BareJID(name), password: "secret") }
        let environment = AccountEnvironment(
            store: try Store(path: ":memory:"), connector: server.connector, trust: TLSContextCache(),
            board: StatusBoard(), events: { _ in }, readSecret: { _ in Array("secret".utf8) })
        let supervisor = Supervisor(environment: environment, loops: [loop])
        _ = await supervisor.apply(.of(names.map { .of($0) }, [.of([])]))
        let hasEnded = Locked(false)
        let running = Task {
            await supervisor.run()
            hasEnded.withLock { $0 = true }
        }
        // Both wait for the busy loop, and go on side by side.
        let gate = DispatchSemaphore(value: 0)
        loop.execute { gate.wait() }
        let reloading = Task { await supervisor.apply(.of(names.map { .of($0, resource: "other") }, [.of([])])) }
        while await supervisor.account(try BareJID(names[0])) != nil { await Task.yield() }
        let stopping = Task { await supervisor.stop() }
        while await supervisor.account(try BareJID(names[9])) != nil { await Task.yield() }
        gate.signal()
        await stopping.value
        _ = await reloading.value
        let deadline = SystemTime().now + .seconds(20)
        while !hasEnded.withLock({ $0 }), SystemTime().now < deadline { await loop.settle() }
        #expect(hasEnded.withLock { $0 })
        for name in names { #expect(await supervisor.account(try BareJID(name)) == nil) }
        if hasEnded.withLock({ $0 }) { await running.value }
        loop.stop()
    }

    @Test("the alerts of an account that is taken out of the configuration are over")
    func alertsOfRemoved() async throws {
        try await inWorld([.of("a@example.org"), .of("b@example.org")]) { world in
            try await world.online(.of("a", "example.org"))
            try await world.online(.of("b", "example.org"))
            _ = try await world.store.raiseAlert(
                code: AlertCode.deskFull, account: .of("a", "example.org"), text: "full",
                at: Timestamp(milliseconds: 0))
            world.write([.of("b@example.org")], [.of([])])
            _ = await world.service.reload()
            #expect(try await world.service.alerts(all: false).isEmpty)
        }
    }

    @Test("requests of an account that is taken out of the configuration leave the desk, and reopen if it comes back")
    func requestsOfRemoved() async throws {
        try await inWorld(policy: .of([])) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            let row = try #require(try await world.pending().first)
            world.write([], [.of([])])
            _ = await world.service.reload()
            #expect(try await world.pending().isEmpty)
            #expect(try await world.pending(all: true).map(\.state) == [.withdrawn])
            world.write([.of("bot@example.org")], [.of([])])
            _ = await world.service.reload()
            try await world.until("reopened") { try await world.pending().map(\.id) == [row.id] }
        }
    }

    @Test("reloads asked for at the same time are done one after the other")
    func together() async throws {
        try await inWorld { world in
            try await world.online()
            let service = world.service
            let outcomes = await withTaskGroup(of: ReloadOutcome.self) { group in
                for _ in 0..<6 { group.addTask { await service.reload() } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count == 6)
            #expect(outcomes.allSatisfy { $0.change != nil && $0.faults.isEmpty })
        }
    }
}
