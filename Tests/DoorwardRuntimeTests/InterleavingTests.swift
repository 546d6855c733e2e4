import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// What happens between two steps that other tests see as one.
@Suite struct InterleavingTests {
    @Test("an operator's answer between the reading of the rows and the initial presence is sent in that session")
    func answeredWhileLoggingIn() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            try await world.quiet()
            let row = try #require(try await world.pending().first)
            await world.server.behave { $0.answersRoster = false }
            _ = try await world.server.received.next { $0.isIQ("get", "query", Namespace.roster) }
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            await world.pass(.seconds(3))
            let get = try await world.server.received.next { $0.isIQ("get", "query", Namespace.roster) }
            let outcomes = try await world.service.answer([.accept(row)])
            #expect(outcomes.count == 1)
            let id = get.element[attribute: "id"] ?? ""
            await world.server.send(
                "<iq type='result' id='\(id)'><query xmlns='jabber:iq:roster'/></iq>", to: .bot)
            try await world.online()
            try await world.quiet()
            #expect(world.presences == ["subscribed new@example.net"])
        }
    }

    @Test("someone who asks anew once the answer is confirmed has a new request, though the record is on its way")
    func askedAnewWhileConfirming() async throws {
        try await inWorld(policy: .of([Rule("none", .reject(Rejection()))])) { world in
            try await world.online()
            let isFirst = Locked(true)
            await world.server.react { received in
                guard received.isIQ("get", "ping", Namespace.ping), let id = received.element[attribute: "id"],
                    isFirst.withLock({ first in
                        defer { first = false }
                        return first
                    })
                else { return .usual }
                return .send(
                    "<iq type='result' id='\(id)' from='example.org'/>"
                        + "<presence type='subscribe' from='new@example.net' to='bot@example.org'/>")
            }
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(world.presences == ["unsubscribed new@example.net", "unsubscribed new@example.net"])
            #expect(Set(try await world.history().map(\.request)).count == 2)
            #expect(try await world.history().map(\.state) == [.confirmed, .confirmed])
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
        }
    }

    @Test("an approval by another client while the request is being recorded takes it off the desk")
    func approvedWhileOpening() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.send(
                "<presence type='subscribe' from='new@example.net' to='bot@example.org'/>"
                    + "<iq type='set' id='p1'><query xmlns='jabber:iq:roster'>"
                    + "<item jid='new@example.net' subscription='from'/></query></iq>", to: .bot)
            _ = try await world.events.next { $0.isDecided(.new) }
            try await world.quiet()
            #expect(try await world.pending().isEmpty)
            #expect(try await world.pending(all: true).map(\.state) == [.answeredElsewhere])
        }
    }

    @Test("a request that is taken back before the roster is there does not come onto the desk")
    func withdrawnBeforeReady() async throws {
        try await inWorld(before: { await $0.behave { $0.answersRoster = false } }) { world in
            let get = try await world.server.received.next { $0.isIQ("get", "query", Namespace.roster) }
            await world.server.send(
                "<presence type='subscribe' from='new@example.net' to='bot@example.org'/>"
                    + "<presence type='unsubscribe' from='new@example.net' to='bot@example.org'/>", to: .bot)
            try await world.quiet()
            let id = get.element[attribute: "id"] ?? ""
            await world.server.send(
                "<iq type='result' id='\(id)'><query xmlns='jabber:iq:roster'/></iq>", to: .bot)
            try await world.online()
            try await world.quiet()
            #expect(try await world.pending().isEmpty)
        }
    }

    @Test("who only observes does not reassure either")
    func observeIsSilent() async throws {
        let item = ServerRosterItem(.ally, subscription: "from")
        try await inWorld(
            [.of("bot@example.org", mode: .observe)],
            before: { await $0.add(.bot, password: "secret", roster: [item]) }
        ) { world in
            try await world.online()
            await world.server.send("<presence type='subscribe' from='ally@example.org'/>", to: .bot)
            try await world.quiet()
            #expect(world.presences == [])
        }
    }
}
