import Testing
import XMPPCore
import XMPPSession
import XMPPTestKit
import XMPPTransport

@testable import XMPPClient

/// What is taken is sent: nothing is lost without an error.
@Suite struct ClientSendingTests {
    /// How a connection ends.
    enum Ending: CaseIterable {
        case brokenLink, endOfTCP, closedStream, streamError, malformedStream, stop, resumableStop

        func happen(to world: LivingClient) async {
            switch self {
            case .brokenLink: await world.server.dropLink(of: .bot)
            case .endOfTCP: await world.server.endConnection(of: .bot)
            case .closedStream: await world.server.closeStream(of: .bot)
            case .streamError: await world.server.sendStreamError("system-shutdown", to: .bot)
            case .malformedStream: await world.server.send("<a></b>", to: .bot)
            case .stop: await world.client.stop()
            case .resumableStop: await world.client.stop(resumable: true)
            }
        }
    }

    private static let message = Message(to: JID(preparedAnn), body: "x")
    private static let preparedAnn = BareJID(preparedLocal: "ann", preparedDomain: "example.org")

    @Test(
        "between the end of a link and the next one nothing is taken, however it ended", arguments: Ending.allCases,
        [true, false])
    func betweenLinks(ending: Ending, isModern: Bool) async throws {
        let world = try await LivingClient(
            isModern ? .modern : ServerBehaviour(),
            options: { $0.backoff = Backoff(base: .seconds(1000), cap: .seconds(1000)) })
        try await world.available()
        let (sent, asked) = (EventRecorder<ClientError?>(), EventRecorder<ClientError?>())
        let client = world.client
        // In the very turn of the loop in which the link ended: `run()` has not heard of it.
        world.notes.act.withLock {
            $0 = { event in
                guard event.kind == .ended else { return }
                client.assumeIsolated { $0.sayAtOnce(Self.message, sent, asked) }
            }
        }
        await ending.happen(to: world)
        #expect(try await sent.next { _ in true }?.code == .offline)
        #expect(try await asked.next { _ in true }?.code == .offline)
        // As long as it takes to close the channel, and in the pause.
        #expect(await clientError { try await client.send(Self.message) }?.code == .offline)
        try await world.finish()
        #expect(!world.server.received.all.contains { $0.element.name == "message" })
    }

    @Test("from a stop on nothing is taken, also while the server does not answer", arguments: [true, false])
    func behindStop(isResumable: Bool) async throws {
        var behaviour = ServerBehaviour.modern
        behaviour.answersClosing = false
        let world = try await LivingClient(behaviour)
        try await world.available()
        let (sent, asked) = (EventRecorder<ClientError?>(), EventRecorder<ClientError?>())
        await world.client.stopAndSay(isResumable, Self.message, sent, asked)
        #expect(try await sent.next { _ in true }?.code == .offline)
        #expect(try await asked.next { _ in true }?.code == .offline)
        try await world.finish()
    }

    @Test("behind a stream's error nothing is taken while a server holds the connection open")
    func slowClose() async throws {
        var behaviour = ServerBehaviour.modern
        behaviour.answersClosing = false
        let (server, authority) = (try ScriptedServer(), try TestAuthority())
        let port = try await server.listen(with: try authority.certificate(for: "example.org"))
        let world = try await LivingClient(
            behaviour, server: server,
            options: {
                $0.transport = .network
                $0.server = .init(host: "127.0.0.1", port: port)
                $0.authorities = authority.caFile
                $0.backoff = Backoff(base: .seconds(1000), cap: .seconds(1000))
            })
        try await world.available()
        await world.server.send(
            "<stream:error><system-shutdown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>", to: .bot)
        _ = try await world.notes.kinds.next { $0 == .ended }
        #expect(await clientError { try await world.client.send(Self.message) }?.code == .offline)
        await server.stopListening()
        try await world.finish()
    }

    @Test("what was taken arrives, whenever the link breaks, where the session goes on")
    func nothingLost() async throws {
        let world = try await LivingClient()
        try await world.available()
        var taken: [String] = []
        for round in 0..<20 {
            await world.server.dropLink(of: .bot)
            for number in 0..<30 {
                let body = "\(round)-\(number)"
                let error = await clientError {
                    try await world.client.send(Message(to: JID(Self.preparedAnn), body: body))
                }
                if let error { #expect(error.code == .offline) } else { taken.append(body) }
            }
            try await world.resumed()
        }
        let arrived = world.server.received.all.compactMap { $0.element.first("body", Namespace.client)?.text }
        #expect(Set(taken).subtracting(arrived).isEmpty)
        try await world.finish()
    }

    @Test("a request waits as long as it is told, and a minute where nothing is said")
    func timeout() async throws {
        let time = ManualTime()
        let world = try await LivingClient(time: time)
        let client = world.client
        try await world.available()
        #expect(Client.requestTimeout == ClientSettings.Timeouts().request && Client.requestTimeout == .seconds(60))
        await world.server.react { $0.isIQ("get", "q", "urn:example:q") ? .nothing : .usual }
        let asking = Task {
            try await client.request(.get, Element("q", namespace: "urn:example:q"), timeout: .seconds(5))
        }
        _ = try await world.server.received.next { $0.isIQ("get", "q", "urn:example:q") }
        time.advance(by: .milliseconds(4999))
        try await world.server.barrier(.bot)
        #expect(await client.connection?.requests?.isEmpty == false)
        time.advance(by: .milliseconds(1))
        #expect(await clientError { _ = try await asking.value }?.code == .noReply)
        try await world.finish()
    }

    @Test("a request whose task is cancelled ends at once, and a late answer changes nothing")
    func cancelled() async throws {
        let world = try await LivingClient(time: ManualTime())
        try await world.available()
        await world.server.react { $0.isIQ("get", "q", "urn:example:q") ? .nothing : .usual }
        let asking = Task { try await world.client.request(.get, Element("q", namespace: "urn:example:q")) }
        let asked = try await world.server.received.next { $0.isIQ("get", "q", "urn:example:q") }
        asking.cancel()
        #expect(await clientError { _ = try await asking.value }?.code == .cancelled)
        #expect(await world.client.connection?.requests?.isEmpty == true)
        // One that is cancelled before it is sent is not sent.
        let never = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await world.client.request(.get, Element("never", namespace: "urn:example:q"))
        }
        #expect(await clientError { try await never.value }?.code == .cancelled)
        await world.server.send("<iq type='result' id='\(asked.element[attribute: "id"] ?? "")'/>", to: .bot)
        try await world.server.barrier(.bot)
        #expect(!world.server.received.all.contains { $0.element.elements.first?.name == "never" })
        try await world.finish()
    }
}

extension Client {
    /// Within one turn of the loop, as far as it goes.
    fileprivate func sayAtOnce(
        _ message: Message, _ sent: EventRecorder<ClientError?>, _ asked: EventRecorder<ClientError?>
    ) {
        do {
            try send(message)
            sent.record(nil)
        } catch {
            sent.record(error)
        }
        Task.immediate {
            do throws(ClientError) {
                try await self.request(.get, Element("q", namespace: "urn:example:q"))
                asked.record(nil)
            } catch {
                asked.record(error)
            }
        }
    }

    fileprivate func stopAndSay(
        _ isResumable: Bool, _ message: Message, _ sent: EventRecorder<ClientError?>,
        _ asked: EventRecorder<ClientError?>
    ) {
        stop(resumable: isResumable)
        sayAtOnce(message, sent, asked)
    }
}
