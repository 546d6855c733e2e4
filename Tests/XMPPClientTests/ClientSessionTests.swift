import Testing
import XMPPCore
import XMPPSession
import XMPPTestKit
import XMPPTransport

@testable import XMPPClient

/// When there is a session, and what becomes of it.
@Suite struct ClientSessionTests {
    private static let ann = BareJID(preparedLocal: "ann", preparedDomain: "example.org")

    private func lines(_ client: Client, _ count: Int) async -> [String] {
        var lines: [String] = []
        for await change in client.sessions {
            switch change {
            case .began(_, let lost): lines.append("began" + (lost.map { ", \($0)" } ?? ""))
            case .resumed: lines.append("resumed")
            case .ended(let error): lines.append("ended \(error?.code.name ?? "")")
            }
            if lines.count == count { break }
        }
        return lines
    }

    @Test("who waits for a session gets its address when it is there, also behind a link that broke")
    func waits() async throws {
        let server = try ScriptedServer()
        await server.add(.bot, password: "secret")
        await server.behave { $0 = .modern }
        var options = Client.Options()
        options.transport = server.transport()
        options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        let client = try Client(account: .bot, password: "secret", options: options)
        async let first = client.online()
        async let second = client.online()
        let running = Task { try await client.run() }
        let address = try await first
        #expect(try await second == address)
        #expect(try await client.online() == address)
        try await client.send(Message(to: JID(Self.ann), body: "online"))
        await server.dropLink(of: .bot)
        // Here it may not have heard of it, or wait for the next link; what it sends arrives in any case.
        let again = Element("q", namespace: "urn:example:again")
        while true {
            #expect(try await client.online() == address)
            if await clientError({ try await client.request(.get, again) })?.code == .refused { break }
        }
        await client.stop()
        try await running.value
        server.stop()
    }

    @Test("in the turn in which a link ends there is no session, so the next one is waited for")
    func behindTheEnd() async throws {
        let world = try await LivingClient()
        try await world.available()
        let (client, waits) = (world.client, EventRecorder<JID?>())
        world.notes.act.withLock {
            $0 = { event in
                guard event.kind == .ended else { return }
                client.assumeIsolated { $0.waitAtOnce(waits) }
            }
        }
        await world.server.dropLink(of: .bot)
        #expect(try await waits.next { _ in true } == world.client.address)
        try await world.resumed()
        try await world.finish()
    }

    @Test("waiting ends with the reason of run(), with a stop and with the task")
    func waitsInVain() async throws {
        let time = ManualTime()
        var unreachable = ServerBehaviour()
        unreachable.isReachable = false
        let world = try await LivingClient(
            unreachable, time: time, options: { $0.backoff = Backoff(base: .seconds(1000), cap: .seconds(1000)) })
        let (client, begun) = (world.client, EventRecorder<Void>())
        let waiting = (0..<2).map { _ in
            Task {
                begun.record(())
                _ = try await client.online()
            }
        }
        for _ in waiting { try await begun.next { _ in true } }
        waiting[0].cancel()
        #expect(await clientError { try await waiting[0].value }?.code == .cancelled)
        await client.stop()
        #expect(await clientError { try await waiting[1].value }?.code == .ended)
        try await world.running.value
        #expect(await clientError { _ = try await client.online() }?.code == .ended)
        world.server.stop()
    }

    @Test("who waits for a session that cannot come hears why")
    func refusedLogin() async throws {
        let server = try ScriptedServer()
        await server.add(.bot, password: "secret")
        var options = Client.Options()
        options.transport = server.transport()
        let client = try Client(account: .bot, password: "another", options: options)
        let waiting = Task { _ = try await client.online() }
        let running = Task { try await client.run() }
        #expect(await clientError { try await waiting.value }?.condition == "not-authorized")
        #expect(await clientError { try await running.value }?.condition == "not-authorized")
        #expect(await clientError { _ = try await client.online() }?.condition == "not-authorized")
        server.stop()
    }

