import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPModules
import XMPPTestKit

@testable import DoorwardRuntime

/// Suggested contacts and gateways, in a whole service.
@Suite struct SuggestedContactTests {
    private static let old = BareJID.of("old", "example.com")

    private func suggesting(_ jids: [String], from: String, action: String = "add") -> String {
        let items = jids.map { "<item action='\(action)' jid='\($0)' name='N'><group>G</group></item>" }.joined()
        return "<message from='\(from)'><x xmlns='\(Namespace.rosterExchange)'>\(items)</x></message>"
    }

    @Test("contacts that a trusted gateway suggests are added and asked; of others, and to be taken away, none")
    func suggested() async throws {
        var account = AccountConfiguration.of("bot@example.org")
        account.trustedRosterExchange = [BareJID(preparedLocal: nil, preparedDomain: "gw.example.org")]
        let setup = { (server: ScriptedServer) in
            await server.push(Self.old, to: .bot) { $0.subscription = "both" }
        }
        try await inWorld([account], before: setup) { world in
            try await world.online()
            await world.server.send(suggesting(["eve@example.net"], from: "stranger.example.org"), to: .bot)
            await world.server.send(suggesting(["old@example.com"], from: "gw.example.org", action: "delete"), to: .bot)
            let wanted = ["a@gw.example.org", "old@example.com", "bot@example.org"]
            await world.server.send(suggesting(wanted, from: "gw.example.org"), to: .bot)
            try await world.quiet()
            #expect(world.presences == ["subscribe a@gw.example.org"])
            let items = await world.server.roster(of: .bot)
            #expect(items.map(\.jid) == [Self.old, .of("a", "gw.example.org")])
            #expect(items.last?.name == "N" && items.last?.groups == ["G"])
            // Written down with who suggested it, and known by that.
            try await world.until("the end of it") { try await world.history().map(\.state) == [.confirmed] }
            let history = try await world.history()
            #expect(history.map(\.action) == ["add"] && history.first?.contact == .of("a", "gw.example.org"))
            #expect(history.first?.by == "roster_exchange" && history.first?.operator == nil)
            #expect(history.first?.suggestedBy == BareJID(preparedLocal: nil, preparedDomain: "gw.example.org"))
            #expect(history.first?.state == .confirmed && history.first?.reason == "name “N”; groups: G")
            let known = try await world.store.evidence(of: .bot)[.of("a", "gw.example.org")]
            #expect(known?.addedBy == .rosterExchange && known?.addedName == "gw.example.org")
            #expect(known?.askedAt != nil)
            let notes = world.events.all.compactMap { event -> [String?]? in
                guard case .noted(let note) = event, note.event == "roster_exchange" else { return nil }
                return note.fields.map(\.1)
            }
            #expect(
                notes == [
                    ["gw.example.org", "delete", "1", "0", "0", nil], ["gw.example.org", "add", "3", "1", "0", nil],
                ])
        }
    }

    @Test("what 'contact add' would refuse is passed over, in the journal with why, and the rest is taken")
    func checked() async throws {
        var account = AccountConfiguration.of("bot@example.org")
        account.trustedRosterExchange = [BareJID(preparedLocal: nil, preparedDomain: "gw.example.org")]
        try await inWorld([account]) { world in
            try await world.online()
            await world.server.send(
                """
                <message from='gw.example.org'><x xmlns='\(Namespace.rosterExchange)'>\
                <item jid='a@gw.example.org' name='A\u{202E}nn'/><item jid='@'/>\
                <item jid='b@gw.example.org'><group>G\u{200B}</group></item>\
                <item jid='c@gw.example.org'><group> </group></item>\
                <item jid='d@gw.example.org' name='  D  '><group> G</group><group>G </group></item></x></message>
                """, to: .bot)
            try await world.quiet()
            try await world.until("the end of it") { try await world.store.backlog(of: .bot).actions.isEmpty }
            #expect(world.presences == ["subscribe d@gw.example.org"])
            let items = await world.server.roster(of: .bot)
            #expect(items.map(\.jid) == [.of("d", "gw.example.org")])
            #expect(items.first?.name == "D" && items.first?.groups == ["G"])
            let history = try await world.history()
            #expect(history.count == 4)
            for (contact, words) in [
                ("a", "its name has the invisible character U+202E"), ("b", "a group of it has"), ("c", "no name"),
            ] {
                let row = try #require(history.first { $0.contact == .of(contact, "gw.example.org") })
                #expect(row.reason?.contains(words) == true && row.reason?.contains("passed over") == true, "\(row)")
            }
            let note = world.events.all.lazy.compactMap { event -> [String?]? in
                guard case .noted(let note) = event, note.event == "roster_exchange" else { return nil }
                return note.fields.map(\.1)
            }.first
            #expect(note == ["gw.example.org", "add", "5", "1", "4", nil])
        }
    }

    // MARK: Gateways

    @Test("a gateway, which is a bare domain, asks, is accepted, and is a contact like others")
    func gateway() async throws {
        let gateway = BareJID(preparedLocal: nil, preparedDomain: "gw.example.org")
        try await inWorld(policy: .of([Rule("gateways", .accept(Acceptance(subscribeBack: true)))])) { world in
            try await world.online()
            await world.server.ask(.bot, from: JID(gateway))
            _ = try await world.events.next { $0.isConfirmed(gateway) }
            try await world.quiet()
            #expect(world.presences == ["subscribed gw.example.org", "subscribe gw.example.org"])
            #expect(try await world.service.roster(of: .bot)?.items.map(\.jid) == [gateway])
            // Its presence has no resource.
            await world.server.send(
                "<presence from='gw.example.org'/><presence type='unavailable' from='gw.example.org'/>", to: .bot)
            try await world.quiet()
            await world.server.ask(.bot, from: JID(.of("user", "gw.example.org")))
            _ = try await world.events.next { $0.isConfirmed(.of("user", "gw.example.org")) }
        }
    }
}
