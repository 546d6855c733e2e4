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
        /// Whether a session of before is resumed.
        var resumes = false

        static let all: [Login] = [
            Login(testDescription: "SCRAM", behaviour: ServerBehaviour()),
            Login(testDescription: "SCRAM with channel binding", behaviour: sasl),
            Login(testDescription: "SCRAM, and a session goes on", behaviour: sasl, resumes: true),
            Login(testDescription: "SASL2 and Bind2", behaviour: .modern),
            Login(testDescription: "SASL2, and a session goes on", behaviour: .modern, resumes: true),
            Login(testDescription: "FAST", behaviour: .modern, usesToken: true),
            Login(testDescription: "FAST, and a session goes on", behaviour: .modern, usesToken: true, resumes: true),
        ]

        private static var sasl: ServerBehaviour {
            var behaviour = ServerBehaviour.modern
            behaviour.sasl2 = nil
            return behaviour
        }
    }

    /// A recording, and the settings of a client that says the same again.
    private struct Recording {
        var pieces: [ConversationRecorder.Piece]
        var settings: ClientSettings
        /// How much the server has said when there is a session, in bytes.
        var onlineAfter: Int

        /// How much it says before TLS.
        var inClear: Int {
            var count = 0
            for piece in pieces where piece.side == .server {
                count += piece.bytes.count
                if String(decoding: piece.bytes, as: UTF8.self).contains("<proceed") { break }
            }
            return count
        }

        var server: RecordedServer { RecordedServer(pieces, connection: pieces.first?.connection ?? 1) }
    }

    private static func settings() async throws -> ClientSettings {
        let trust = try await BlockingPool.run { try systemTrust.get() }
        var settings = ClientSettings(
            account: .bot, password: Secret("secret"), resource: "doorward", address: .domain("example.org"),
            trust: trust)
        settings.userAgent = UserAgent(id: "d4565fa7-4d72-4749-b3d3-740edbf87770")
        settings.random = { (0..<$0).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) } }
        return settings
    }

    private static func record(_ login: Login, on loop: EventLoop) async throws -> Recording {
        let server = ScriptedServer(on: loop)
        await server.add(.bot, password: "secret")
        await server.behave { $0 = login.behaviour }
        var settings = try await settings()
        if login.usesToken {
            let first = try await Run(settings, server.connector, on: loop)
            settings.token = try await first.online()?.token
            #expect(settings.token != nil)
            await first.finish()
        }
        if login.resumes {
            let jid = try JID("bot@example.org/doorward")
            await server.keepSession("before", of: jid, inbound: 7, acknowledged: 3)
            settings.resumption = ResumableSession(
                jid: jid, id: "before", inbound: 3, outbound: 7, acknowledged: 5,
                unacknowledged: [Array("<message id='6'/>".utf8), Array("<message id='7'/>".utf8)],
                features: Element("features", namespace: Namespace.streams))
        }
        let recorder = ConversationRecorder()
        await server.record(with: recorder)
        let run = try await Run(settings, server.connector, on: loop)
        _ = try await run.online()
        await run.finish()
        // The closing is not part of it.
        var pieces = recorder.pieces
        while let last = pieces.last {
            if last.side == .server, !String(decoding: last.bytes, as: UTF8.self).hasPrefix("</stream:stream>") {
                break
            }
            pieces.removeLast()
        }
        let said = pieces.filter { $0.side == .server }.map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
        let last = login.behaviour.sasl2 != nil ? "</success>" : login.resumes ? "<resumed" : "</bind></iq>"
        let end = try #require(said.firstRange(of: last))
        let tagEnd = try #require(said[said.index(before: end.upperBound)...].firstIndex(of: ">"))
        return Recording(
            pieces: pieces, settings: settings, onlineAfter: said.utf8.distance(from: said.startIndex, to: tagEnd) + 1)
    }

    @Test("read in pieces of any size, a recorded login is the same login", arguments: Login.all, [1, 2, 3, 7, 64])
    func pieces(login: Login, size: Int) async throws {
        try await withLoop { loop, _ in
            let recording = try await Self.record(login, on: loop)
            let connection = recording.pieces.first?.connection ?? 1
            let server = RecordedServer(recording.pieces, connection: connection, pieceSize: size)
            let run = try await Run(recording.settings, server.connector, on: loop)
            _ = try await run.online()
            #expect(server.differences.all.isEmpty)
            await run.finish()
        }
    }

    @Test(
        "cut after any byte, a recorded login ends without a session and is tried again",
        arguments: Login.all, [RecordedServer.Cut.Ending.endOfStream, .reset])
    func cuts(login: Login, ending: RecordedServer.Cut.Ending) async throws {
        try await withLoop { loop, _ in
            let recording = try await Self.record(login, on: loop)
            let server = recording.server
            for offset in 0...server.length {
                server.cut(.init(after: offset, ending))
                let run = try await Run(recording.settings, server.connector, on: loop)
                let end = await run.end
                #expect(run.wasOnline == (offset >= recording.onlineAfter), "at byte \(offset)")
                // A session that was to go on still can, unless it may have been the asking that broke the link.
                if login.resumes, offset < recording.inClear || run.wasOnline {
                    #expect(end.resumable?.id == "before", "at byte \(offset)")
                }
                switch end.cause {
                case .lost, .unreachable, .notOffered: break
                case .session(let error): #expect(error.retry == .retry, "at byte \(offset): \(error)")
                case .stopped, .unusable, .abandoned: Issue.record("at byte \(offset): \(end)")
                }
            }
            #expect(server.differences.all.isEmpty)
        }
    }

    @Test("a server that falls silent after any byte is given up in time", arguments: Login.all)
    func silence(login: Login) async throws {
        try await withLoop { loop, time in
            let recording = try await Self.record(login, on: loop)
            let server = recording.server
            // Every offset costs as much as a login: one of each kind of place is enough, and the cuts do the rest.
            for offset in stride(from: 0, to: recording.onlineAfter, by: 53) {
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
        }
    }

    private func withLoop(_ body: (EventLoop, ManualTime) async throws -> Void) async throws {
        let time = ManualTime()
        let loop = try EventLoop(name: "recorded-login", time: time)
        loop.start()
        defer { loop.stop() }
        try await body(loop, time)
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

    /// Waits for the session.
    ///
    /// - Returns: It, unless one of before goes on.
    func online() async throws -> EstablishedSession? {
        let event = try await events.next(where: Self.isOnline)
        return if case .established(let session) = event { session } else { nil }
    }

    var wasOnline: Bool { events.all.contains(where: Self.isOnline) }

    private static func isOnline(_ event: ClientEvent) -> Bool {
        switch event {
        case .established, .resumed: true
        case .progressed, .received, .overLimits, .nameless, .readEnded, .acknowledged, .tokenExpired: false
        }
    }

    func finish() async {
        let connection = connection
        loop.execute { connection.abandon("the test is over") }
        _ = await running.value
    }
}
