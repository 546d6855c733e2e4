import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// A whole service in memory: a scripted server, a store, and time that moves by hand, all on one event loop.
final class World: Sendable {
    let time = ManualTime()
    let loop: EventLoop
    let server: ScriptedServer
    let store: Store
    let events = EventRecorder<RuntimeEvent>()
    /// What the next reload reads.
    let files: Locked<LoadResult>
    /// Called with each event before it is recorded, on the thread where it happens.
    let hook = Locked<(@Sendable (RuntimeEvent) -> Void)?>(nil)
    let passwords = Locked<[String: String]>([:])
    let service: Service
    private let running: Task<Void, Never>
    private let otherLoops: [EventLoop]

    /// Starts it.
    ///
    /// The accounts are added to the server with the password `secret`.
    init(
        _ accounts: [AccountConfiguration] = [.of("bot@example.org")], policy: Policy = .of([]),
        connector: (@Sendable (any Connector) -> any Connector)? = nil, loops count: Int = 1,
        before: (ScriptedServer) async -> Void = { _ in }
    ) async throws {
        let loop = try EventLoop(name: "test", time: time)
        loop.start()
        self.loop = loop
        let time = time
        otherLoops = try (1..<count).map { try EventLoop(name: "test-\($0)", time: time) }
        for loop in otherLoops { loop.start() }
        server = ScriptedServer(on: loop)
        store = try Store(path: ":memory:")
        let configuration = Configuration.of(accounts, [policy])
        let files = Locked(LoadResult(configuration: configuration, faults: []))
        self.files = files
        for account in accounts { await server.add(account.jid, password: "secret") }
        await before(server)
        let (events, hook, passwords) = (events, hook, passwords)
        var parts = Service.Parts(
            loops: [loop] + otherLoops, connector: connector?(server.connector) ?? server.connector, version: "test",
            load: { files.withLock { $0 } },
            events: { event in
                hook.withLock { $0 }?(event)
                events.record(event)
            })
        parts.readSecret = { source in
            guard case .environment(let name) = source else { throw Missing() }
            return Array((passwords.withLock { $0[name] } ?? "secret").utf8)
        }
        let service = Service(configuration: configuration, store: store, parts: parts)
        self.service = service
        running = Task { await service.run() }
    }

    struct Missing: Error {}

    func stop() async {
        await service.stop()
        // Whoever waits for a farewell that never comes.
        await loop.settle()
        time.advance(by: .seconds(5))
        await running.value
        for loop in otherLoops { loop.stop() }
        loop.stop()
    }

    // MARK: Waiting

    /// Waits until an account is online, counted from when this was last called for it.
    func online(_ jid: BareJID = .bot) async throws {
        _ = try await events.next { $0.isChange(of: jid, to: .online) }
        // By then its initial presence is on its way.
        _ = try await server.events.next { if case .available(jid, _) = $0 { true } else { false } }
    }

    func state(_ state: AccountStatus.State, of jid: BareJID = .bot) async throws -> AccountStatus {
        let event = try await events.next { $0.isChange(of: jid, to: state) }
        guard case .accountChanged(let status) = event else { throw Missing() }
        return status
    }

    /// Returns when what was sent to an account before has been read, recorded and answered, also in several steps.
    func quiet(_ jid: BareJID = .bot) async throws {
        for _ in 0..<4 {
            try await server.barrier(jid)
            _ = try await store.pendingCounts()
            await loop.settle()
        }
    }

    /// Moves time, and returns when the loop has done what was due.
    func pass(_ duration: Duration) async {
        time.advance(by: duration)
        await loop.settle()
        await loop.settle()
    }

    /// Waits until a condition of the store or the service holds, by asking again after each thing that happens.
    func until(_ what: String, _ condition: () async throws -> Bool) async throws {
        let deadline = SystemTime().now + .seconds(60)
        while try await !condition() {
            guard SystemTime().now < deadline else {
                Issue.record("never: \(what)")
                throw Missing()
            }
            await loop.settle()
            await Task.yield()
        }
    }

    // MARK: Looking

    func sent(_ type: String, to contact: String) -> Int {
        server.received.all.count { $0.isPresence(type, to: contact) }
    }

    /// Every presence that was sent to somebody.
    var presences: [String] {
        server.received.all.compactMap { received in
            guard received.element.name == "presence", let to = received.element[attribute: "to"] else { return nil }
            return "\(received.element[attribute: "type"] ?? "available") \(to)"
        }
    }

    var connects: Int {
        server.events.all.count { if case .connected = $0 { true } else { false } }
    }

    func pending(_ jid: BareJID = .bot, all: Bool = false) async throws -> [RequestRow] {
        try await store.pending(all: all, account: jid)
    }

    func history(_ jid: BareJID = .bot) async throws -> [HistoryRow] {
        try await store.history(limit: 10_000, before: nil, account: jid)
    }

    /// What the next reload reads.
    func write(_ accounts: [AccountConfiguration], _ policies: [Policy]) {
        files.withLock { $0 = LoadResult(configuration: .of(accounts, policies), faults: []) }
    }
}

/// Runs a test in a world, which is stopped at the end however it goes.
func inWorld(
    _ accounts: [AccountConfiguration] = [.of("bot@example.org")], policy: Policy = .of([]),
    connector: (@Sendable (any Connector) -> any Connector)? = nil, loops count: Int = 1,
    before: (ScriptedServer) async -> Void = { _ in },
    _ body: (World) async throws -> Void
) async throws {
    let world = try await World(accounts, policy: policy, connector: connector, loops: count, before: before)
    do {
        try await body(world)
    } catch {
        await world.stop()
        throw error
    }
    await world.stop()
}
