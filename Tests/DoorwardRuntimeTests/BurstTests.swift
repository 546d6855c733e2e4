import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// Many requests at once.
@Suite struct BurstTests {
    private func asked(_ count: Int) -> (ScriptedServer) async -> Void {
        { server in
            await server.behave { $0.deliversAtOnce = true }
            for number in 0..<count {
                await server.ask(.bot, from: JID(BareJID.of("u\(number)")), "hello \(number)")
            }
        }
    }

    @Test("six hundred requests in one read are one transaction")
    func oneTransaction() async throws {
        try await inWorld { world in
            let batches = Locked([0])
            world.hook.withLock {
                $0 = { event in
                    guard case .decided = event else { return }
                    // What one commit brought is reported in one turn; the mark behind it comes in the next.
                    let isFirst = batches.withLock { batches in
                        batches[batches.count - 1] += 1
                        return batches.last == 1
                    }
                    if isFirst { world.loop.execute { batches.withLock { $0.append(0) } } }
                }
            }
            try await world.online()
            var bytes = ""
            for number in 0..<600 {
                bytes += "<presence type='subscribe' from='u\(number)@example.net'><status>hi</status></presence>"
            }
            await world.server.send(bytes, to: .bot)
            _ = try await world.events.next { $0.isDecided(.of("u599")) }
            try await world.quiet()
            #expect(batches.withLock { $0.filter { $0 > 0 } } == [600])
            #expect(try await world.pending().count == 600)
            world.hook.withLock { $0 = nil }
        }
    }

    @Test("six hundred answers go out in bursts, each behind the answer to the ping of the one before")
    func bursts() async throws {
        try await inWorld(policy: .acceptAll, before: asked(600)) { world in
            _ = try await world.events.next { $0.isConfirmed(.of("u599")) }
            try await world.quiet()
            var bursts: [Int] = [0]
            for received in world.server.received.all {
                if received.isIQ("get", "ping", Namespace.ping) { bursts.append(0) }
                if received.element[attribute: "type"] == "subscribed" { bursts[bursts.count - 1] += 1 }
            }
            #expect(bursts.reduce(0, +) == 600)
            #expect(bursts.allSatisfy { $0 <= 100 })
            #expect(Set(world.presences).count == 600)
            #expect(await world.server.requests(of: .bot).isEmpty)
            #expect(try await world.store.liveRequests(of: .bot).isEmpty)
        }
    }

    @Test("while the server does not answer the ping, no further burst is sent, and the session is given up in the end")
    func pausedBursts() async throws {
        let setup = { (server: ScriptedServer) in
            await self.asked(250)(server)
            await server.behave { $0.answersPings = false }
        }
        try await inWorld(policy: .acceptAll, before: setup) { world in
            _ = try await world.server.received.next { $0.isIQ("get", "ping", Namespace.ping) }
            try await world.quiet()
            #expect(world.presences.count == 100)
            await world.pass(.seconds(61))
            let status = try await world.state(.waiting)
            #expect(status.lastError?.contains("did not answer") == true)
            await world.server.behave { $0.answersPings = true }
            await world.pass(.seconds(5))
            _ = try await world.events.next { $0.isConfirmed(.of("u249")) }
            try await world.quiet()
            // The server had the first hundred; their answers are not said again.
            #expect(world.presences.count == 250)
            #expect(await world.server.requests(of: .bot).isEmpty)
        }
    }

    @Test("ten requests of one contact in one read are one row and one answer")
    func sameContact() async throws {
        try await inWorld(policy: .acceptAll) { world in
            try await world.online()
            await world.server.ask(.bot, from: .new)
            let more = String(repeating: "<presence type='subscribe' from='new@example.net'/>", count: 10)
            await world.server.send(more, to: .bot)
            _ = try await world.events.next { $0.isConfirmed(.new) }
            try await world.quiet()
            #expect(try await world.history().filter { $0.event == .decided }.count == 1)
            #expect(world.sent("subscribed", to: "new@example.net") <= 2)
        }
    }

    @Test(
        "with ten thousand unfinished requests further ones stay at the server, said once; with room again they come in"
    )
    func deskFull() async throws {
        try await inWorld(before: { await $0.behave { $0.isReachable = false } }) { world in
            _ = try await world.state(.waiting)
            let ask = DecisionRecord(decision: .ask, by: .default)
            let session = try await world.store.beginSession(account: .bot, at: Timestamp(milliseconds: 0))
            let rows = try await world.store.commit(
                account: .bot, session: session, at: Timestamp(milliseconds: 0),
                changes: (0..<RequestLedger.limit).map { number in
                    .opened(DeliveredRequest(contact: .of("u\(number)"), message: nil, nickname: nil), ask)
                })
            await world.server.behave { $0.isReachable = true }
            await world.pass(.seconds(3))
            try await world.online()
            for number in 0..<100 { await world.server.ask(.bot, from: JID(BareJID.of("more\(number)"))) }
            await world.server.ask(.bot, from: JID(BareJID.of("u7")))
            _ = try await world.events.next { $0.isAlert(AlertCode.deskFull) }
            try await world.quiet()
            #expect(world.events.all.count { $0.isAlert(AlertCode.deskFull) } == 1)
            #expect(try await world.store.liveRequests(of: .bot).count == RequestLedger.limit)
            #expect(try await world.service.status().alerts.map(\.code) == [AlertCode.deskFull])
            // A known one is still counted.
            #expect(try await world.store.request(id: rows[7]?.id ?? 0)?.seenCount == 2)
            #expect(world.presences == [])

            // The session ends while it is full, and the server has dropped what waited.
            await world.server.dropLink(of: .bot)
            _ = try await world.state(.waiting)
            let closure = Closure(.withdrawn, by: .server, reason: "test")
            _ = try await world.store.commit(
                account: .bot, session: session, at: Timestamp(milliseconds: 0),
                changes: (0..<RequestLedger.limit).map { .closed(contact: .of("u\($0)"), as: closure) })
            await world.pass(.seconds(5))
            try await world.online()
            _ = try await world.events.next { $0.isDecided(.of("more99")) }
            try await world.until("the alert is cleared") { try await world.service.alerts(all: false).isEmpty }
            #expect(try await world.store.liveRequests(of: .bot).count == 101)
        }
    }
}
