import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPModules
import XMPPTestKit

@testable import DoorwardRuntime

/// Policies that look at tokens and moves, in a whole service.
@Suite struct IntroductionPolicyTests {
    static let old = BareJID.of("old", "example.com")

    static func rule(_ name: String, _ test: Condition.Test, _ decision: Decision) -> Rule {
        let condition = Condition(test, label: name, place: "p.yaml:1:1")
        return Rule(name: name, place: "p.yaml:1:1", conditions: [condition], decision: decision)
    }

    /// Who has really moved walks in, who only says so is refused, everybody else waits for a person.
    static let moves = Policy.of([
        rule("moved", .moved([.verified]), .accept(Acceptance(groups: ["Moved"]))),
        rule("liar", .moved([.claimed]), .reject(Rejection())),
    ])

    static func claim(_ old: String = "old@example.com") -> Element {
        let old = Element("old-jid", namespace: Namespace.moved, children: [.text(old)])
        return Element("moved", namespace: Namespace.moved, children: [.element(old)])
    }

    func withOldContact(_ server: ScriptedServer) async {
        await server.push(Self.old, to: .bot) {
            $0.subscription = "both"
            ($0.name, $0.groups) = ("Olga", ["Friends", "Work"])
        }
    }

    func withManagedContact(_ server: ScriptedServer) async {
        await ResumptionTests.managed(server)
        await withOldContact(server)
    }

    static func isQuestion(_ received: ReceivedElement) -> Bool {
        received.isIQ("get", "pubsub", Namespace.pubsub) && received.element[attribute: "to"] == "old@example.com"
    }

    func questions(_ world: World) -> Int { world.server.received.all.count(where: Self.isQuestion) }

    /// What the old address answers; nil for nothing.
    func answering(_ server: ScriptedServer, _ new: String?) async {
        await server.react { received in
            guard Self.isQuestion(received), let id = received.element[attribute: "id"] else { return .usual }
            guard let new else { return .nothing }
            return .send(
                """
                <iq type='result' id='\(id)' from='old@example.com'><pubsub xmlns='\(Namespace.pubsub)'><items \
                node='urn:xmpp:moved:1'><item id='current'><moved xmlns='urn:xmpp:moved:1'><new-jid>\(new)</new-jid>\
                </moved></item></items></pubsub></iq>
                """)
        }
    }

    @Test("a verified move is decided by the policy: the new address accepted and asked, the old one revoked")
    func verified() async throws {
        try await inWorld(policy: Self.moves, before: withOldContact) { world in
            try await world.online()
            await answering(world.server, "new@example.net")
            await world.server.ask(.bot, from: JID(.new), with: [Self.claim()])
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(
                world.presences == [
                    "subscribed new@example.net", "subscribe new@example.net", "unsubscribed old@example.com",
                ])
            let row = try #require(try await world.history().first)
            #expect(row.by == "rule" && row.rule == "moved")
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
            #expect(questions(world) == 1)
            // Called and grouped as before, and as the rule says.
            let item = await world.server.roster(of: .bot).first { $0.jid == .new }
            #expect(item?.name == "Olga" && item?.groups == ["Moved", "Friends", "Work"])
        }
    }

    @Test("who only claims it is judged as that, whatever the old address says", arguments: ["else@example.net", "@"])
    func claimed(new: String) async throws {
        try await inWorld(policy: Self.moves, before: withOldContact) { world in
            try await world.online()
            await answering(world.server, new)
            await world.server.ask(.bot, from: JID(.new), with: [Self.claim()])
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(world.presences == ["unsubscribed new@example.net"])
            #expect(try await world.history().map(\.rule) == ["liar"])
        }
    }

    @Test("an old address that never answers leaves a claim, after half a minute; meanwhile nobody is answered")
    func silent() async throws {
        try await inWorld(policy: Self.moves, before: withOldContact) { world in
            try await world.online()
            await answering(world.server, nil)
            await world.server.ask(.bot, from: JID(.new), with: [Self.claim()])
            await world.server.ask(.bot, from: JID(.of("other")))
            try await world.until("the other") { try await world.pending().map(\.contact) == [.of("other")] }
            try await world.quiet()
            let waiting = try #require(try await world.store.liveRequests(of: .bot).first { $0.contact == .new })
            #expect(waiting.state == .recorded && waiting.decision == nil)
            #expect(world.presences.isEmpty)
            await world.pass(.seconds(31))
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(world.presences == ["unsubscribed new@example.net"])
        }
    }