    @Test("each session that begins, goes on or ends is told, and the telling ends with run()")
    func changes() async throws {
        let world = try await LivingClient()
        try await world.available()
        await world.server.dropLink(of: .bot)
        try await world.resumed()
        await world.server.closeStream(of: .bot)
        try await world.available()
        try await world.finish()
        #expect(
            await lines(world.client, .max)
                == ["began", "ended connection_lost", "resumed", "ended connection_lost", "began", "ended "])
    }

    @Test(
        "where a session does not go on, what the server has not acknowledged is handed out", arguments: [true, false])
    func lost(tellsCount: Bool) async throws {
        var behaviour = ServerBehaviour.modern
        behaviour.streamManagement?.acknowledges = false
        behaviour.streamManagement?.tellsCountOfLostSessions = tellsCount
        let world = try await LivingClient(behaviour)
        let (client, server) = (world.client, world.server)
        try await world.available()
        try await client.send(Message(to: JID(Self.ann), body: "handled"))
        try await server.barrier(.bot)
        await server.behave { $0.isReachable = false }
        await server.dropLink(of: .bot)
        _ = try await server.events.next { if case .disconnected = $0 { true } else { false } }
        await server.expireSessions(of: .bot)
        await server.behave { $0.isReachable = true }
        let left = try #require(await secondLoss(client))
        #expect(left.isComplete)
        let bodies = left.unacknowledged.compactMap { $0.first("body", Namespace.client)?.text }
        #expect(bodies.contains("handled") == !tellsCount)
        // They are stanzas that can be sent as they are.
        #expect(left.unacknowledged.allSatisfy { Stanza($0) != nil })
        for text in ["\(left)", String(reflecting: left)] { #expect(!text.contains("handled")) }
        try await client.send(left.unacknowledged.filter { $0.name == "message" })
        try await world.server.barrier(.bot)
        try await world.finish()
    }

    @Test("a session that was asked for in vain too often is lost, too")
    func givenUp() async throws {
        var behaviour = ServerBehaviour()
        behaviour.streamManagement = .init()
        behaviour.streamManagement?.acknowledges = false
        let world = try await LivingClient(behaviour)
        try await world.available()
        try await world.client.send(Message(to: JID(Self.ann), body: "x"))
        try await world.server.barrier(.bot)
        await world.server.behave {
            $0.interruption = .init(
                at: .binding, times: ResumableSession.patience, streamError: "internal-server-error")
        }
        await world.server.dropLink(of: .bot)
        let left = try #require(await secondLoss(world.client))
        #expect(left.unacknowledged.contains { $0.name == "message" })
        try await world.finish()
    }

    /// What the second new session says of the first one.
    private func secondLoss(_ client: Client) async -> Client.SessionChange.Loss? {
        var begun = 0
        for await change in client.sessions {
            guard case .began(_, let lost) = change else { continue }
            begun += 1
            if begun == 2 { return lost }
        }
        return nil
    }

    @Test("what is left is counted as the server counts, also over the end of the numbers and after a crash")
    func counts() {
        func loss(_ acknowledged: UInt32, _ out: [String], _ handled: UInt32?, crashed: Bool = false) -> [String] {
            var session = ResumableSession(
                jid: JID(.bot), id: "s", inbound: 0, outbound: acknowledged &+ UInt32(out.count),
                acknowledged: acknowledged, unacknowledged: out.map { Array("<message id='\($0)'/>".utf8) },
                features: Element("features", namespace: Namespace.streams))
            session.mayHaveSentMore = crashed
            let loss = Client.SessionChange.Loss(session, handled: handled)
            #expect(loss.isComplete == !crashed)
            return loss.unacknowledged.compactMap { $0[attribute: "id"] }
        }
        #expect(loss(5, ["a", "b", "c"], nil) == ["a", "b", "c"])
        #expect(loss(5, ["a", "b", "c"], 5) == ["a", "b", "c"])
        #expect(loss(5, ["a", "b", "c"], 7) == ["c"])
        #expect(loss(5, ["a", "b", "c"], 8) == [])
        // No count of this session.
        #expect(loss(5, ["a", "b", "c"], 9) == ["a", "b", "c"])
        #expect(loss(5, ["a", "b", "c"], 4) == ["a", "b", "c"])
        #expect(loss(.max, ["a", "b", "c"], 1) == ["c"])
        #expect(loss(5, ["a", "b"], 90, crashed: true) == [])
        #expect(loss(5, ["a", "b"], 4, crashed: true) == ["a", "b"])
    }

    @Test(
        "a stanza larger than those that are taken is told too, and one that cannot be read is not passed over in silence"
    )
    func largeAndUnreadable() {
        func loss(_ out: String) -> Client.SessionChange.Loss {
            let session = ResumableSession(
                jid: JID(.bot), id: "s", inbound: 0, outbound: 1, acknowledged: 0, unacknowledged: [Array(out.utf8)],
                features: Element("features", namespace: Namespace.streams))
            return Client.SessionChange.Loss(session, handled: nil)
        }
        let large = loss("<message id='a'><body>" + String(repeating: "x", count: 300_000) + "</body></message>")
        #expect(large.unacknowledged.count == 1 && large.isComplete)
        let deep = String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100)
        let unreadable = loss("<message id='a'>" + deep + "</message>")
        #expect(unreadable.unacknowledged.isEmpty && !unreadable.isComplete)
    }
}

extension Client {
    /// Within one turn of the loop, as far as it goes.
    fileprivate func waitAtOnce(_ waits: EventRecorder<JID?>) {
        Task.immediate { waits.record(try? await self.online()) }
    }
}
