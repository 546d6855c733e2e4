import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// Where other clients' rosters went wrong, each as a case of its own.
@Suite struct RosterCaseTests {
    @Test("whoever is merely in the roster is not known as one who may see the account (XMPPFramework #1204)")
    func known() {
        let roster = RosterModule.loaded([
            RosterXML.item("none@example.org"), RosterXML.item("asked@example.org", asked: true),
            RosterXML.item("to@example.org", "to"), RosterXML.item("from@example.org", "from"),
            RosterXML.item("both@example.org", "both"),
        ])
        let known = ["none", "asked", "to", "from", "both", "stranger"].filter { roster.mayKnow(.of($0)) }
        #expect(known == ["from", "both"])
        // Nor by what was kept of before, while this session's roster is not there.
        let kept = RosterModule(
            account: .bot, cached: [RosterItem(jid: .ally, subscription: .both)], version: "1", onEvent: { _ in })
        #expect(!kept.mayKnow(.ally) && kept.mayKnow(nil) && kept.mayKnow(.bot))
    }

    @Test("items without a subscription are kept alike, whether the load or a push brings them (XMPPFramework)")
    func noneIsKept() {
        let roster = RosterModule.loaded([RosterXML.item("first@example.org", "none")])
        roster.push(RosterXML.item("second@example.org", "none"))
        #expect(Set(roster.items.keys) == [.of("first"), .of("second")])
    }

    @Test("a forged answer to the request for the roster is no roster, and the true one behind it is (B002)")
    func forgedAnswer() async throws {
        let loads = EventRecorder<[BareJID]>()
        let server = try ScriptedServer()
        await server.react { received in
            guard received.isIQ("get", "query", Namespace.roster), let id = received.element[attribute: "id"] else {
                return .usual
            }
            func answer(_ from: String, _ jid: String) -> String {
                "<iq type='result' id='\(id)'\(from)><query xmlns='jabber:iq:roster'>"
                    + "<item jid='\(jid)' subscription='both'/></query></iq>"
            }
            return .send(
                answer(" from='mallory@example.net/e'", "mallory@example.net")
                    + answer(" from='example.net'", "mallory@example.net")
                    + answer(" from='bot@example.net'", "mallory@example.net")
                    + answer(" from='BOT@Example.org'", "ally@example.org")
                    + answer("", "mallory@example.net"))
        }
        let living = try await LivingModules(server: server) {
            [RosterModule(account: .bot, onLoaded: { loads.record($0.keys) }, onChange: { _ in })]
        }
        #expect(try await loads.next { _ in true } == [.ally])
        try await living.server.barrier(.bot)
        #expect(loads.all.count == 1)
        #expect(await living.client.withModule(RosterModule.self) { $0.items.keys } == [.ally])
        try await living.finish()
    }

    @Test("rosters of two accounts of one process have nothing to do with each other (B068, XMPPFramework #770)")
    func twoAccounts() {
        let other = BareJID(preparedLocal: "other", preparedDomain: "example.net")
        let mine = RosterModule.loaded([RosterXML.item("ally@example.org", "both")])
        let theirs = RosterModule(account: other, cached: Roster(), version: nil) { _ in }
        theirs.loaded(RosterXML.query([RosterXML.item("ally@example.org", "to", name: "Ally")]))
        mine.push(RosterXML.item("ally@example.org", "remove"))
        #expect(mine.items.isEmpty && theirs.items[.ally]?.name == "Ally")
        // The push of one is a forgery for the other.
        var push = RosterXML.push(RosterXML.item("ally@example.org", "remove"))
        push.from = JID(.bot)
        guard case .error(.serviceUnavailable) = theirs.received(request: push) else {
            Issue.record("it was taken")
            return
        }
        #expect(theirs.items.count == 1)
    }

    @Test("each request of ours is answered on the stream on which it was made (B068)")
    func twoStreams() async throws {
        let other = BareJID(preparedLocal: "other", preparedDomain: "example.org")
        let server = try ScriptedServer()
        await server.add(other, password: "secret", roster: [ServerRosterItem(.of("theirs"))])
        let loads = EventRecorder<[BareJID]>()
        let living = try await LivingModules(server: server, roster: [ServerRosterItem(.of("mine"))]) {
            [RosterModule(account: .bot, onLoaded: { loads.record($0.keys) }, onChange: { _ in })]
        }
        var options = Client.Options()
        options.transport = server.transport()
        options.modules = { [RosterModule(account: other, onLoaded: { loads.record($0.keys) }, onChange: { _ in })] }
        let second = try Client(account: other, password: "secret", options: options)
        let running = Task { try await second.run() }
        _ = try await loads.next { $0 == [.of("mine")] }
        _ = try await loads.next { $0 == [.of("theirs")] }
        await server.push(.of("mine"), to: .bot) { $0.name = "Mine" }
        try await server.barrier(.bot)
        try await server.barrier(other)
        #expect(await second.withModule(RosterModule.self) { $0.items.keys } == [.of("theirs")])
        #expect(await living.client.withModule(RosterModule.self) { $0.items[.of("mine")]?.name } == "Mine")
        await second.stop()
        try await running.value
        try await living.finish()
    }

    @Test(
        "500 requests over and over, and every other presence about subscriptions: the modules answer none (B011, B013)"
    )
    func silent() async throws {
        let seen = EventRecorder<Int>()
        let living = try await LivingModules(roster: [ServerRosterItem(.ally, subscription: "both")]) {
            nonisolated(unsafe) var count = 0
            let roster = RosterModule(account: .bot) { _ in }
            // In the client's isolation, one call after the other.
            let subscriptions = SubscriptionModule(roster: roster) { _ in
                count += 1
                if count == 554 { seen.record(count) }
            }
            return [roster, subscriptions, PresenceModule(account: .bot, roster: roster)]
        }
        try await living.available()
        let before = living.sent.count
        var text = ""
        for number in 0..<500 { text += "<presence type='subscribe' from='u\(number % 50)@example.net'/>" }
        for _ in 0..<50 { text += "<presence type='subscribe' from='ally@example.org'/>" }
        for type in ["subscribed", "unsubscribed", "unsubscribe", "subscribed"] {
            text += "<presence type='\(type)' from='ally@example.org'/>"
        }
        await living.server.send(text, to: .bot)
        _ = try await seen.next { _ in true }
        try await living.server.barrier(.bot)
        let sent = living.sent.dropFirst(before).filter { $0.matches("presence", Namespace.client) }
        #expect(sent.isEmpty)
        try await living.finish()
    }

    @Test("a group that is empty, repeated, or one of many is what it is, and a contact is one contact (B007)")
    func groups() {
        let roster = RosterModule.loaded([
            RosterXML.item("pal@example.org", "both", groups: ["", "Ops", "Ops", "Night"]),
            RosterXML.item("PAL@example.org", "both", groups: ["Day"]),
        ])
        #expect(roster.items.count == 1 && roster.items[.of("pal")]?.groups == ["Day"])
        let view = RosterView(roster.items)
        #expect(view.groups == ["Day"] && view.contacts(inGroup: "Day").count == 1)
    }
}
