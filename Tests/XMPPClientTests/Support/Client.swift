import Testing
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPTestKit
import XMPPTransport

extension BareJID {
    static let bot = BareJID(preparedLocal: "bot", preparedDomain: "example.org")
}

/// One connection to a scripted server, on the server's loop, with time that moves by hand.
final class TestedConnection: Sendable {
    let time = ManualTime()
    let loop: EventLoop
    let server: ScriptedServer
    let events = EventRecorder<ClientEvent>()
    let connection: ClientConnection
    private let owner: Owner
    private let running: Task<SessionEnd, Never>

    /// An actor on the loop, as accounts are.
    private actor Owner {
        let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(_ loop: EventLoop) { self.loop = loop }

        func run(_ connection: ClientConnection) async -> SessionEnd { await connection.run() }
        func perform(_ body: @Sendable () -> Void) { body() }
    }

    init(
        password: String = "secret", resource: String? = "doorward",
        before: (ScriptedServer) async -> Void = { _ in }
    ) async throws {
        loop = try EventLoop(name: "client-test", time: time)
        loop.start()
        server = ScriptedServer(on: loop)
        await server.add(.bot, password: "secret")
        await before(server)
        let trust = try await BlockingPool.run { try TLSContext.client(caFile: nil) }
        let settings = ClientSettings(
            account: .bot, password: Secret(password), resource: resource, address: .domain("example.org"),
            trust: trust)
        let events = events
        let connection = ClientConnection(settings: settings, connector: server.connector, loop: loop) { event in
            events.record(event)
        }
        self.connection = connection
        let owner = Owner(loop)
        self.owner = owner
        running = Task { await owner.run(connection) }
    }

    /// How it ended.
    var end: SessionEnd { get async { await running.value } }

    func established() async throws {
        _ = try await events.next { if case .established = $0 { true } else { false } }
    }

    func onLoop(_ body: @escaping @Sendable () -> Void) async { await owner.perform(body) }

    func pass(_ duration: Duration) async {
        time.advance(by: duration)
        await loop.settle()
        await loop.settle()
    }

    /// Ends the connection, if it has not, and the loop.
    func finish() async {
        let connection = connection
        await onLoop { connection.abandon("the test is over") }
        _ = await running.value
        loop.stop()
    }
}

/// Runs a test with a connection, which is ended however the test goes.
func withClient(
    password: String = "secret", resource: String? = "doorward", before: (ScriptedServer) async -> Void = { _ in },
    _ body: (TestedConnection) async throws -> Void
) async throws {
    let client = try await TestedConnection(password: password, resource: resource, before: before)
    do {
        try await body(client)
    } catch {
        await client.finish()
        throw error
    }
    await client.finish()
}
