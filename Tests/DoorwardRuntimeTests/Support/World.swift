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
    let time: ManualTime
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
    /// Whether another one goes on with the loop.
    private let sharesLoop: Bool

    /// Starts it.
    ///
    /// The accounts are added to the server with the password `secret`.
    convenience init(
        _ accounts: [AccountConfiguration] = [.of("bot@example.org")], policy: Policy = .of([]),
        stop: Configuration.StopMode = .close, store: Store? = nil,
        connector: (@Sendable (any Connector) -> any Connector)? = nil, loops count: Int = 1,
        recordsLater: Bool = false, refusalWait: Duration = .zero, before: (ScriptedServer) async -> Void = { _ in }
    ) async throws {
        let time = ManualTime()
        let loop = try EventLoop(name: "test", time: time)
        loop.start()
        let server = ScriptedServer(on: loop)
        for account in accounts { await server.add(account.jid, password: "secret") }
        await before(server)
        try self.init(
            Configuration.of(accounts, [policy], stop: stop), store: store ?? Store(path: ":memory:"), time: time,
            loop: loop, server: server, sharesLoop: false, connector: connector, loops: count,
            recordsLater: recordsLater, refusalWait: refusalWait)
    }

    /// The next process: the same server and time, and a store as the process before has left it.
    convenience init(
        after world: World, _ configuration: Configuration, store: Store, recordsLater: Bool = false
    ) throws {
        try self.init(
            configuration, store: store, time: world.time, loop: world.loop, server: world.server, sharesLoop: true,
            connector: nil, loops: 1, recordsLater: recordsLater)
    }

    private init(
        _ configuration: Configuration, store: Store, time: ManualTime, loop: EventLoop, server: ScriptedServer,
        sharesLoop: Bool, connector: (@Sendable (any Connector) -> any Connector)?, loops count: Int,
        recordsLater: Bool, refusalWait: Duration = .zero
    ) throws {
        self.time = time
        self.loop = loop
        self.server = server
        self.store = store
        self.sharesLoop = sharesLoop
        otherLoops = try (1..<count).map { try EventLoop(name: "test-\($0)", time: time) }
        for loop in otherLoops { loop.start() }
        let files = Locked(LoadResult(configuration: configuration, faults: []))
        self.files = files
        let (events, hook, passwords) = (events, hook, passwords)
        var parts = Service.Parts(
            loops: [loop] + otherLoops, connector: connector?(server.connector) ?? server.connector, version: "test",
            load: { files.withLock { $0 } },
            events: { event in
                hook.withLock { $0 }?(event)
                events.record(event)
            })
        // Most tests look at once.
        parts.recordsLater = recordsLater
        // Time stands still, and so would whoever waits.
        parts.refusalWait = refusalWait
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
        if !sharesLoop { loop.stop() }
    }

    // MARK: Waiting

    /// Returns when the service has ended.
    func ended() async { await running.value }

    /// Waits until an account is online, counted from when this was last called for it; not `isFresh` by a resumption,
    /// which announces nothing.
    func online(_ jid: BareJID = .bot, isFresh: Bool = true) async throws {
        _ = try await events.next { $0.isChange(of: jid, to: .online) }
        guard isFresh else { return try await server.barrier(jid) }
        // By then its initial presence is on its way; the barrier says that it was read and recorded.
        _ = try await server.events.next { if case .available(jid, _) = $0 { true } else { false } }
        try await server.barrier(jid)
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
            // A store in a file has two threads, one that writes and one that reads.
            _ = try await store.savedSession(of: jid)
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
                Issue.record("never: \(what); last: \(events.all.suffix(5)), \(server.events.all.suffix(10))")
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

    /// The elements that an account sent on its latest connection behind the login, pings and their like left out.
    func saidLast(_ jid: BareJID = .bot) -> [String] {
        let all = server.received.all.filter { $0.account == jid }
        return all.filter { $0.connection == all.last?.connection }.map(\.element).compactMap { element in
            guard element[attribute: "id"]?.hasPrefix("barrier-") != true,
                element.first("ping", Namespace.ping) == nil, element.namespace == Namespace.client
            else { return nil }
            // What modules add to a presence for all is none of these tests' business.
            let isPresence = element.name == "presence" && element[attribute: "type"] == nil
            let what = isPresence ? "" : element.elements.first.map { " \($0.name)" } ?? ""
            let to = element[attribute: "to"].map { " \($0)" } ?? ""
            return "\(element.name) \(element[attribute: "type"] ?? "available")\(what)\(to)"
        }
    }

    func resumptions(_ jid: BareJID = .bot) -> Int {
        server.events.all.count { if case .resumed(jid, _) = $0 { true } else { false } }
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
    stop: Configuration.StopMode = .close, store: Store? = nil,
    connector: (@Sendable (any Connector) -> any Connector)? = nil, loops count: Int = 1,
    recordsLater: Bool = false, before: (ScriptedServer) async -> Void = { _ in },
    _ body: (World) async throws -> Void
) async throws {
    let world = try await World(
        accounts, policy: policy, stop: stop, store: store, connector: connector, loops: count,
        recordsLater: recordsLater, before: before)
    do {
        try await body(world)
    } catch {
        await world.stop()
        throw error
    }
    await world.stop()
}
