import DoorwardConfig
import DoorwardConsole
import DoorwardStore
import Foundation
import Testing
import XMPPTransport

/// Over real Unix sockets.
///
/// Blocking clients run on threads of their own, not on the tests' pool.
@Suite("The control server", .serialized)
struct ControlServerTests {
    @Test("answers several requests of one connection in their order")
    func order() async throws {
        try await withServer(FakeService(requests: [Samples.request()])) { path, _ in
            let replies = try await talk(path) { connection in
                let lines = ["status", "pending", "nonsense", "accept", "pending"].enumerated().map { index, command in
                    ControlRequest(
                        id: Int64(index + 1), command: command,
                        arguments: command == "accept" ? .object(["ids": .strings(["17"])]) : .null
                    ).line
                }
                try connection.send(lines.flatMap { $0 })
                return try (1...5).map { _ in try read(connection) }
            }
            #expect(replies.map(\.?.id) == [1, 2, 3, 4, 5])
            #expect(replies.map(\.?.result.status) == [.done, .done, .usage, .done, .done])
            #expect(replies[1]?.result.data.array?.count == 1)
            #expect(replies[4]?.result.data.array?.isEmpty == true)
        }
    }

    @Test(
        "answers garbage in words and goes on",
        arguments: [
            "hello", "", "[]", "{", "\u{0}\u{1}", #"{"v":2,"id":9,"command":"status"}"#,
            #"{"v":1,"id":9,"command":"frobnicate"}"#, "[[[[",
        ])
    func garbage(line: String) async throws {
        // Brackets of a depth that a log need not show.
        let line = line == "[[[[" ? String(repeating: "[", count: 60_000) : line
        try await withServer(FakeService()) { path, _ in
            let replies = try await talk(path) { connection in
                try connection.send(Array((line + "\n").utf8))
                try connection.send(ControlRequest(id: 2, command: "status", arguments: .null).line)
                return try [read(connection), read(connection)]
            }
            #expect(replies[0]?.result.status == .usage)
            #expect(replies[0]?.result.error?.isEmpty == false)
            #expect(replies[1]?.result.status == .done)
        }
    }

