import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// The roster on disk: its version, what changed while the account was away, and what was seen of contacts.
@Suite struct KeptRosterTests {
    private let folder: StoreFolder
    private let accounts = [AccountConfiguration.of("bot@example.org")]

    init() throws { folder = try StoreFolder() }

    private static func versioned(_ server: ScriptedServer) async {
        let roster = [ServerRosterItem(.ally, subscription: "both"), ServerRosterItem(.of("pal"))]
        await server.add(.bot, password: "secret", roster: roster)
        await server.behave { $0.keepsRosterVersions = true }
    }

    /// The versions that the account has asked with, one a login.
    private func asked(_ world: World) -> [String?] {
        world.server.received.all.filter { $0.isIQ("get", "query", Namespace.roster) }
            .map { $0.element.first("query", Namespace.roster)?[attribute: "ver"] }
    }

    /// The version that is kept, once it is another.
    private func keptVersion(in store: Store, _ world: World, otherThan old: String?) async throws -> String {
        try await world.until("a version is kept") {
            let version = try await store.keptRoster(of: .bot)?.version
            return version != nil && version != old
        }
        return try #require(try await store.keptRoster(of: .bot)?.version)
    }

    private func again(_ world: World) async throws {
        await world.server.dropLink(of: .bot)
        _ = try await world.state(.waiting)
        await world.pass(.seconds(5))
        try await world.online()
    }

    @Test("the kept version is asked with, also in the next process; an empty answer keeps what is there (B005)")
    func versions() async throws {
        let store = try folder.store("live.db")
        try await inWorld(accounts, store: store, before: Self.versioned) { world in
            try await world.online()
            let first = try await keptVersion(in: store, world, otherThan: nil)
            try await again(world)
            #expect(asked(world) == ["", first])
            #expect(try await world.service.status().accounts.first?.contacts == 2)
            await world.server.push(.of("late"), to: .bot) { $0.subscription = "to" }
            let second = try await keptVersion(in: store, world, otherThan: first)
            folder.copy("live.db", to: "copy.db")
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.service.stop()
            let next = try World(after: world, .of(accounts, [.of([])]), store: folder.store("copy.db"))
            try await next.online()
            #expect(asked(next).last == second)
            #expect(try await next.service.roster(of: .bot)?.items.map(\.jid) == [.ally, .of("late"), .of("pal")])
            await next.stop()
        }
    }

    @Test("to a server without versions none is sent, though one is kept")
    func withoutVersions() async throws {
        try await inWorld(before: Self.versioned) { world in
            try await world.online()
            await world.server.behave { $0.keepsRosterVersions = false }
            try await again(world)
            #expect(asked(world) == ["", nil])
        }
    }

    @Test("a process that is killed between a push and its commit finds the version as old as the items")
    func killed() async throws {
        let store = try folder.store("live.db")
        try await inWorld(accounts, store: store, recordsLater: true, before: Self.versioned) { world in
            try await world.online()
            await world.pass(.seconds(2))
            _ = try await keptVersion(in: store, world, otherThan: nil)
            let before = try #require(try await store.keptRoster(of: .bot))
            await world.server.push(.of("late"), to: .bot) { $0.subscription = "to" }
            try await world.server.barrier(.bot)
            // The push is here, and nothing of it is written.
            folder.copy("live.db", to: "killed.db")
            let killed = try folder.store("killed.db")
            let kept = try #require(try await killed.keptRoster(of: .bot))
            #expect(kept.version == before.version)
            #expect(Set(kept.contacts) == Set(before.contacts))
            await world.pass(.seconds(2))
            _ = try await keptVersion(in: store, world, otherThan: before.version)
            let after = try #require(try await store.keptRoster(of: .bot))
            #expect(after.contacts.count == before.contacts.count + 1)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.service.stop()
            let next = try World(after: world, .of(accounts, [.of([])]), store: killed)
            try await next.online()
            try await next.quiet()
            #expect(try await next.service.roster(of: .bot)?.items.map(\.jid) == [.ally, .of("late"), .of("pal")])
            await next.stop()
        }
    }

