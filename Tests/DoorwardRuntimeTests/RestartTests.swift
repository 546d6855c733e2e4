import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// A process ends, in order or not, and the next one goes on with its sessions.
@Suite struct RestartTests {
    let folder: StoreFolder
    let accounts = [AccountConfiguration.of("bot@example.org")]

    init() throws { folder = try StoreFolder() }

    /// Ends the first process as a kill does, and starts the next with the store that it leaves.
    func kill(
        _ world: World, _ configuration: Configuration, meanwhile: (ScriptedServer) async throws -> Void = { _ in }
    ) async throws -> World {
        folder.copy("live.db", to: "copy.db")
        await world.server.dropLink(of: .bot)
        _ = try await world.state(.waiting)
        await world.service.stop()
        try await meanwhile(world.server)
        return try World(after: world, configuration, store: folder.store("copy.db"))
    }

    @Test("a process that is killed is followed by a resumption: roster, requests and number are the store's")
    func killed() async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: ResumptionTests.managed) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            await world.server.send("<presence from='ally@example.org/phone'/>", to: .bot)
            await world.server.push(.of("late"), to: .bot) { $0.subscription = "to" }
            try await world.quiet()
            let number = try await world.store.savedSession(of: .bot)?.number
            let next = try await kill(world, .of(accounts, [.of([])]))
            try await next.online(.bot, isFresh: false)
            try await next.quiet()
            #expect(next.saidLast() == ["iq get blocklist"])
            #expect(next.resumptions() == 1)
            #expect(try await next.service.status().accounts.first?.resumedAt != nil)
            #expect(try await next.service.roster(of: .bot)?.items.map(\.jid) == [.ally, .of("late")])
            #expect(try await next.store.savedSession(of: .bot)?.number == number)
            #expect(try await next.store.mirror(of: .bot)?.available.map(\.jid) == [try JID("ally@example.org/phone")])
            // It was delivered in this very session, so it may be answered.
            let row = try #require(try await next.pending().first)
            _ = try await next.service.answer([.accept(row)])
            _ = try await next.events.next { $0.isConfirmed(.new) }
            #expect(next.presences == ["subscribed new@example.net"])
            // What was open before the session is settled again after the usual time, and this was not.
            await next.pass(.seconds(31))
            #expect(try await next.pending(all: true).map(\.state) == [.accepted])
            await next.stop()
        }
    }

    @Test("what came between two processes is delivered and decided")
    func missed() async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: ResumptionTests.managed) { world in
            try await world.online()
            try await world.quiet()
            folder.copy("live.db", to: "copy.db")
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.service.stop()
            await world.server.ask(.bot, from: .new)
            let next = try World(after: world, .of(accounts, [.acceptAll]), store: folder.store("copy.db"))
            _ = try await next.events.next { $0.isConfirmed(.new) }
            #expect(next.resumptions() == 1)
            await next.stop()
        }
    }

    @Test(
        "'stop: resumable' drops the link, and the next start goes on; 'close' ends the session in order",
        arguments: Configuration.StopMode.allCases)
    func stopped(mode: Configuration.StopMode) async throws {
        let store = try folder.store("live.db")
        try await inWorld(accounts, stop: mode, store: store, before: ResumptionTests.managed) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            try await world.quiet()
            await world.service.stop()
            _ = try await world.state(.stopped)
            let closings = world.server.events.all.count { if case .streamClosed = $0 { true } else { false } }
            #expect(closings == (mode == .close ? 1 : 0))
            await world.ended()
            await store.close()
            let next = try World(after: world, .of(accounts, [.of([])]), store: folder.store("live.db"))
            try await next.online(.bot, isFresh: mode == .close)
            #expect(next.resumptions() == (mode == .resumable ? 1 : 0))
            #expect(next.saidLast().contains("presence available") == (mode == .close))
            #expect(try await next.pending().map(\.contact) == [.new])
            await next.stop()
        }
    }

    @Test(
        "a session that nobody has any more, or of long ago, is followed by a fresh login",
        arguments: [Duration.seconds(1), .seconds(90_000)])
    func tooLate(pause: Duration) async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: ResumptionTests.managed) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            let next = try await { () async throws -> World in
                folder.copy("live.db", to: "copy.db")
                await world.server.dropLink(of: .bot)
                _ = try await world.state(.waiting)
                await world.service.stop()
                await world.server.expireSessions(of: .bot)
                await world.pass(pause)
                return try World(after: world, .of(accounts, [.of([])]), store: folder.store("copy.db"))
            }()
            try await next.online()
            #expect(next.resumptions() == 0)
            let asked = next.server.received.all.contains { $0.element.name == "resume" }
            #expect(asked == (pause == .seconds(1)))
            try await next.until("it is delivered again") { try await next.pending().map(\.seenCount) == [2] }
            await next.stop()
        }
    }

    /// What a server does to whoever asks for a session.
    enum Refusal: CaseIterable { case handledTooHigh, streamError, hangsUp, malformed, streamErrorBehind }

    @Test(
        "a server that ends the stream over a resumption does so a few times, not for ever", arguments: Refusal.allCases
    )
    func refused(_ refusal: Refusal) async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: ResumptionTests.managed) { world in
            try await world.online()
            try await world.quiet()
            let saved = try #require(try await world.store.savedSession(of: .bot))
            let next = try await kill(world, .of(accounts, [.of([])])) { server in
                switch refusal {
                case .handledTooHigh:
                    await server.keepSession(
                        "session-1", of: try JID("bot@example.org/doorward"), acknowledged: 1_000_000)
                case .streamError:
                    await server.behave { $0.interruption = .init(at: .binding, streamError: "internal-server-error") }
                case .hangsUp:
                    await server.behave { $0.interruption = .init(at: .binding, xml: "") }
                case .malformed:
                    await server.behave { $0.interruption = .init(at: .binding, xml: "</a>") }
                case .streamErrorBehind:
                    await server.intercept(
                        Interceptor(toClient: { text in
                            guard text.contains("<resumed ") else { return text }
                            let error = "<internal-server-error xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
                            return text + "<stream:error>\(error)</stream:error></stream:stream>"
                        }))
                }
            }
            try await next.until("the session is given up") {
                await next.pass(.milliseconds(500))
                return try await next.store.savedSession(of: .bot)?.id != saved.id
            }
            #expect(next.server.received.all.count { $0.element.name == "resume" } <= 3)
            await next.server.behave { $0.interruption = nil }
            await next.server.intercept(nil)
            try await next.until("online") {
                await next.pass(.seconds(1))
                return try await next.service.status().accounts.first?.state == .online
            }
            #expect(next.resumptions() == 0 || refusal == .streamErrorBehind)
            await next.stop()
        }
    }

    @Test("a process whose accounts begin to act does not go on with a session that only observed")
    func observedBefore() async throws {
        let observing = [AccountConfiguration.of("bot@example.org", mode: .observe)]
        try await inWorld(
            observing, policy: .acceptAll, store: folder.store("live.db"), before: ResumptionTests.managed
        ) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            try await world.quiet()
            let next = try await kill(world, .of(accounts, [.acceptAll]))
            _ = try await next.events.next { $0.isConfirmed(.new) }
            #expect(next.resumptions() == 0)
            await next.stop()
        }
    }

    /// After which transactions the process dies, whether the last of them has reached the disk, and whether what nobody
    /// waits for is recorded later.
    @Test(
        "a kill at any transaction, before or behind it, loses no answer: each request ends decided once and answered",
        arguments: 1...9, [(true, false), (false, false), (true, true), (false, true)])
    func everyCommit(count: Int, how: (isWritten: Bool, recordsLater: Bool)) async throws {
        let (isWritten, recordsLater) = how
        let policy = Policy.of([
            Rule("no", .reject(Rejection(block: true)), domain: "evil.example"),
            Rule("yes", .accept(Acceptance(subscribeBack: true, groups: ["Guests"]))),
        ])
        let contacts: [BareJID] = [.of("a"), .of("b", "evil.example"), .of("c")]
        let (folder, seen) = (folder, Locked(0))
        try await inWorld(
            accounts, policy: policy, store: folder.store("live.db"), recordsLater: recordsLater,
            before: ResumptionTests.managed
        ) { world in
            let server = world.server
            try await world.online()
            try await world.quiet()
            folder.copy("live.db", to: "0.db")
            // Runs on the loop, behind each transaction and before anything of it is sent.
            world.hook.withLock {
                $0 = { event in
                    guard event.isRecord else { return }
                    let number = seen.withLock { seen in
                        seen += 1
                        return seen
                    }
                    guard number <= count else { return }
                    folder.copy("live.db", to: "\(number).db")
                    guard number == count else { return }
                    server.assumeIsolated { server in
                        server.dropLink(of: .bot)
                        // The dead do not come back.
                        server.behave { $0.isReachable = false }
                    }
                }
            }
            for contact in contacts {
                await server.ask(.bot, from: JID(contact))
                await world.loop.settle()
            }
            try await world.until("all is said, or the link is gone") {
                await world.pass(.milliseconds(500))
                let state = try await world.service.status().accounts.first?.state
                return state == .waiting || seen.withLock { $0 >= 6 }
            }
            await server.dropLink(of: .bot)
            await world.service.stop()
            await server.behave { $0.isReachable = true }
            let name = isWritten ? min(count, seen.withLock { $0 }) : min(count, seen.withLock { $0 }) - 1
            let next = try World(
                after: world, .of(accounts, [policy]), store: folder.store("\(name).db"), recordsLater: recordsLater)
            try await next.until("all is answered") {
                await next.pass(.milliseconds(500))
                let rows = try await next.history()
                return rows.count { $0.event == .decided && $0.state == .confirmed } == contacts.count
            }
            let history = try await next.history()
            #expect(history.count == contacts.count)
            #expect(Set(history.map(\.contact)) == Set(contacts))
            for contact in contacts {
                let word = contact.domain.utf8.elementsEqual("evil.example".utf8) ? "unsubscribed" : "subscribed"
                #expect(next.sent(word, to: "\(contact)") >= 1)
                #expect(next.sent(word == "subscribed" ? "unsubscribed" : "subscribed", to: "\(contact)") == 0)
            }
            let items = await server.roster(of: .bot)
            #expect(
                items.filter { $0.groups == ["Guests"] }.map(\.subscription).allSatisfy { $0 == "from" || $0 == "both" }
            )
            #expect(items.count { $0.groups == ["Guests"] } == 2)
            // To block twice is to block.
            #expect(Set(await server.blocked(by: .bot)) == [.of("b", "evil.example")])
            #expect(await server.requests(of: .bot).isEmpty)
            await next.stop()
        }
    }
}
