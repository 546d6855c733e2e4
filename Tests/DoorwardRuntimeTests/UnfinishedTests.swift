import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// What was begun with contacts when the server stalled, the link broke or the process was killed.
@Suite struct UnfinishedTests {
    /// How far a command came.
    enum Stall: CaseIterable {
        /// The server has had nothing of it.
        case nothingArrived
        /// It has done all of it, and its answers are lost.
        case answersLost
        /// The item is set; the presence behind it is lost.
        case presenceLost
    }

    /// How the next session comes about.
    enum Next: CaseIterable {
        case freshLogin, resumption, killed, killedAndResumed

        var isManaged: Bool { self == .resumption || self == .killedAndResumed }
        var isKilled: Bool { self == .killed || self == .killedAndResumed }
    }

    enum Act: CaseIterable {
        case add, ask, rename, group, remove, unsubscribe, revoke, block, unblock

        var order: ContactOrder? {
            switch self {
            case .add: .add(.init(name: "New", groups: ["Guests"], message: "hello"))
            case .ask: .add(.init())
            case .rename: .rename("Al")
            case .group: .group(adding: ["B"], removing: ["A"])
            case .remove: .remove
            case .unsubscribe: .unsubscribe
            case .revoke: .revoke
            case .block, .unblock: nil
            }
        }

        var contact: BareJID { self == .add ? .new : self == .unsubscribe ? .of("seen") : .ally }

        /// The presence that it is, where it is nothing else.
        var presence: String? {
            switch self {
            case .ask: "subscribe"
            case .unsubscribe: "unsubscribe"
            case .revoke: "unsubscribed"
            case .add, .rename, .group, .remove, .block, .unblock: nil
            }
        }
    }

    private static let blocked = JID(BareJID.of("eve"))
    let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func setUp(_ server: ScriptedServer, managed: Bool) async {
        if managed { await server.behave { $0.streamManagement = .init() } }
        let ally = ServerRosterItem(.ally, subscription: "from", name: "Ally", groups: ["A", "X"])
        let seen = ServerRosterItem(.of("seen"), subscription: "to", name: "Seen")
        await server.add(.bot, password: "secret", roster: [ally, seen])
        await server.block(.bot, [Self.blocked])
    }

    private func begin(_ act: Act, _ world: World) -> Task<String, any Error> {
        Task {
            switch act {
            case .block:
                let report = try await world.service.block(
                    .bot, [JID(BareJID.of("mallory"))], report: nil, by: "ana")
                return report?.outcome.word ?? "none"
            case .unblock: return try await world.service.unblock(.bot, [Self.blocked], by: "ana")?.word ?? "none"
            case let act:
                guard let order = act.order else { return "none" }
                let outcome = try await world.service.change(order, of: act.contact, on: .bot, by: "ana")
                return outcome == .unanswered ? "no_reply" : "\(outcome)"
            }
        }
    }

    private func stall(_ world: World, _ stall: Stall) async {
        await world.server.react { received in
            let iq = IQ(received.element)
            let isSet = iq?.type == .set
            switch stall {
            case .nothingArrived: return .nothing
            case .answersLost: return .usual
            case .presenceLost: return isSet ? .usual : .nothing
            }
        }
        if stall == .answersLost { await world.server.behave { $0.answers.held = 1000 } }
    }

    private func check(_ act: Act, _ world: World) async throws {
        let items = await world.server.roster(of: .bot)
        let item = items.first { $0.jid == act.contact }
        switch act {
        case .add: #expect(item?.asked == true && item?.name == "New" && item?.groups == ["Guests"])
        case .ask: #expect(item?.asked == true && item?.name == "Ally" && item?.subscription == "from")
        case .rename: #expect(item?.name == "Al" && item?.groups == ["A", "X"])
        case .group: #expect(item?.name == "Ally" && item?.groups == ["X", "B"])
        case .remove: #expect(item == nil)
        case .unsubscribe: #expect(item?.subscription == "none" && item?.name == "Seen")
        case .revoke: #expect(item?.subscription == "none" && item?.name == "Ally" && item?.groups == ["A", "X"])
        case .block: #expect(await world.server.blockList(of: .bot).contains(JID(BareJID.of("mallory"))))
        case .unblock: #expect(await world.server.blockList(of: .bot).isEmpty)
        }
        let history = try await world.history()
        #expect(history.map(\.state) == [.confirmed], "\(history)")
        #expect(history.allSatisfy { $0.operator == "ana" && $0.event == .contact && $0.sentAt != nil })
        #expect(history.first?.reason?.contains("later") == true, "\(history)")
        #expect(try await world.store.backlog(of: .bot).actions.isEmpty)
        if act == .add {
            let evidence = try #require(try await world.service.roster(of: .bot)?.items.first { $0.jid == .new })
            #expect(evidence.evidence?.addedBy == .contactAdd && evidence.evidence?.addedName == "ana")
        }
    }