    @Test("a claim to have been a stranger is none, and a policy that does not look asks before the decision")
    func notNeeded() async throws {
        try await inWorld(policy: Self.moves) { world in
            try await world.online()
            await world.server.ask(.bot, from: JID(.new), with: [Self.claim()])
            try await world.until("on the desk") { try await world.pending().count == 1 }
            #expect(questions(world) == 0)
        }
        let policy = Policy.of([Self.rule("any claim", .moved([.claimed, .verified]), .reject(Rejection()))])
        try await inWorld(policy: policy, before: withOldContact) { world in
            try await world.online()
            await answering(world.server, nil)
            await world.server.ask(.bot, from: JID(.new), with: [Self.claim()])
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(try await world.history().map(\.rule) == ["any claim"])
        }
    }

    @Test("a link that breaks while the old address is asked is no answer: it is asked again over the next one")
    func brokenLink() async throws {
        try await inWorld(policy: Self.moves, before: withManagedContact) { world in
            try await world.online()
            await answering(world.server, nil)
            await world.server.ask(.bot, from: JID(.new), with: [Self.claim()])
            try await world.until("asked") { questions(world) == 1 }
            await answering(world.server, "new@example.net")
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.pass(.seconds(60))
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(world.resumptions() == 1)
            #expect(world.sent("subscribed", to: "new@example.net") == 1)
            #expect(try await world.history().map(\.rule) == ["moved"])
        }
    }

    @Test("a process that is killed while the old address is asked asks it again, over a resumption or a fresh login")
    func killed() async throws {
        let folder = try StoreFolder()
        let accounts = [AccountConfiguration.of("bot@example.org")]
        for isManaged in [true, false] {
            let before = isManaged ? withManagedContact : withOldContact
            let live = "live\(isManaged).db"
            let copy = "copy\(isManaged).db"
            try await inWorld(accounts, policy: Self.moves, store: folder.store(live), before: before) { world in
                try await world.online()
                await answering(world.server, nil)
                await world.server.ask(.bot, from: JID(.new), with: [Self.claim()])
                try await world.until("asked") { questions(world) == 1 }
                // By then the number of what was sent is on disk, without which no other process can go on.
                await world.pass(.seconds(2))
                try await world.quiet()
                folder.copy(live, to: copy)
                await world.server.dropLink(of: .bot)
                _ = try await world.state(.waiting)
                await world.service.stop()
                await answering(world.server, "new@example.net")
                let next = try World(after: world, .of(accounts, [Self.moves]), store: folder.store(copy))
                _ = try await next.events.next { $0.isConfirmed(.new) }
                #expect(next.resumptions() == (isManaged ? 1 : 0))
                #expect(try await next.history().map(\.rule) == ["moved"])
                await next.stop()
            }
        }
    }

    @Test("what is only observed is verified too, recorded as the rule would have it, and nothing is answered")
    func observed() async throws {
        let accounts = [AccountConfiguration.of("bot@example.org", mode: .observe)]
        try await inWorld(accounts, policy: Self.moves, before: withOldContact) { world in
            try await world.online()
            await answering(world.server, "new@example.net")
            await world.server.ask(.bot, from: JID(.new), with: [Self.claim()])
            _ = try await world.events.next { $0.isDecided(.new) }
            try await world.quiet()
            let row = try #require(try await world.history().first)
            #expect(row.rule == "moved" && row.state == .notSent)
            #expect(world.presences.isEmpty)
        }
    }

    @Test("many who claim the same old address cost one question, and only the one it names is let in")
    func many() async throws {
        try await inWorld(policy: Self.moves, before: withOldContact) { world in
            try await world.online()
            await answering(world.server, nil)
            let liars = (0..<40).map { BareJID.of("liar\($0)") }
            for liar in liars { await world.server.ask(.bot, from: JID(liar), with: [Self.claim()]) }
            await world.server.ask(.bot, from: JID(.new), with: [Self.claim()])
            try await world.quiet()
            #expect(questions(world) == 1)
            await world.pass(.seconds(31))
            try await world.quiet()
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
            #expect(Set(world.presences).count == 41 && world.presences.allSatisfy { $0.hasPrefix("unsubscribed") })
        }
    }

    @Test("who takes the request back while the old address is asked is answered by nobody")
    func takenBack() async throws {
        try await inWorld(policy: Self.moves, before: withOldContact) { world in
            try await world.online()
            await answering(world.server, nil)
            await world.server.ask(.bot, from: JID(.new), with: [Self.claim()])
            try await world.until("asked") { questions(world) == 1 }
            await world.server.send("<presence from='new@example.net' type='unsubscribe'/>", to: .bot)
            _ = try await world.events.next { $0.isClosed(.new) }
            await world.pass(.seconds(31))
            try await world.quiet()
            #expect(world.presences.isEmpty)
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
        }
    }
}