    @Test("a request in many pieces is one request, and half a line is none")
    func pieces() async throws {
        try await withServer(FakeService()) { path, _ in
            let reply = try await talk(path) { connection in
                for byte in ControlRequest(id: 3, command: "status", arguments: .null).line {
                    try connection.send([byte])
                }
                let reply = try read(connection)
                try connection.send(Array(#"{"v":1,"#.utf8))
                return reply
            }
            #expect(reply?.id == 3)
        }
    }

    @Test("a request over 64 KiB is told so and its connection ends", arguments: [true, false])
    func oversize(withEnd: Bool) async throws {
        try await withServer(FakeService()) { path, _ in
            let (reply, end) = try await talk(path) { connection in
                try? connection.send(
                    [UInt8](repeating: 0x20, count: ControlRequest.sizeLimit + 1) + (withEnd ? [0x0A] : []))
                return (try read(connection), (try? connection.readLine(limit: 100, timeout: .seconds(20))) ?? nil)
            }
            #expect(reply?.result.error == "a request is at most 131072 bytes long")
            #expect(end == nil)
        }
    }

    @Test("a request of exactly 64 KiB is taken")
    func largest() async throws {
        try await withServer(FakeService()) { path, _ in
            let reply = try await talk(path) { connection in
                let request = Array(#"{"v":1,"id":1,"command":"status"}"#.utf8)
                let blanks = [UInt8](repeating: 0x20, count: ControlRequest.sizeLimit - request.count)
                try connection.send(request + blanks + [0x0A])
                return try read(connection)
            }
            #expect(reply?.result.status == .done)
        }
    }

    @Test("one connection more than the most is told so; when one ends there is room again")
    func connections() async throws {
        try await withServer(FakeService()) { path, server in
            let (surplus, again) = try await onThread {
                var open: [UnixSocketConnection] = []
                for _ in 0..<64 {
                    let connection = try UnixSocketClient.connect(path: path)
                    try connection.send(ControlRequest(id: 1, command: "status", arguments: .null).line)
                    #expect(try read(connection)?.result.status == .done)
                    open.append(connection)
                }
                let surplus = try read(UnixSocketClient.connect(path: path))
                open.removeFirst().close()
                // The server sees the end when its loop does; until then a newcomer is turned away.
                var again: ControlReply?
                for _ in 0..<1000 where again?.result.status != .done {
                    let connection = try UnixSocketClient.connect(path: path)
                    try? connection.send(ControlRequest(id: 1, command: "status", arguments: .null).line)
                    again = try? read(connection)
                }
                for connection in open { connection.close() }
                return (surplus, again)
            }
            #expect(surplus?.result.error == "the service has 64 control connections, its most; try again")
            #expect(again?.result.status == .done)
        }
    }

    @Test("over the most requests that may wait, a connection is told so and ends")
    func flood() async throws {
        let service = SlowService()
        try await withServer(service) { path, _ in
            let errors = try await talk(path) { connection in
                let line = ControlRequest(id: 1, command: "status", arguments: .null).line
                try connection.send((0..<100).flatMap { _ in line })
                return try read(connection)?.result.error
            }
            #expect(errors == "over 64 requests wait; read the answers first")
            await service.release()
        }
    }

    @Test("commands are performed off the loop, which has accounts to serve")
    func offTheLoop() async throws {
        let service = ThreadNamingService()
        try await withServer(service) { path, _ in
            let reply = try await talk(path) { connection in
                try connection.send(ControlRequest(id: 1, command: "pending", arguments: .null).line)
                return try read(connection)
            }
            #expect(reply?.result.status == .done)
            let names = service.names.withLock { $0 }
            #expect(!names.isEmpty && names.isDisjoint(with: ["control\n", "not known"]), "\(names)")
        }
    }

    @Test("an idle connection is closed after a minute, one that asks in time is not")
    func idle() async throws {
        let time = HandTime()
        try await withServer(FakeService(), time: time) { path, _ in
            let ends = try await onThread {
                let connection = try UnixSocketClient.connect(path: path)
                for _ in 0..<3 {
                    try connection.send(ControlRequest(id: 1, command: "status", arguments: .null).line)
                    #expect(try read(connection)?.result.status == .done)
                    time.advance(by: .seconds(59))
                }
                time.advance(by: .seconds(2))
                return try connection.readLine(limit: 100, timeout: .seconds(20))
            }
            #expect(ends == nil)
        }
    }

    @Test("a client that leaves before its answer harms nobody")
    func leaving() async throws {
        let service = SlowService()
        try await withServer(service) { path, _ in
            try await onThread {
                for _ in 0..<8 {
                    let connection = try UnixSocketClient.connect(path: path)
                    try connection.send(ControlRequest(id: 1, command: "status", arguments: .null).line)
                    connection.close()
                }
            }
            await service.release()
            let reply = try await talk(path) { connection in
                try connection.send(ControlRequest(id: 2, command: "status", arguments: .null).line)
                return try read(connection)
            }
            #expect(reply?.id == 2)
        }
    }

    @Test("the socket is closed to others, in a folder that is too, and gone when the server stops")
    func modes() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/sub/c.sock"
            let loop = try EventLoop(name: "control")
            loop.start()
            let service = FakeService()
            let server = ControlServer(loop: loop, model: CommandModel(service: service) { Samples.now }) { [] }
            try await server.start(path: path)
            let files = FileManager.default
            #expect(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o660)
            #expect(try files.attributesOfItem(atPath: folder + "/sub")[.posixPermissions] as? Int == 0o750)
            await server.stop()
            #expect(!files.fileExists(atPath: path))
            loop.stop()
        }
    }

    @Test("root is admin, whoever the service runs as; others need an entry")
    func root() async throws {
        let service = FakeService()
        try await withServer(service, serviceUser: 4_000_000_000) { path, _ in
            let reply = try await talk(path) { connection in
                try connection.send(ControlRequest(id: 1, command: "reload", arguments: .null).line)
                return try read(connection)
            }
            // The tests' own user is either root, so admin, or no operator at all.
            #expect(reply?.result.status == (geteuid() == 0 ? .done : .refused))
        }
    }
}

// MARK: Helpers

/// A service whose answers wait until they are let go.
actor SlowService: ServiceControlForwarding {
    nonisolated let inner = FakeService()
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isReleased = false

    func pause() async {
        guard !isReleased else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func release() {
        isReleased = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

/// A service that notes the names of the threads on which it is asked.
struct ThreadNamingService: ServiceControlForwarding {
    let inner = FakeService()
    let names = Locked<Set<String>>([])

    func pause() async {
        let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        names.withLock { _ = $0.insert(name ?? "not known") }
    }
}

/// Time that a test moves.
final class HandTime: TimeSource {
    private let state = Locked<(now: Duration, wakes: [@Sendable () -> Void])>((.zero, []))

    var now: Duration { state.withLock { $0.now } }
    var wallMilliseconds: Int64 { 0 }
    var isManual: Bool { true }

    func onAdvance(of _: EventLoop, _ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wakes.append(wake) } }

    func advance(by duration: Duration) {
        let wakes = state.withLock { state in
            state.now += duration
            return state.wakes
        }
        for wake in wakes { wake() }
    }
}

func withServer(
    _ service: some ServiceControl, time: any TimeSource = SystemTime(), serviceUser: UInt32 = geteuid(),
    _ body: (String, ControlServer) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let path = folder + "/c.sock"
        let loop = try EventLoop(name: "control", time: time)
        loop.start()
        let server = ControlServer(
            loop: loop, model: CommandModel(service: service) { Samples.now }, serviceUser: serviceUser
        ) { await service.operators() }
        try await server.start(path: path)
        try await body(path, server)
        await server.stop()
        loop.stop()
    }
}

/// Blocking work on a thread of its own, so that the server's tasks keep theirs.
func onThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: work)) }
    }
}

func talk<Result: Sendable>(
    _ path: String, _ work: @escaping @Sendable (UnixSocketConnection) throws -> Result
) async throws -> Result {
    try await onThread { try work(UnixSocketClient.connect(path: path)) }
}

func read(_ connection: UnixSocketConnection) throws -> ControlReply? {
    try connection.readLine(limit: ControlReply.sizeLimit, timeout: .seconds(20)).flatMap { ControlReply(line: $0) }
}