    @Test(
        "what was begun is finished in the next session, whichever, under the name of its operator",
        arguments: Act.allCases, Next.allCases)
    func finished(act: Act, next: Next) async throws {
        for stall in Stall.allCases where stall != .presenceLost || act.order != nil {
            let (name, copy) = ("live-\(stall).db", "copy-\(stall).db")
            let accounts = [AccountConfiguration.of("bot@example.org")]
            try await inWorld(
                accounts, store: folder.store(name), before: { await setUp($0, managed: next.isManaged) }
            ) { world in
                try await world.online()
                try await world.quiet()
                await self.stall(world, stall)
                let answer = begin(act, world)
                try await world.until("it was sent") { world.hasSaid(act) }
                for _ in 0..<4 { await world.loop.settle() }
                #expect(try await world.history().map(\.state) == [.sent], "\(stall)")
                if next.isKilled { folder.copy(name, to: copy) }
                await world.server.dropLink(of: .bot)
                _ = try await world.state(.waiting)
                #expect(try await answer.value == "no_reply", "\(stall)")
                #expect(try await world.history().map(\.state) == [.sent], "it is not known yet")
                await world.server.react(nil)
                await world.server.behave { $0.answers.held = nil }
                guard next.isKilled else {
                    await world.pass(.seconds(60))
                    try await world.online(.bot, isFresh: !next.isManaged)
                    try await world.until("its end") { try await world.store.backlog(of: .bot).actions.isEmpty }
                    try await world.quiet()
                    return try await check(act, world)
                }
                await world.service.stop()
                let after = try World(after: world, .of(accounts, [.of([])]), store: folder.store(copy))
                try await after.online(.bot, isFresh: !next.isManaged)
                try await after.until("its end") { try await after.store.backlog(of: .bot).actions.isEmpty }
                try await after.quiet()
                try await check(act, after)
                await after.stop()
            }
        }
    }

    @Test("a contact that is in the list and may not be asked any more: the history says what was done")
    func half() async throws {
        try await inWorld([.of("bot@example.org")], before: { await setUp($0, managed: false) }) { world in
            try await world.online()
            try await world.quiet()
            await stall(world, .presenceLost)
            let answer = begin(.add, world)
            try await world.until("it was sent") { world.hasSaid(.add) }
            for _ in 0..<4 { await world.loop.settle() }
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            #expect(try await answer.value == "no_reply")
            let kept = try await world.service.roster(of: .bot)?.items.first { $0.jid == .new }
            #expect(kept?.asked == false && kept?.name == "New", "what the words about it are made of")
            await world.server.react(nil)
            await world.server.block(.bot, [JID(.new)])
            await world.pass(.seconds(60))
            try await world.online()
            try await world.until("its end") { try await world.store.backlog(of: .bot).actions.isEmpty }
            let row = try await world.history().first
            #expect(row?.state == .notSent)
            #expect(
                row?.reason?.contains("it is in the contact list, and was not asked: new@example.net is blocked")
                    == true,
                "\(row?.reason ?? "")")
            #expect(world.sent("subscribe", to: "new@example.net") <= 1)
        }
    }
}

extension World {
    /// Whether the account has sent what an act begins with.
    fileprivate func hasSaid(_ act: UnfinishedTests.Act) -> Bool {
        server.received.all.contains { received in
            guard let iq = IQ(received.element), iq.type == .set, let payload = iq.payload else { return false }
            return switch act {
            case .block: payload.name == "block"
            case .unblock: payload.name == "unblock"
            case .ask, .unsubscribe, .revoke: false
            case .add, .rename, .group, .remove: payload.matches("query", Namespace.roster)
            }
        }
            || act.presence.map { sent($0, to: act.contact.description) > 0 } ?? false
    }
}
