import Synchronization
import Testing
import XMPPCore
import XMPPSession
import XMPPTestKit
import XMPPTransport

@testable import XMPPClient

/// The public client: one account over as many connections as it takes.
@Suite struct ClientTests {
    private final class Notes: ConnectionObserver {
        let kinds = EventRecorder<String>()
        func observed(_ event: ConnectionObservation, of account: BareJID) {
            kinds.record("\(account) \(event.kind.name): \(event.description)")
        }
    }

    /// A server and a client of it, whose pauses are next to nothing unless a test needs them long.
    private struct World {
        let server: ScriptedServer
        let client: Client
        let notes = Notes()
        let running: Task<Void, any Error>

        init(
            password: String = "secret", before: (ScriptedServer) async -> Void = { _ in },
            options change: (inout Client.Options) -> Void = { _ in }
        ) async throws {
            server = try ScriptedServer()
            await server.add(.bot, password: "secret")
            await before(server)
            var options = Client.Options()
            options.transport = ClientTransport(connector: server.connector)
            options.observer = notes
            options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
            change(&options)
            let client = try Client(account: .bot, password: password, options: options)
            self.client = client
            running = Task { try await client.run() }
        }

        func online() async throws {
            _ = try await server.events.next { if case .available = $0 { true } else { false } }
        }

        func isEnded(_ line: String) -> Bool { line.contains("ended: ") }
    }

