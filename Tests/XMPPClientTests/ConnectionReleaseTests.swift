import Dispatch
import Testing
import XMPPCore
import XMPPCrypto
import XMPPTestKit
import XMPPTransport

@testable import XMPPClient

/// What is over is let go of: a service makes a connection at each try, for years.
@Suite struct ConnectionReleaseTests {
    private final class Watched {
        weak var connection: ClientConnection?
        weak var loop: EventLoop?
    }

    @Test(
        "a connection that has ended is held by nobody, however it ended",
        .timeLimit(.minutes(1)), arguments: ["stop", "drop", "abandon", "link"])
    func connection(end: String) async throws {
        let watched = Watched()
        try await withClient { client in
            watched.connection = client.connection
            watched.loop = client.loop
            try await client.established()
            let connection = client.connection
            switch end {
            case "stop": _ = await client.onLoop { connection.stop() }
            case "drop": _ = await client.onLoop { connection.drop() }
            case "abandon": _ = await client.onLoop { connection.abandon("enough") }
            case _: await client.server.dropLink(of: .bot)
            }
            _ = await client.end
            await client.settle()
        }
        // The loop's thread lets go of itself last.
        while watched.connection != nil || watched.loop != nil, !Task.isCancelled { await Task.yield() }
        #expect(watched.connection == nil)
        #expect(watched.loop == nil)
    }

    @Test("one that is told to end before it has begun ends at once", arguments: ["stop", "drop", "abandon"])
    func endedBeforeItBegan(end: String) async throws {
        let server = try ScriptedServer()
        defer { server.stop() }
        let settings = ClientSettings(
            account: .bot, password: Secret("secret"), resource: nil, address: .host("example.org", port: 5222),
            trust: try TLSContext.client(caFile: nil))
        let connection = ClientConnection(settings: settings, connector: server.connector, loop: server.loop) { _ in }
        server.loop.execute {
            switch end {
            case "stop": connection.stop()
            case "drop": connection.drop()
            case _: connection.abandon("enough")
            }
        }
        let over = await connection.run()
        switch (end, over.cause) {
        case ("abandon", .abandoned), ("stop", .stopped), ("drop", .stopped): break
        case _: Issue.record("\(end): \(over)")
        }
    }

    @Test("one whose owner gives up when it is told of the first step makes no channel")
    func endedAtTheFirstStep() async throws {
        let server = try ScriptedServer()
        defer { server.stop() }
        let settings = ClientSettings(
            account: .bot, password: Secret("secret"), resource: nil, address: .host("example.org", port: 5222),
            trust: try TLSContext.client(caFile: nil))
        let own = Locked<ClientConnection?>(nil)
        let connection = ClientConnection(settings: settings, connector: server.connector, loop: server.loop) { event in
            if case .progressed(.connecting) = event { own.withLock { $0 }?.abandon("enough") }
        }
        own.withLock { $0 = connection }
        let over = await connection.run()
        if case .abandoned = over.cause {} else { Issue.record("\(over)") }
        #expect(connection.channel == nil)
        #expect(server.events.all.isEmpty)
        own.withLock { $0 = nil }
    }

    /// Keeps what it is told of, as the documentation allows.
    private final class Keeper: SessionModule {
        let namespaces: [String] = []
        var session: ModuleSession?

        func began(_ session: ModuleSession) { self.session = session }
    }

    @Test("a client whose modules keep their session is held by nobody once it has ended", .timeLimit(.minutes(1)))
    func clientOfKeepers() async throws {
        final class Watch { weak var client: Client? }
        let watch = Watch()
        let server = try ScriptedServer()
        defer { server.stop() }
        await server.add(.bot, password: "secret")
        func live() async throws {
            var options = Client.Options()
            options.transport = server.transport()
            options.modules = { [Keeper()] }
            let client = try Client(account: .bot, password: "secret", options: options)
            watch.client = client
            let running = Task { try await client.run() }
            try await client.online()
            #expect(await client.withModule(Keeper.self) { $0.session != nil } == true)
            await client.stop()
            try await running.value
        }
        try await live()
        while watch.client != nil, !Task.isCancelled { await Task.yield() }
        #expect(watch.client == nil)
    }

    @Test(
        "a stop while certificates are read again ends the client: it makes no further connection",
        .timeLimit(.minutes(1)))
    func stoppedWhileReading() async throws {
        let gate = DispatchSemaphore(value: 0)
        var behaviour = ServerBehaviour()
        behaviour.interruption = .init(at: .binding, streamError: "internal-server-error")
        let world = try await LivingClient(behaviour)
        world.notes.act.withLock {
            $0 = { event in
                guard case .ended = event.kind else { return }
                // As many as the pool does at a time, before the client comes to it.
                for _ in 0..<4 { Task.immediate { try? await BlockingPool.run { gate.wait() } } }
            }
        }
        _ = try await world.notes.kinds.next { if case .ended = $0 { true } else { false } }
        for _ in 0..<10_000 { await Task.yield() }
        await world.client.stop()
        for _ in 0..<4 { gate.signal() }
        try await world.running.value
        #expect(world.server.events.all.count { if case .connected = $0 { true } else { false } } == 1)
        try await world.finish()
    }
}
