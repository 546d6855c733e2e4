import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// Commands about contacts that wait for others of the same account when the process is killed, or the link breaks.
@Suite struct WaitingOrdersTests {
    let folder: StoreFolder
    private let accounts = [AccountConfiguration.of("bot@example.org")]

    init() throws { folder = try StoreFolder() }

    private func setUp(_ server: ScriptedServer) async {
        let roster = [
            ServerRosterItem(.ally, subscription: "both", name: "Ally", groups: ["A"]),
            ServerRosterItem(.of("pal"), subscription: "to", name: "Pal"),
            ServerRosterItem(.of("old"), subscription: "none", name: "Old"),
        ]
        await server.add(.bot, password: "secret", roster: roster)
    }

    private func begin(_ order: ContactOrder, _ contact: BareJID, _ world: World) -> Task<ContactOutcome, any Error> {
        Task { try await world.service.change(order, of: contact, on: .bot, by: "ana") }
    }

    /// Begins them one after the other while the server is silent: the first was sent, the others wait.
    private func begin(
        _ orders: [(ContactOrder, BareJID)], _ world: World
    ) async throws -> [Task<ContactOutcome, any Error>] {
        await world.server.react { _ in .nothing }
        var tasks: [Task<ContactOutcome, any Error>] = []
        for (order, contact) in orders {
            tasks.append(begin(order, contact, world))
            try await world.until("written down") {
                try await world.store.backlog(of: .bot).actions.count == tasks.count
            }
        }
        return tasks
    }

    private func killed(_ world: World) async throws -> World {
        folder.copy("live.db", to: "copy.db")
        await world.server.dropLink(of: .bot)
        _ = try await world.state(.waiting)
        await world.server.react(nil)
        await world.service.stop()
        return try World(after: world, .of(accounts, [.of([])]), store: folder.store("copy.db"))
    }

    @Test("all that wait are done by the next process, in their order, each on top of those before it")
    func killed() async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: setUp) { world in
            try await world.online()
            try await world.quiet()
            let tasks = try await begin(
                [
                    (.rename("B"), .ally), (.rename("C"), .ally), (.group(adding: ["X"], removing: ["A"]), .ally),
                    (.add(.init(name: "New")), .new), (.rename("Newer"), .new), (.remove, .of("pal")),
                    (.add(.init(name: "Pal again")), .of("pal")),
                ], world)
            let next = try await killed(world)
            for task in tasks { _ = try await task.value }
            try await next.online()
            try await next.until("their ends") { try await next.store.backlog(of: .bot).actions.isEmpty }
            try await next.quiet()
            let items = await next.server.roster(of: .bot)
            let ally = items.first { $0.jid == .ally }
            #expect(ally?.name == "C" && ally?.groups == ["X"])
            let new = items.first { $0.jid == .new }
            #expect(new?.name == "Newer" && new?.asked == true)
            let pal = items.first { $0.jid == .of("pal") }
            #expect(pal?.name == "Pal again" && pal?.subscription == "none" && pal?.asked == true)
            let history = try await next.history()
            #expect(history.count == 7 && history.allSatisfy { $0.state == .confirmed && $0.operator == "ana" })
            #expect(
                history.reversed().map(\.action) == ["rename", "rename", "group", "add", "rename", "remove", "add"])
            await next.stop()
        }
    }

    @Test("without a kill each is done once, and who waits when the link breaks is told so")
    func alive() async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: setUp) { world in
            try await world.online()
            try await world.quiet()
            let tasks = try await begin([(.rename("B"), .ally), (.rename("C"), .ally), (.rename("C"), .ally)], world)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            #expect(try await tasks[0].value == .unanswered)
            #expect(try await tasks[1].value == .offline)
            #expect(try await tasks[2].value == .offline)
            await world.server.react(nil)
            await world.pass(.seconds(60))
            try await world.online()
            try await world.until("the first's end") { try await world.store.backlog(of: .bot).actions.isEmpty }
            try await world.quiet()
            #expect(await world.server.roster(of: .bot).first { $0.jid == .ally }?.name == "B")
            #expect(try await world.history().map(\.state) == [.notSent, .notSent, .confirmed])
            // And where all goes well.
            let again = [begin(.rename("D"), .ally, world), begin(.rename("E"), .ally, world)]
            for task in again {
                let outcome = try await task.value
                #expect(outcome.refusal == nil, "\(outcome)")
            }
            let sets = world.server.received.all.count { $0.isIQ("set", "query", Namespace.roster) }
            try await world.quiet()
            // The first twice: nobody had heard of it. None of the others more than once.
            #expect(sets == 4)
            #expect(try await world.store.backlog(of: .bot).actions.isEmpty)
        }
    }

    @Test("a request is refused and its contact's removal written down at once: a kill behind it leaves neither undone")
    func removal() async throws {
        try await inWorld(accounts, store: folder.store("live.db"), before: setUp) { world in
            try await world.online()
            await world.server.ask(.bot, from: JID(BareJID.of("old")))
            _ = try await world.events.next { $0.isDecided(.of("old")) }
            try await world.quiet()
            let tasks = try await begin([(.rename("B"), .ally), (.remove, .of("old"))], world)
            #expect(try await world.pending().isEmpty)
            let next = try await killed(world)
            // The request is refused and that stays so; the contact goes at the next login.
            for task in tasks {
                let outcome = try await task.value
                #expect(outcome == .unanswered, "\(outcome)")
            }
            try await next.online()
            try await next.until("their ends") { try await next.store.backlog(of: .bot).actions.isEmpty }
            try await next.quiet()
            #expect(await next.server.roster(of: .bot).map(\.jid) == [.ally, .of("pal")])
            #expect(try await next.pending().isEmpty)
            let rows = try await next.pending(all: true)
            #expect(rows.map(\.state) == [.rejected], "\(rows)")
            await next.stop()
        }
    }
}
