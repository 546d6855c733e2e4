import DoorwardConfig
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// What an account does from bind to being online.
@Suite struct LoginTests {
    @Test("a login asks for all that it needs in one go, with initial presence behind it: no round trip between them")
    func order() async throws {
        try await inWorld { world in
            try await world.online()
            let stanzas = world.server.received.all.filter { $0.account == .bot }.map(\.element)
                .filter { $0[attribute: "id"]?.hasPrefix("barrier-") != true }
            let words = stanzas.map { stanza in
                stanza.name == "iq"
                    ? "\(stanza[attribute: "type"] ?? "") \(stanza.elements.first?.namespace ?? "")" : stanza.name
            }
            #expect(
                words == [
                    "set \(Namespace.bind)", "get \(Namespace.roster)", "get \(Namespace.discoInfo)",
                    "get \(Namespace.blocking)", "presence",
                ])
            #expect(try await world.service.status().accounts.first?.state == .online)
            #expect(stanzas.last?.first("priority", Namespace.client) == nil)
        }
    }

    @Test("requests that come before the roster wait for it, though initial presence is out (ejabberd)")
    func rosterFirst() async throws {
        let setup = { (server: ScriptedServer) in
            await server.behave { $0.answersRoster = false }
        }
        try await inWorld(policy: .acceptAll, before: setup) { world in
            let get = try await world.server.received.next { $0.isIQ("get", "query", Namespace.roster) }
            await world.server.send(
                "<presence type='subscribe' from='new@example.net' to='bot@example.org'/>", to: .bot)
            try await world.quiet()
            #expect(world.server.received.all.contains { $0.isPresence(nil, to: nil) })
            #expect(try await world.service.status().accounts.first?.state == .connecting)
            #expect(world.presences == [])
            #expect(try await world.history().isEmpty)
            let id = get.element[attribute: "id"] ?? ""
            await world.server.send(
                "<iq type='result' id='\(id)'><query xmlns='jabber:iq:roster'/></iq>", to: .bot)
            try await world.online()
            _ = try await world.server.received.next { $0.isPresence("subscribed", to: "new@example.net") }
        }
    }

    @Test("a server that announces no blocking and refuses the block list is as good as any")
    func withoutBlocking() async throws {
        try await inWorld(before: { await $0.behave { $0.announcesBlocking = false } }) { world in
            try await world.online()
            #expect(world.server.received.all.contains { $0.isIQ("get", "blocklist", Namespace.blocking) })
        }
    }

    @Test("a server that never gives the roster is given up and tried again; an empty roster is never assumed")
    func noRoster() async throws {
        try await inWorld(before: { await $0.behave { $0.answersRoster = false } }) { world in
            _ = try await world.server.received.next { $0.isIQ("get", "query", Namespace.roster) }
            await world.pass(.seconds(61))
            let status = try await world.state(.waiting)
            #expect(status.lastError?.contains("roster") == true)
            #expect(status.contacts == nil)
        }
    }

    @Test(
        "a server that says there is no roster is given up and tried again too: it may only have mislaid it",
        arguments: [StanzaError.Condition.itemNotFound, .serviceUnavailable, .internalServerError])
    func refusedRoster(condition: StanzaError.Condition) async throws {
        try await inWorld(before: { await $0.behave { $0.rosterRefusal = condition } }) { world in
            await world.server.ask(.bot, from: JID(.new))
            let status = try await world.state(.waiting)
            #expect(status.lastError?.contains("roster") == true && status.lastError?.contains(condition.name) == true)
            #expect(status.contacts == nil && world.presences == [])
            await world.server.behave { $0.rosterRefusal = nil }
            await world.pass(.seconds(10))
            try await world.online()
            _ = try await world.events.next { $0.isDecided(.new) }
        }
    }

    @Test("a roster answer from anybody but the own account leaves the request pending (A2, B002)")
    func forgedRoster() async throws {
        try await inWorld(before: { await $0.behave { $0.answersRoster = false } }) { world in
            let get = try await world.server.received.next { $0.isIQ("get", "query", Namespace.roster) }
            let id = get.element[attribute: "id"] ?? ""
            func answer(_ from: String, _ contact: String) -> String {
                "<iq type='result' id='\(id)' \(from)><query xmlns='jabber:iq:roster'>"
                    + "<item jid='\(contact)' subscription='both'/></query></iq>"
            }
            try await world.quiet()
            let before = world.server.received.all.count
            for from in ["mallory@example.net/e", "example.net", "bot@example.org.example.net", "other@example.org"] {
                await world.server.send(answer("from='\(from)'", "mallory@example.net"), to: .bot)
            }
            try await world.server.barrier(.bot)
            #expect(world.server.received.all.count == before + 1 || world.server.received.all.count == before + 2)
            #expect(try await world.service.roster(of: .bot) == nil)
            await world.server.send(answer("from='BOT@Example.org'", "ally@example.org"), to: .bot)
            try await world.online()
            await world.server.send(answer("", "late@example.org"), to: .bot)
            try await world.quiet()
            let roster = try await world.service.roster(of: .bot)
            #expect(roster?.items.map(\.jid) == [.ally])
        }
    }

    @Test("an account with a long contact list comes online", arguments: [1_000, 4_000, 40_000])
    func longRoster(count: Int) async throws {
        let items = (0..<count).map {
            ServerRosterItem(
                .of("contact-number-\($0)"), subscription: "both", name: "Contact \($0)", groups: ["Friends"])
        }
        try await inWorld(before: { await $0.add(.bot, password: "secret", roster: items) }) { world in
            _ = try await world.server.received.next { $0.isIQ("get", "query", Namespace.roster) }
            try await world.quiet()
            let status = try await world.service.status().accounts.first
            #expect(status?.state == .online)
            #expect(status?.contacts == count)
        }
    }

    @Test("an account that names no resource has one that nobody can guess, and keeps it over a restart")
    func resource() async throws {
        let folder = try StoreFolder()
        let accounts = ["a", "b", "c"].map {
            AccountConfiguration.of("\($0)@example.org", resource: $0 == "c" ? $0 : nil)
        }
        func resources() async throws -> [String] {
            var resources: [String] = []
            try await inWorld(accounts, store: folder.store("live.db")) { world in
                for account in accounts {
                    _ = try await world.events.next { $0.isChange(of: account.jid, to: .online) }
                }
                for account in accounts {
                    let binding = world.server.received.all.first {
                        $0.account == account.jid && $0.element.first("bind", Namespace.bind) != nil
                    }
                    let name = binding?.element.first("bind", Namespace.bind)?.first("resource", Namespace.bind)?.text
                    resources.append(name ?? "")
                }
            }
            return resources
        }
        let first = try await resources()
        #expect(Set(first).count == 3)
        #expect(first.last == "c")
        for name in first.dropLast() {
            #expect(name.hasPrefix("doorward-"))
            #expect(name.utf8.count == "doorward-".utf8.count + 12)
        }
        #expect(try await resources() == first)
    }
}