    private func error(_ body: () async throws -> Void) async -> ClientError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? ClientError
        }
    }

    @Test("a lost connection is made again after a pause, and a stop ends it in order")
    func reconnects() async throws {
        let world = try await World()
        try await world.online()
        await world.server.dropLink(of: .bot)
        _ = try await world.notes.kinds.next { world.isEnded($0) }
        try await world.online()
        await world.client.stop()
        try await world.running.value
        #expect(await error { try await world.client.send(Message(to: JID(.bot), body: "x")) }?.code == .offline)
    }

    @Test("where the server sends the session on, it goes once; then it is where the account is again")
    func sentOn() async throws {
        let world = try await World()
        try await world.online()
        await world.server.send(
            "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>x.example.net:9222"
                + "</see-other-host></stream:error>", to: .bot)
        try await world.online()
        await world.server.dropLink(of: .bot)
        try await world.online()
        await world.client.stop()
        try await world.running.value
        let places = world.notes.kinds.all.filter { $0.contains(" connecting: ") }
        #expect(places.map { $0.contains("x.example.net port 9222") } == [false, true, false])
    }

    @Test("a wrong password ends it at once with what to do")
    func wrongPassword() async throws {
        let world = try await World(password: "hunter-two")
        let error = await error { try await world.running.value }
        #expect(error?.code == .session)
        #expect(error?.condition == "not-authorized")
        #expect(error?.description.contains("hunter") == false)
        #expect(error?.advice.isEmpty == false)
    }

    @Test("whatever a person must look at, the error says what to do", arguments: SessionError.Code.all)
    func advice(code: SessionError.Code) {
        let passing: [SessionError.Code] = [
            .tlsNotOffered, .tlsRefused, .plaintextAfterStartTLS, .malformedChallenge, .malformedStream,
            .closedByServer, .unexpected,
        ]
        let advice = ClientError.advice(code)
        // Those are tried again by themselves, and have no advice of their own.
        #expect(advice.hasPrefix("trying again does not help") == passing.contains(code), "\(code.name): \(advice)")
    }

    @Test("without reconnecting the loss is told")
    func noReconnect() async throws {
        let world = try await World(options: { $0.reconnects = false })
        try await world.online()
        await world.server.dropLink(of: .bot)
        #expect(await error { try await world.running.value }?.code == .connectionLost)
    }

    @Test("a stop ends the pause between two connections")
    func stopsInPause() async throws {
        let world = try await World(
            before: { await $0.behave { $0.isReachable = false } },
            options: { $0.backoff = Backoff(base: .seconds(1000), cap: .seconds(1000)) })
        _ = try await world.notes.kinds.next { world.isEnded($0) }
        await world.client.stop()
        try await world.running.value
    }

    @Test("cancelling ends the pause between two connections")
    func cancelledInPause() async throws {
        let world = try await World(
            before: { await $0.behave { $0.isReachable = false } },
            options: { $0.backoff = Backoff(base: .seconds(1000), cap: .seconds(1000)) })
        _ = try await world.notes.kinds.next { world.isEnded($0) }
        world.running.cancel()
        try await world.running.value
    }

    @Test("requests are answered, refused, or end with the connection, as typed errors")
    func requests() async throws {
        let world = try await World()
        let ask = Element("q", namespace: "urn:example:q")
        let idle = try Client(account: .bot, password: "secret")
        #expect(await error { try await idle.request(.get, ask) }?.code == .offline)
        try await world.online()
        let roster = try await world.client.request(.get, Element("query", namespace: Namespace.roster))
        #expect(roster?.name == "query")
        let refused = await error { try await world.client.request(.get, to: JID("example.org"), ask) }
        #expect(refused?.code == .refused)
        #expect(refused?.condition == "service-unavailable")
        #expect(refused?.stanzaError?.kind == .cancel)
        await world.server.react { $0.isIQ("get", "q", "urn:example:q") ? .nothing : .usual }
        async let lost = error { try await world.client.request(.get, ask) }
        _ = try await world.server.received.next {
            $0.isIQ("get", "q", "urn:example:q") && $0.element[attribute: "to"] == nil
        }
        await world.client.stop()
        #expect(await lost?.code == .noReply)
        try await world.running.value
        #expect(await error { try await world.client.run() }?.code == .unusable)
    }

    @Test("each stream gets its own, in order, and its oldest is dropped when nobody reads")
    func streams() async throws {
        let world = try await World()
        try await world.online()
        var text = ""
        for number in 0..<(Client.streamBound + 10) {
            text += "<message from='a@example.net'><body>\(number)</body></message><presence from='a@example.net'/>"
        }
        text += "<message from='@'><body>nobody</body></message>"
        await world.server.send(text, to: .bot)
        try await world.server.barrier(.bot)
        await world.client.stop()
        try await world.running.value
        var bodies: [String] = []
        for await message in world.client.messages { bodies.append(message.body ?? "") }
        #expect(bodies.count == Client.streamBound)
        #expect(bodies.first == "10")
        #expect(bodies.last == "\(Client.streamBound + 9)")
        var presences = 0
        for await _ in world.client.presences { presences += 1 }
        #expect(presences == Client.streamBound)
        #expect(await world.client.droppedStanzas >= 20)
    }

    @Test("an observer sees each step in words, and no secret or message")
    func observed() async throws {
        let world = try await World()
        try await world.online()
        await world.server.send("<message from='a@example.net'><body>private words</body></message>", to: .bot)
        try await world.server.barrier(.bot)
        await world.client.stop()
        try await world.running.value
        let all = world.notes.kinds.all
        let kinds = all.compactMap { $0.split(separator: ":").first?.split(separator: " ").last.map(String.init) }
        #expect(kinds.first == "connecting")
        #expect(kinds.contains("secured"))
        #expect(kinds.contains("established"))
        #expect(kinds.last == "ended")
        #expect(all.allSatisfy { $0.hasPrefix("bot@example.org ") })
        #expect(!all.contains { $0.contains("secret") || $0.contains("private") })
    }

    @Test("a session whose link broke is taken up again: no new presence, and nothing is lost in between")
    func resumes() async throws {
        let world = try await World(before: { await $0.behave { $0.streamManagement = .init() } })
        try await world.online()
        try await world.server.barrier(.bot)
        await world.server.dropLink(of: .bot)
        _ = try await world.notes.kinds.next { world.isEnded($0) }
        _ = try await world.server.events.next { if case .resumed = $0 { true } else { false } }
        try await world.server.barrier(.bot)
        #expect(world.server.received.all.count { $0.element.name == "presence" } == 1)
        #expect(await world.client.address?.description == "bot@example.org/made-by-server")
        await world.client.stop()
        try await world.running.value
    }

    @Test("thrown out by another session, it comes back once and without the old resource, then no more (B056)")
    func conflict() async throws {
        let world = try await World(options: { $0.resource = "doorward" })
        try await world.online()
        await world.server.sendStreamError("conflict", to: .bot)
        try await world.online()
        let binds = world.server.received.all.compactMap { $0.element.first("bind", Namespace.bind) }
        #expect(binds.map { $0.first("resource", Namespace.bind)?.text } == ["doorward", nil])
        await world.server.sendStreamError("conflict", to: .bot)
        #expect(await error { try await world.running.value }?.condition == "conflict")
    }
}