    @Test("what others did while the account was away is told, kept and applied to requests", arguments: [true, false])
    func away(hasVersions: Bool) async throws {
        let setup = { (server: ScriptedServer) in
            await Self.versioned(server)
            await server.behave { $0.keepsRosterVersions = hasVersions }
        }
        try await inWorld(before: setup) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            await world.server.behave { $0.isReachable = false }
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.server.push(.ally, to: .bot) { $0.subscription = "to" }
            await world.server.push(.new, to: .bot) { $0.subscription = "from" }
            await world.server.remove(.of("pal"), from: .bot)
            let offline = try #require(try await world.service.roster(of: .bot))
            #expect(offline.asOf != nil)
            #expect(offline.items.map(\.jid) == [.ally, .of("pal")])
            #expect(offline.items.allSatisfy { $0.isPresent == nil && $0.evidence?.addedBy == .before })
            await world.server.behave { $0.isReachable = true }
            await world.pass(.seconds(5))
            try await world.online()
            _ = try await world.events.next { $0.isClosed(.new) }
            let changes = world.events.all.compactMap { event -> String? in
                guard case .contact(let change) = event else { return nil }
                return "\(change.kind.rawValue) \(change.contact?.description ?? "") \(change.detail ?? "-")"
            }
            #expect(
                changes == [
                    "changed_while_away ally@example.org from 'both' to 'to'", "came_while_away new@example.net from",
                    "went_while_away pal@example.net -",
                ])
            let gone = try #require(try await world.store.goneContacts(of: .bot, limit: 5).first)
            #expect(gone.by == .whileAway)
            #expect(gone.contact.jid == .of("pal"))
            let new = try await world.service.roster(of: .bot)?.items.first { $0.jid == .new }
            #expect(new?.evidence?.addedBy == .otherClient)
        }
    }

    @Test("a presence is not worth a commit: what was seen is written once a minute and at the end")
    func sightings() async throws {
        let store = try folder.store("live.db")
        try await inWorld(accounts, store: store, before: Self.versioned) { world in
            try await world.online()
            _ = try await keptVersion(in: store, world, otherThan: nil)
            try await world.quiet()
            let commits = store.commits
            for _ in 0..<50 {
                await world.server.send("<presence from='ally@example.org/x'><show>away</show></presence>", to: .bot)
            }
            await world.server.send("<message from='ally@example.org/x'><body>hi</body></message>", to: .bot)
            await world.server.send("<presence from='stranger@example.net/x'/>", to: .bot)
            try await world.quiet()
            #expect(store.commits == commits)
            let seen = try await world.service.roster(of: .bot)?.items.first
            #expect(seen?.isPresent == true)
            #expect(seen?.show == "away")
            #expect(try await store.evidence(of: .bot)[.ally]?.lastPresence == nil)
            await world.pass(.seconds(60))
            try await world.quiet()
            // A commit is counted before it is to be seen.
            try await world.until("it is written") { try await store.evidence(of: .bot)[.ally]?.lastPresence != nil }
            #expect(store.commits == commits + 1)
            let known = try await store.evidence(of: .bot)
            #expect(known.count == 2)
            #expect(known[.ally]?.lastPresence != nil)
            #expect(known[.ally]?.lastMessageIn != nil)
            await world.pass(.seconds(10))
            await world.server.send("<presence from='ally@example.org/x' type='unavailable'/>", to: .bot)
            try await world.quiet()
            let before = known[.ally]?.lastPresence
            await world.service.stop()
            await world.ended()
            #expect(try await store.evidence(of: .bot)[.ally]?.lastPresence != before)
        }
    }

    @Test("the account's own times are kept: a short gap is none, a long one is")
    func onlineTimes() async throws {
        try await inWorld(before: Self.versioned) { world in
            try await world.online()
            await world.pass(.seconds(300))
            try await world.quiet()
            try await again(world)
            try await world.quiet()
            #expect(try await world.store.onlineTimes(of: .bot).count == 1)
            await world.server.behave { $0.isReachable = false }
            await world.pass(.seconds(40))
            let end = Timestamp(milliseconds: world.time.wallMilliseconds)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            // Written when the link ends, and not when the next minute is full.
            try await world.until("written") { try await world.store.onlineTimes(of: .bot).last?.until == end }
            for _ in 0..<20 { await world.pass(.seconds(30)) }
            await world.server.behave { $0.isReachable = true }
            // The try that is under way may still fail, and the next one has its wait.
            try await world.until("online again") {
                await world.pass(.seconds(60))
                return try await world.service.status().accounts.first?.state == .online
            }
            try await world.online()
            // Written with the first thing that is written, or after a minute.
            await world.pass(.seconds(60))
            try await world.quiet()
            let times = try await world.store.onlineTimes(of: .bot)
            #expect(times.count == 2)
            #expect(times.allSatisfy { $0.since <= $0.until })
            if let first = times.first, let last = times.last {
                #expect(first.until.milliseconds - first.since.milliseconds >= 300_000)
                #expect(last.since.milliseconds - first.until.milliseconds >= 600_000)
            }
        }
    }
}
