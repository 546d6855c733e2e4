import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// The link, or the store, fails at the worst moment.
@Suite struct LossTests {
    static let policies: [Policy] = [.acceptAll, .of([Rule("bad", .reject(Rejection()))])]

    @Test("the link drops between the commit and the send: the next login sends it once", arguments: [0, 1])
    func betweenCommitAndSend(_ index: Int) async throws {
        let verdict = ["subscribed", "unsubscribed"][index]
        try await inWorld(policy: Self.policies[index]) { world in
            let server = world.server
            world.hook.withLock {
                $0 = { event in
                    // Called right behind the commit, on the one loop that server and account share.
                    if event.isDecided(.new) { server.assumeIsolated { $0.dropLink(of: .bot) } }
                }
            }
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.state(.waiting)
            world.hook.withLock { $0 = nil }
            #expect(world.presences == [])
            #expect(await world.server.requests(of: .bot) == [.new])
            await world.pass(.seconds(3))
            try await world.online()
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(world.presences == ["\(verdict) new@example.net"])
            #expect(try await world.history().count == 1)
            #expect(try await world.history().first?.state == .confirmed)
        }
    }

    @Test("the link drops after the server had the answer: the next login says nothing again", arguments: [0, 1])
    func afterSend(_ index: Int) async throws {
        try await inWorld(policy: Self.policies[index], before: { await $0.behave { $0.answersPings = false } }) {
            world in
            try await world.online()
            await world.server.react { received in
                // Neither push nor pong comes back.
                received.element[attribute: "type"] == "subscribed" ? .nothing : .usual
            }
            await world.server.ask(.bot, from: .new)
            _ = try await world.server.received.next { $0.element[attribute: "to"] == "new@example.net" }
            await world.server.react(nil)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            // What the server did with it.
            await world.server.withdraw(.bot, from: .new, isTold: false)
            if index == 0 { await world.server.push(.new, to: .bot) { $0.subscription = "from" } }
            await world.server.behave { $0.answersPings = true }
            await world.pass(.seconds(3))
            try await world.online()
            await world.pass(.seconds(31))
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(world.presences.count == 1)
            #expect(try await world.history().first?.state == .confirmed)
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
        }
    }

    @Test(
        "an accept that found no request is taken back: the item removed if we made it, else set again",
        arguments: [false, true])
    func takenBack(hadItem: Bool) async throws {
        let setup = { (server: ScriptedServer) in
            guard hadItem else { return }
            await server.add(.bot, password: "secret", roster: [ServerRosterItem(.new, name: "N", groups: ["Old"])])
        }
        try await inWorld(before: setup) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            let row = try #require(try await world.pending().first)
            await world.server.withdraw(.bot, from: .new, isTold: false)
            _ = try await world.service.answer([.accept(row)])
            _ = try await world.events.next { $0.isClosed(.new) }
            try await world.quiet()
            let items = await world.server.roster(of: .bot)
            #expect(!items.contains { $0.approved })
            #expect(items.map(\.groups) == (hadItem ? [["Old"]] : []))
            #expect(items.map(\.name) == (hadItem ? ["N"] : []))
            #expect(try await world.pending(all: true).map(\.state) == [.withdrawn])
            // Asking anew is a new decision, not an approval left behind.
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            try await world.quiet()
            #expect(world.presences == ["subscribed new@example.net"])
        }
    }

    @Test("without its store an account sends nothing, gives the session up, and tries again later")
    func storeFails() async throws {
        try await inWorld(policy: .acceptAll) { world in
            try await world.online()
            await world.store.close()
            await world.server.ask(.bot, from: .new)
            let status = try await world.state(.waiting)
            #expect(status.lastError?.contains("store") == true)
            #expect(world.presences == [])
            #expect(await world.server.requests(of: .bot) == [.new])
            let connects = world.connects
            await world.pass(.seconds(3))
            _ = try await world.state(.waiting)
            // Nobody is bothered while nothing could be recorded.
            #expect(world.connects == connects)
            #expect(world.presences == [])
        }
    }

    @Test("what an operator answers while the account is away is sent at the next login")
    func answeredWhileAway() async throws {
        try await inWorld { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            _ = try await world.events.next { $0.isDecided(.new) }
            let row = try #require(try await world.pending().first)
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            _ = try await world.service.answer([.accept(row)])
            #expect(world.presences == [])
            await world.pass(.seconds(3))
            try await world.online()
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(world.presences == ["subscribed new@example.net"])
        }
    }
}
