import Testing
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPTestKit
import XMPPTransport

extension BareJID {
    static let bot = BareJID(preparedLocal: "bot", preparedDomain: "example.org")
}

/// The system's authorities, read once: that takes longer than a login, and in memory nobody shows a certificate.
let systemTrust = Result { try TLSContext.client(caFile: nil) }

/// One connection to a scripted server, on the server's loop, with time that moves by hand.
final class TestedConnection: Sendable {
    /// Gets each event too, on the loop, and may act on it as an owner would.
    typealias Owner = @Sendable (ClientEvent, ClientConnection) -> Void

    let time: ManualTime
    let loop: EventLoop
    let server: ScriptedServer
    let events = EventRecorder<ClientEvent>()
    let said = ConversationRecorder()
    let connection: ClientConnection
    private let ownsLoop: Bool
    private let isolation: Isolation
    private let running: Task<SessionEnd, Never>

    /// An actor on the loop, as accounts are.
    private actor Isolation {
        let loop: EventLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(_ loop: EventLoop) { self.loop = loop }

        func run(_ connection: ClientConnection) async -> SessionEnd { await connection.run() }
        func perform<Result: Sendable>(_ body: @Sendable () -> Result) -> Result { body() }
    }

    /// A new server, with an account of the password `secret`.
    convenience init(
        password: String = "secret", resource: String? = "doorward",
        settings change: (inout ClientSettings) -> Void = { _ in }, connector: (any Connector)? = nil,
        before: (ScriptedServer) async -> Void = { _ in }, owner: @escaping Owner = { _, _ in }
    ) async throws {
        let time = ManualTime()
        let loop = try EventLoop(name: "client-test", time: time)
        loop.start()
        let server = ScriptedServer(on: loop)
        await server.add(.bot, password: "secret")
        await before(server)
        try await self.init(
            on: loop, time, server, ownsLoop: true, password: password, resource: resource, settings: change,
            connector: connector, owner: owner)
    }

    private init(
        on loop: EventLoop, _ time: ManualTime, _ server: ScriptedServer, ownsLoop: Bool, password: String,
        resource: String?, settings change: (inout ClientSettings) -> Void, connector: (any Connector)?,
        owner: @escaping Owner
    ) async throws {
        (self.loop, self.time, self.server, self.ownsLoop) = (loop, time, server, ownsLoop)
        await server.record(with: said)
        let trust = try await BlockingPool.run { try systemTrust.get() }
        var settings = ClientSettings(
            account: .bot, password: Secret(password), resource: resource, address: .domain("example.org"),
            trust: trust)
        settings.keys = SCRAMKeyCache()
        change(&settings)
        let events = events
        // Weak: the connection holds the closure.
        let itself = WeakConnection()
        let connection = ClientConnection(settings: settings, connector: connector ?? server.connector, loop: loop) {
            event in
            events.record(event)
            if let connection = itself.value.withLock({ $0.connection }) { owner(event, connection) }
        }
        itself.value.withLock { $0.connection = connection }
        self.connection = connection
        let isolation = Isolation(loop)
        self.isolation = isolation
        running = Task { await isolation.run(connection) }
    }

    /// Another connection to the same server.
    func another(
        settings change: (inout ClientSettings) -> Void = { _ in }, connector: (any Connector)? = nil,
        owner: @escaping Owner = { _, _ in }
    ) async throws -> TestedConnection {
        try await TestedConnection(
            on: loop, time, server, ownsLoop: false, password: "secret", resource: "doorward", settings: change,
            connector: connector, owner: owner)
    }

    /// How it ended.
    var end: SessionEnd { get async { await running.value } }

    func established() async throws {
        _ = try await events.next { if case .established = $0 { true } else { false } }
    }

    func onLoop<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await isolation.perform(body)
    }

    @discardableResult
    func send(_ stanzas: Element...) async -> UInt32? {
        let connection = connection
        return await onLoop { connection.send(stanzas) }
    }

    func pass(_ duration: Duration) async {
        time.advance(by: duration)
        await settle()
    }

    func settle() async {
        for _ in 0..<3 { await loop.settle() }
    }

    /// What the client has written, one text a write.
    var writes: [String] {
        said.pieces.filter { $0.side == .client }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// Ends the connection, if it has not, and the loop.
    func finish() async {
        let connection = connection
        await onLoop { connection.abandon("the test is over") }
        _ = await running.value
        if ownsLoop { loop.stop() }
    }
}

/// A connection that is held elsewhere.
private final class WeakConnection: Sendable {
    struct Reference {
        weak var connection: ClientConnection?
    }

    let value = Locked(Reference())
}

/// Runs a test with a connection, which is ended however the test goes.
func withClient(
    password: String = "secret", resource: String? = "doorward",
    settings change: (inout ClientSettings) -> Void = { _ in }, connector: (any Connector)? = nil,
    before: (ScriptedServer) async -> Void = { _ in }, owner: @escaping TestedConnection.Owner = { _, _ in },
    _ body: (TestedConnection) async throws -> Void
) async throws {
    let client = try await TestedConnection(
        password: password, resource: resource, settings: change, connector: connector, before: before, owner: owner)
    do {
        try await body(client)
    } catch {
        await client.finish()
        throw error
    }
    await client.finish()
}
