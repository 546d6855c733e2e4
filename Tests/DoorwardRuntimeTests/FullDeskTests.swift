import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// A desk that nobody empties, and those who are let in all the same (security D1, G8, G9).
@Suite struct FullDeskTests {
    private static let policy = Policy.of([
        Rule("friends", .accept(Acceptance()), domain: "friends.example"),
        Rule("spam", .reject(Rejection()), domain: "spam.example"),
    ])

    /// A world whose desk has these rows when its account comes online.
    private func withDesk(_ contacts: [BareJID], _ body: (World) async throws -> Void) async throws {
        let setup = { (server: ScriptedServer) in
            await server.add(
                .bot, password: "secret", roster: [ServerRosterItem(.of("asked"), subscription: "none", asked: true)])
            await server.behave { $0.isReachable = false }
        }
        try await inWorld(policy: Self.policy, before: setup) { world in
            _ = try await world.state(.waiting)
            let ask = DecisionRecord(decision: .ask, by: .default)
            let session = try await world.store.beginSession(account: .bot, at: Timestamp(milliseconds: 0))
            _ = try await world.store.commit(
                account: .bot, session: session, at: Timestamp(milliseconds: 0),
                changes: contacts.map { .opened(DeliveredRequest(contact: $0, message: nil, nickname: nil), ask) })
            await world.server.behave { $0.isReachable = true }
            await world.pass(.seconds(3))
            try await world.online()
            try await body(world)
        }
    }

    private func isLive(_ contact: BareJID, _ world: World) async throws -> Bool {
        try await world.store.liveRequests(of: .bot).contains { $0.contact == contact }
    }

    @Test("rules, tokens and what the account has asked for itself are answered though the desk is full")
    func rulesGoOn() async throws {
        try await withDesk((0..<RequestLedger.limit).map { .of("u\($0)") }) { world in
            let order = InvitationOrder(account: .bot, uses: 1)
            guard case .made(let made) = try await world.service.invite(order, by: "ana") else { throw World.Missing() }
            for number in 0..<50 { await world.server.ask(.bot, from: JID(.of("more\(number)"))) }
            let guests = (0..<20).map { BareJID.of("g\($0)", "friends.example") }
            for guest in guests { await world.server.ask(.bot, from: JID(guest)) }
            await world.server.ask(.bot, from: JID(.of("s", "spam.example")))
            await world.server.ask(.bot, from: JID(.of("asked")))
            let token = Element(
                "preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", made.token)])
            await world.server.ask(.bot, from: JID(.of("invited")), with: [token])
            _ = try await world.events.next { $0.isConfirmed(.of("invited")) }
            try await world.quiet()
            for guest in guests { #expect(world.sent("subscribed", to: guest.description) == 1) }
            #expect(world.sent("unsubscribed", to: "s@spam.example") == 1)
            #expect(world.sent("subscribed", to: "asked@example.net") == 1)
            #expect(world.sent("subscribed", to: "invited@example.net") == 1)
            #expect(world.presences.allSatisfy { !$0.contains("more") })
            #expect(try await world.store.liveRequests(of: .bot).count == RequestLedger.limit)
            #expect(world.events.all.count { $0.isAlert(AlertCode.deskFull) } == 1)
        }
    }

    @Test("once half of the room is taken a domain has its share, and others come in")
    func domains() async throws {
        let crowd = (0..<RequestLedger.limit / 2 - 1).map { BareJID.of("u\($0)", "crowd.example") }
        try await withDesk(crowd) { world in
            await world.server.ask(.bot, from: JID(.of("last", "crowd.example")))
            await world.server.ask(.bot, from: JID(.of("over", "crowd.example")))
            let others = (0..<RequestLedger.domainLimit + 1).map { BareJID.of("v\($0)", "other.example") }
            for other in others { await world.server.ask(.bot, from: JID(other)) }
            await world.server.ask(.bot, from: JID(.of("one", "third.example")))
            _ = try await world.events.next { $0.isDecided(.of("one", "third.example")) }
            try await world.quiet()
            #expect(try await isLive(.of("last", "crowd.example"), world))
            #expect(try await !isLive(.of("over", "crowd.example"), world))
            #expect(try await isLive(others[RequestLedger.domainLimit - 1], world))
            #expect(try await !isLive(others[RequestLedger.domainLimit], world))
            #expect(world.events.all.count { $0.isAlert(AlertCode.deskFull) } == 1)
        }
    }

    @Test("what does not fit in before the contact list is there stays at the server, and an operator hears of it")
    func beforeTheRoster() async throws {
        let count = AccountSession.waitingLimit
        let friend = BareJID.of("friend", "friends.example")
        let setup = { (server: ScriptedServer) in
            // Answers come at the end of a read, behind what the presence in it brings.
            await server.behave { $0.answers.order = .permutation(0) }
            await server.add(.bot, password: "secret")
            for number in 0..<count { await server.ask(.bot, from: JID(.of("s", "d\(number).example"))) }
            await server.ask(.bot, from: JID(friend))
        }
        try await inWorld(policy: Self.policy, before: setup) { world in
            try await world.online()
            _ = try await world.events.next { $0.isAlert(AlertCode.deskFull) }
            _ = try await world.events.next { $0.isDecided(.of("s", "d\(count - 1).example")) }
            #expect(world.sent("subscribed", to: friend.description) == 0)
        }
    }

    @Test("a ledger counts those who wait, in all and by domain, through whatever becomes of them")
    func counts() {
        let record = DecisionRecord(decision: .ask, by: .default)
        let accept = DecisionRecord(decision: .accept(Acceptance()), by: .rule, rule: "r", steps: [.verdict])
        var ledger = RequestLedger(session: 1, rows: [])
        for number in 0..<10 {
            let contact = BareJID.of("u\(number)", number % 2 == 0 ? "a.example" : "b.example")
            _ = ledger.delivered(DeliveredRequest(contact: contact, message: nil, nickname: nil), item: nil) { _ in
                number < 8 ? record : accept
            }
        }
        let (first, second) = (BareJID.of("x", "a.example").server, BareJID.of("x", "b.example").server)
        #expect(ledger.count == 10 && ledger.entries.waiting == 8)
        #expect(ledger.entries.waiting(at: first) == 4 && ledger.entries.waiting(at: second) == 4)
        ledger.entries[.of("u0", "a.example")] = nil
        ledger.entries[.of("u0", "a.example")] = nil
        ledger.entries[.of("u1", "b.example")]?.opensWaiting = false
        #expect(ledger.count == 9 && ledger.entries.waiting == 6)
        #expect(ledger.entries.waiting(at: first) == 3 && ledger.entries.waiting(at: second) == 3)
        for contact in Array(ledger.entries).map(\.key) { ledger.entries[contact] = nil }
        #expect(ledger.entries.waiting == 0 && ledger.entries.waiting(at: first) == 0)
    }
}
