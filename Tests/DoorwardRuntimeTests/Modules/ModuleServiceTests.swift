import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

@Suite("Modules in the service")
struct ModuleServiceTests {
    private let phone: JID
    private let friends = { @Sendable (server: ScriptedServer) async in
        await server.add(.bot, password: "secret", roster: [ServerRosterItem(.ally, subscription: "both")])
    }

    init() throws { phone = try JID("ally@example.org/phone") }

    @Test("a module that loops for ever is shut off; its account and 100 others go on, with their modules")
    func stuck() async throws {
        let gate = StopGate()
        let others = (0..<100).map { "other\($0)@example.org" }
        let accounts =
            [AccountConfiguration.of("bot@example.org").with([.test(.init(gate: gate))])]
            + others.map { .of($0).with([.test()]) }
        let addresses = try others.map { try BareJID($0) }
        try await inWorld(
            accounts, policy: .acceptAll, loops: 2,
            before: { server in
                for jid in [.bot] + addresses {
                    await server.add(jid, password: "secret", roster: [ServerRosterItem(.ally, subscription: "both")])
                }
            }
        ) { world in
            for account in accounts { try await world.online(account.jid) }
            await world.server.say("stop", from: phone, to: .bot)
            try await gate.reached()
            await world.pass(.seconds(6))
            try await world.until("it is shown") { try await world.module()?.state == .stuck }
            try await world.until("an alert says so") {
                try await world.service.alerts(all: false).map(\.code) == [AlertCode.moduleStuck]
            }
            // All of them decide, and their modules answer.
            for jid in [.bot] + addresses { await world.server.ask(jid, from: .new) }
            for jid in addresses { await world.server.say("hello", from: phone, to: jid) }
            for jid in [BareJID.bot] + addresses {
                _ = try await world.server.received.next {
                    $0.account == jid && $0.isPresence("subscribed", to: "\(BareJID.new)")
                }
            }
            for jid in addresses {
                try await world.until("\(jid) has answered") { world.said(jid).contains("heard hello") }
            }
            #expect(world.said() == [])
            #expect(try await world.service.status().accounts.allSatisfy { $0.state == .online })
            gate.open()
            try await world.until("it is back") { try await world.module()?.state == .running }
            try await world.until("the alert is over") { try await world.service.alerts(all: false).isEmpty }
            await world.server.say("again", from: phone, to: .bot)
            try await world.until("it answers again") { world.said().last == "heard again" }
            // What it was told while it was shut off is counted.
            #expect(try await world.module()?.dropped ?? 0 >= 1)
        }
    }

    @Test("a module that cannot be made raises an alert, and the account runs without it")
    func broken() async throws {
        try await inWorld([.of("bot@example.org").with([.test(.init(isBroken: true))])]) { world in
            try await world.online()
            try await world.until("an alert") {
                try await world.service.alerts(all: false).first?.text.contains("no forecast without a key") == true
            }
            #expect(try await world.module()?.state.word == "failed")
            world.write([.of("bot@example.org").with([.test()])], [.of([])])
            #expect(await world.service.reload().change?.updated == [.bot])
            try await world.until("it runs") { try await world.module()?.state == .running }
            try await world.until("it is over") { try await world.service.alerts(all: false).isEmpty }
        }
    }

    @Test("modules come, change and go with a reload, and nobody logs in anew for that")
    func reload() async throws {
        try await inWorld(before: friends) { world in
            try await world.online()
            func becomes(_ modules: [ModuleConfiguration], says: String?) async throws {
                world.write([.of("bot@example.org").with(modules)], [.of([])])
                #expect(await world.service.reload().change?.restarted == [])
                try await world.until("it is so") {
                    try await world.service.status().accounts.first?.modules.map(\.state)
                        == modules.map { _ in .running }
                }
                let before = world.said().count
                await world.server.say("x", from: phone, to: .bot)
                guard let says else { return try await world.quiet() }
                try await world.until("it says \(says)") { world.said().count == before + 1 }
                #expect(world.said().last == says)
            }
            try await becomes([.test()], says: "heard x")
            try await becomes([.test(.init(label: "read"))], says: "read x")
            try await becomes([], says: nil)
            #expect(world.said().count == 2)
            try await becomes([.test()], says: "heard x")
            #expect(world.connects == 1)
            // Nothing new was announced.
            let presences = world.server.received.all.filter { $0.isPresence(nil, to: nil) }
            #expect(presences.count == 1)
        }
    }

    @Test("a module that announces something lets the account say so in its presence, in the same session")
    func announces() async throws {
        try await inWorld { world in
            try await world.online()
            func versions() -> [String?] {
                world.server.received.all.filter { $0.isPresence(nil, to: nil) }
                    .map { $0.element.first("c", "http://jabber.org/protocol/caps")?[attribute: "ver"] }
            }
            world.write([.of("bot@example.org").with([.announcing])], [.of([])])
            _ = await world.service.reload()
            try await world.until("it is announced") { versions().count == 2 }
            world.write([.of("bot@example.org")], [.of([])])
            _ = await world.service.reload()
            try await world.until("it is taken back") { versions().count == 3 }
            #expect(versions().first != versions()[1])
            #expect(versions().first == versions().last)
            #expect(world.connects == 1)
        }
    }

    @Test("what a module keeps is in the store, and another process goes on with it; a decision is told")
    func keeps() async throws {
        let accounts = [AccountConfiguration.of("bot@example.org").with([.test()])]
        try await inWorld(accounts, policy: .acceptAll, before: friends) { world in
            try await world.online()
            await world.server.say("kept", from: phone, to: .bot)
            try await world.until("it is kept") {
                try await world.store.moduleValue("last", of: "test", .bot) == Array("\"kept\"".utf8)
            }
            #expect(try await world.store.moduleKeys(of: "test", .bot) == ["last"])
            await world.server.ask(.bot, from: .new)
            try await world.until("it says so") { world.said().contains("welcome") }
            // The roster has changed with it.
            try await world.until("the contact is told") {
                try await world.store.moduleValue("contact \(BareJID.new)", of: "test", .bot) == Array("\"from\"".utf8)
            }
        }
    }

    @Test("an account whose address is another in the file is a new account, and the old one says goodbye first")
    func renamed() async throws {
        try await inWorld([.of("old@example.org").with([.test()])]) { world in
            try await world.online(.of("old", "example.org"))
            await world.server.add(.of("new", "example.org"), password: "secret")
            world.write([.of("new@example.org").with([.test()])], [.of([])])
            let change = await world.service.reload().change
            #expect(change?.stopped == [.of("old", "example.org")])
            #expect(change?.started == [.of("new", "example.org")])
            try await world.online(.of("new", "example.org"))
            let events = world.server.events.all
            let goodbye = events.firstIndex { if case .streamClosed(1) = $0 { true } else { false } }
            let login = events.firstIndex {
                if case .authenticated(.of("new", "example.org"), _, _) = $0 { true } else { false }
            }
            #expect(try #require(goodbye) < (try #require(login)))
            #expect(try await world.service.status().accounts.map(\.jid) == [.of("new", "example.org")])
            try await world.until("its module runs") {
                try await world.module(.of("new", "example.org"))?.state == .running
            }
        }
    }
}
