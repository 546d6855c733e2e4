import Testing
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPSession
import XMPPTestKit
import XMPPTransport

/// Logins that were recorded, played again byte for byte: cut at every offset, and read in pieces of every size.
@Suite struct RecordedLoginTests {
    /// A login to be recorded.
    struct Login: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var behaviour: ServerBehaviour
        /// Whether a first login gives a token, and the recorded one uses it.
        var usesToken = false

        static let all = [
            Login(testDescription: "SCRAM behind STARTTLS", behaviour: ServerBehaviour())
        ]
    }

    /// A recording, and the settings of a client that says the same again.
    private struct Recording {
        var pieces: [ConversationRecorder.Piece]
        var settings: ClientSettings
        /// How much the server has said when the session is established, in bytes.
        var establishedAfter: Int
    }

    private static func settings() async throws -> ClientSettings {
        let trust = try await BlockingPool.run { try TLSContext.client(caFile: nil) }
        var settings = ClientSettings(
            account: .bot, password: Secret("secret"), resource: "doorward", address: .domain("example.org"),
            trust: trust)
        settings.random = { (0..<$0).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) } }
        return settings
    }

    private static func record(_ login: Login, on loop: EventLoop) async throws -> Recording {
        let server = ScriptedServer(on: loop)
        await server.add(.bot, password: "secret")
        await server.behave { $0 = login.behaviour }
        let recorder = ConversationRecorder()
        await server.record(with: recorder)
        let settings = try await settings()
        let run = try await Run(settings, server.connector, on: loop)
        try await run.established()
        let said = recorder.pieces.filter { $0.side == .server }.reduce(0) { $0 + $1.bytes.count }
        await run.finish()
        // The closing is not part of it.
        let pieces = recorder.pieces.filter { !String(decoding: $0.bytes, as: UTF8.self).contains("</stream:stream>") }
        return Recording(pieces: pieces, settings: settings, establishedAfter: said)
    }

    @Test("read in pieces of any size, a recorded login is the same login", arguments: Login.all, [1, 2, 3, 7, 64])
    func pieces(login: Login, size: Int) async throws {
        let loop = try EventLoop(name: "recorded-login", time: ManualTime())
        loop.start()
        let recording = try await Self.record(login, on: loop)
        let server = RecordedServer(recording.pieces, pieceSize: size)
        let run = try await Run(recording.settings, server.connector, on: loop)
        try await run.established()
        #expect(server.differences.all.isEmpty)
        await run.finish()
        loop.stop()
    }

    @Test(
        "cut after any byte, a recorded login ends without a session and is tried again",
        arguments: Login.all, [RecordedServer.Cut.Ending.endOfStream, .reset])
    func cuts(login: Login, ending: RecordedServer.Cut.Ending) async throws {
        let loop = try EventLoop(name: "recorded-login", time: ManualTime())
        loop.start()
        let recording = try await Self.record(login, on: loop)
        let server = RecordedServer(recording.pieces)
        #expect(server.length >= recording.establishedAfter)
        for offset in 0...recording.establishedAfter {
            server.cut(.init(after: offset, ending))
            let run = try await Run(recording.settings, server.connector, on: loop)
            let end = await run.end
            let wasEstablished = run.events.all.contains { if case .established = $0 { true } else { false } }
            #expect(wasEstablished == (offset == recording.establishedAfter), "at byte \(offset)")
            switch end.cause {
            case .lost, .unreachable: break
            case .session(let error):
                #expect(error.retry == .retry, "at byte \(offset): \(error)")
            case .stopped, .unusable, .abandoned:
                Issue.record("at byte \(offset): \(end)")
            }
        }
        #expect(server.differences.all.isEmpty)
        loop.stop()
    }

    @Test("a server that falls silent after any byte is given up in time", arguments: Login.all)
    func silence(login: Login) async throws {
        let time = ManualTime()
        let loop = try EventLoop(name: "recorded-login", time: time)
        loop.start()
        let recording = try await Self.record(login, on: loop)
        let server = RecordedServer(recording.pieces)
        // Every offset costs as much as a login: one of each kind of place is enough, and the cuts do the rest.
        for offset in stride(from: 0, to: recording.establishedAfter, by: 53) {
            server.cut(.init(after: offset, .silence))
            let run = try await Run(recording.settings, server.connector, on: loop)
            let end = Task { await run.end }
            while !run.isOver {
                time.advance(by: .seconds(11))
                await loop.settle()
            }
            let cause = await end.value.cause
            if case .unreachable = cause {} else { Issue.record("at byte \(offset): \(cause)") }
        }
        loop.stop()
    }
}

/// One connection on a loop that others use too.
private final class Run: Sendable {
    let events = EventRecorder<ClientEvent>()
    private let loop: EventLoop
    private let connection: ClientConnection
    private let running: Task<SessionEnd, Never>
    private let over = Locked(false)

    init(_ settings: ClientSettings, _ connector: any Connector, on loop: EventLoop) async throws {
        self.loop = loop
        let events = events
        let connection = ClientConnection(settings: settings, connector: connector, loop: loop) { event in
            events.record(event)
        }
        self.connection = connection
        let over = over
        running = Task {
            let end = await connection.run()
            over.withLock { $0 = true }
            return end
        }
    }

    var end: SessionEnd { get async { await running.value } }
    var isOver: Bool { over.withLock { $0 } }

    func established() async throws {
        _ = try await events.next { if case .established = $0 { true } else { false } }
    }

    func finish() async {
        let connection = connection
        loop.execute { connection.abandon("the test is over") }
        _ = await running.value
    }
}
