import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

/// A request's whole way: delivered, decided, recorded, answered, confirmed.
@Suite struct RequestPathTests {
    @Test("a rule accepts: recorded, sent to the bare address, confirmed by the roster (B016)")
    func accepted() async throws {
        try await inWorld(policy: .acceptAll) { world in
            try await world.online()
            await world.server.ask(.bot, from: try JID("new@example.net/phone"), "hello")
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(world.presences == ["subscribed new@example.net"])
            #expect(await world.server.roster(of: .bot).map(\.subscription) == ["from"])
            let history = try await world.history()
            #expect(history.map(\.contact) == [.new])
            #expect(history.first?.state == .confirmed)
            #expect(history.first?.rule == "friends")
            #expect(try await world.service.roster(of: .bot)?.items.map(\.jid) == [.new])
        }
    }

    @Test("an accept with groups, a name and a request in return sends roster set, verdict and subscribe in that order")
    func acceptedWithOptions() async throws {
        let acceptance = Acceptance(subscribeBack: true, groups: ["Friends", "Ops"], name: "New")
        try await inWorld(policy: .of([Rule("all", .accept(acceptance))])) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            let item = await world.server.roster(of: .bot).first
            #expect(item?.groups == ["Friends", "Ops"])
            #expect(item?.name == "New")
            #expect(item?.subscription == "from")
            #expect(item?.asked == true)
            let words = world.server.received.all.suffix(20).compactMap { received -> String? in
                if received.isIQ("set", "query", Namespace.roster) { return "roster" }
                return received.element[attribute: "to"] == "new@example.net"
                    ? received.element[attribute: "type"] : nil
            }
            #expect(words == ["roster", "subscribed", "subscribe"])
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
        }
    }

    @Test("a rule rejects and blocks: unsubscribed first, then the block")
    func rejectedAndBlocked() async throws {
        try await inWorld(policy: .of([Rule("bad", .reject(Rejection(block: true)))])) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(world.presences == ["unsubscribed new@example.net"])
            #expect(await world.server.blocked(by: .bot) == [.new])
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
        }
    }

    @Test("where the server announces no blocking, the reject is sent and the row says why there is no block")
    func cannotBlock() async throws {
        try await inWorld(
            policy: .of([Rule("bad", .reject(Rejection(block: true)))]),
            before: { await $0.behave { $0.announcesBlocking = false } }
        ) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(!world.server.received.all.contains { $0.isIQ("set", "block", Namespace.blocking) })
            let history = try await world.history()
            #expect(history.map(\.state) == [.confirmed])
            #expect(history.first?.reason?.contains("XEP-0191") == true)
        }
    }

    @Test("no rule, or none that holds, means ask: nothing is sent (B015)", arguments: [true, false])
    func asks(hasRule: Bool) async throws {
        let rules = hasRule ? [Rule("friends", .accept(Acceptance()), domain: "friends.example")] : []
        try await inWorld(policy: .of(rules)) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new, "hi")
            _ = try await world.events.next { $0.isDecided(.new) }
            try await world.quiet()
            #expect(world.presences == [])
            let pending = try await world.pending()
            #expect(pending.map(\.contact) == [.new])
            #expect(pending.first?.rule == nil)
            #expect(try await world.history().map(\.by) == ["default"])
            #expect(try await world.history().map(\.state) == [.waiting])
        }
    }

    @Test("ignore sends nothing and puts nothing on the desk")
    func ignored() async throws {
        try await inWorld(policy: .of([Rule("quiet", .ignore)])) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            try await world.quiet()
            #expect(world.presences == [])
            #expect(try await world.pending(all: true).isEmpty)
            #expect(try await world.history().map(\.state) == [.notSent])
        }
    }

    @Test("three logins are one row; a lost approval is sent again once, without asking again (B011)")
    func threeLogins() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new, "hi")
            _ = try await world.events.next { $0.isDecided(.new) }
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.pass(.seconds(3))
            try await world.online()
            try await world.quiet()
            let row = try #require(try await world.pending().first)
            #expect(row.seenCount == 2)
            #expect(row.version == 1)

            // The approval and the ping behind it get lost.
            await world.server.react { received in
                received.isPresence("subscribed", to: "new@example.net") || received.isIQ("get", "ping", Namespace.ping)
                    ? .nothing : .usual
            }
            let outcomes = try await world.service.answer([.accept(row)])
            guard case .done = outcomes.first else { throw World.Missing() }
            _ = try await world.server.received.next { $0.isPresence("subscribed", to: "new@example.net") }
            await world.server.react(nil)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.pass(.seconds(5))
            try await world.online()
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()

            #expect(world.sent("subscribed", to: "new@example.net") == 2)
            #expect(try await world.pending().isEmpty)
            let rows = try await world.pending(all: true)
            #expect(rows.map(\.seenCount) == [3])
            #expect(rows.map(\.id) == [row.id])
            let history = try await world.history()
            #expect(history.map(\.decision) == ["accept", "ask"])
            #expect(history.first?.operator == "ana")
            #expect(history.first?.state == .confirmed)
            #expect(await world.server.requests(of: .bot).isEmpty)
        }
    }

    @Test("a request taken back is withdrawn at once, and an operator's accept then sends nothing (B012 A)")
    func withdrawn() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            let row = try #require(try await world.pending().first)
            await world.server.withdraw(.bot, from: .new)
            _ = try await world.events.next { $0.isClosed(.new) }
            let outcomes = try await world.service.answer([.accept(row)])
            guard case .notOpen(let now, let by, _) = outcomes.first else { throw World.Missing() }
            #expect(now.state == .withdrawn)
            #expect(by == nil)
            try await world.quiet()
            #expect(world.presences == [])
        }
    }

    @Test("a request not delivered again within the wait after a fresh login is withdrawn; nothing is sent (B012 B)")
    func notRedelivered() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.server.withdraw(.bot, from: .new, isTold: false)
            await world.pass(.seconds(3))
            try await world.online()
            try await world.quiet()
            await world.pass(.seconds(29))
            try await world.quiet()
            #expect(try await world.pending().map(\.state) == [.open])
            await world.pass(.seconds(2))
            _ = try await world.events.next { $0.isClosed(.new) }
            let row = try #require(try await world.pending(all: true).first)
            #expect(row.state == .withdrawn)
            let outcomes = try await world.service.answer([.accept(row)])
            guard case .notOpen = outcomes.first else { throw World.Missing() }
            try await world.quiet()
            #expect(world.presences == [])
        }
    }

    @Test("an accept given before the request is delivered again waits for it, and is withdrawn when it does not come")
    func acceptedBeforeRedelivery() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            let row = try #require(try await world.pending().first)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.server.withdraw(.bot, from: .new, isTold: false)
            await world.pass(.seconds(3))
            try await world.online()
            _ = try await world.service.answer([.accept(row)])
            try await world.quiet()
            #expect(world.presences == [])
            await world.pass(.seconds(31))
            _ = try await world.events.next { $0.isClosed(.new) }
            try await world.quiet()
            #expect(world.presences == [])
            #expect(try await world.store.request(id: row.id)?.state == .withdrawn)
        }
    }

    @Test("a withdrawn request that is delivered again reopens under its id")
    func reopened() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            let row = try #require(try await world.pending().first)
            await world.server.withdraw(.bot, from: .new)
            _ = try await world.events.next { $0.isClosed(.new) }
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            let again = try await world.pending()
            #expect(again.map(\.id) == [row.id])
            #expect(again.map(\.seenCount) == [2])
        }
    }

    @Test("fifty requests of a contact with both get one subscribed at most, and verdicts are never answered (B013)")
    func alreadySubscribed() async throws {
        let setup = { (server: ScriptedServer) in
            await server.add(
                .bot, password: "secret",
                roster: [ServerRosterItem(.ally, subscription: "both"), ServerRosterItem(.new, subscription: "from")])
        }
        try await inWorld(before: setup) { world in
            try await world.online()
            for _ in 0..<50 {
                for contact in ["ally@example.org", "new@example.net"] {
                    await world.server.send("<presence type='subscribe' from='\(contact)'/>", to: .bot)
                }
            }
            for contact in ["ally@example.org", "ghost@example.net", "ghost@example.net/x"] {
                for type in ["subscribed", "unsubscribed", "unsubscribe", "probe", "unavailable", "error", "banana"] {
                    await world.server.send("<presence type='\(type)' from='\(contact)'/>", to: .bot)
                }
            }
            try await world.quiet()
            #expect(world.sent("subscribed", to: "ally@example.org") <= 1)
            #expect(world.sent("subscribed", to: "new@example.net") <= 1)
            #expect(world.presences.allSatisfy { $0.hasPrefix("subscribed ") })
            #expect(try await world.pending(all: true).isEmpty)
            #expect(try await world.history().isEmpty)
        }
    }

    @Test("a contact that we asked ourselves is accepted, whatever the rules say")
    func ownRequest() async throws {
        let setup = { (server: ScriptedServer) in
            await server.add(.bot, password: "secret", roster: [ServerRosterItem(.new, subscription: "to")])
        }
        try await inWorld(policy: .of([Rule("none", .reject(Rejection()))]), before: setup) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(world.presences == ["subscribed new@example.net"])
            #expect(try await world.history().first?.by == "own_request")
        }
    }

    @Test(
        "a sender that is no address, or the account itself, asks nothing", arguments: ["@example.net", "a@b@c/d@", ""])
    func noAddress(from: String) async throws {
        try await inWorld(policy: .acceptAll) { world in
            try await world.online()
            await world.server.send("<presence type='subscribe' from='\(from)'/>", to: .bot)
            await world.server.send("<presence type='subscribe' from='bot@example.org/other'/>", to: .bot)
            await world.server.send("<presence type='subscribe'/>", to: .bot)
            try await world.quiet()
            #expect(world.presences == [])
            #expect(try await world.history().isEmpty)
        }
    }

    @Test("an approval by another client of the account closes the request as answered elsewhere")
    func answeredElsewhere() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            await world.server.push(.new, to: .bot) { $0.subscription = "from" }
            _ = try await world.events.next { $0.isClosed(.new) }
            #expect(try await world.pending(all: true).map(\.state) == [.answeredElsewhere])
            #expect(world.presences == [])
        }
    }

    @Test("two operators: the second is told who was first; the contact hears one answer")
    func twoOperators() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            let row = try #require(try await world.pending().first)
            async let first = world.service.answer([.accept(row)])
            async let second = world.service.answer([.reject(row)])
            let outcomes = try await [first.first, second.first]
            let done = outcomes.count { if case .done = $0 { true } else { false } }
            let refused = outcomes.count { if case .notOpen(_, "ana", _) = $0 { true } else { false } }
            #expect((done, refused) == (1, 1))
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(world.presences.count == 1)
        }
    }

    @Test(
        "observe decides and records, sends nothing and puts nothing on the desk; enforce logs in anew and acts")
    func observe() async throws {
        let observing = AccountConfiguration.of("bot@example.org", mode: .observe)
        try await inWorld([observing], policy: .acceptAll) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            try await world.quiet()
            #expect(world.presences == [])
            #expect(try await world.history().map(\.state) == [.notSent])
            #expect(try await world.history().map(\.decision) == ["accept"])
            world.write([.of("bot@example.org", mode: .enforce)], [.acceptAll])
            let outcome = await world.service.reload()
            #expect(outcome.change?.restarted == [.bot])
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(world.presences == ["subscribed new@example.net"])
        }
    }

    @Test("an operator's answer to an account that came to observe waits until it enforces again")
    func observeHoldsAnswers() async throws {
        try await inWorld(policy: .of([])) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            world.write([.of("bot@example.org", mode: .observe)], [.of([])])
            _ = await world.service.reload()
            let row = try #require(try await world.pending().first)
            guard case .done = try await world.service.answer([.accept(row)]).first else { throw World.Missing() }
            try await world.quiet()
            #expect(world.presences == [])
            #expect(try await world.history().map(\.state) == [.queued, .queued])
            world.write([.of("bot@example.org")], [.of([])])
            _ = await world.service.reload()
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(world.presences == ["subscribed new@example.net"])
        }
    }
}
