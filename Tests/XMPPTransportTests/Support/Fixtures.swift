import Foundation
import Testing
import XMPPTransport

/// A loop that runs for a test's length.
func withLoop<T>(_ time: any TimeSource = SystemTime(), _ body: (EventLoop) async throws -> T) async throws -> T {
    let loop = try EventLoop(name: "test", time: time)
    loop.start()
    defer { loop.stop() }
    return try await body(loop)
}

extension EventLoop {
    /// Runs `body` on the loop and hands its result back.
    func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            execute { continuation.resume(with: Result(catching: body)) }
        }
    }
}

/// A folder of mode 0700 that goes with the test.
func withFolder<T>(_ body: (String) async throws -> T) async throws -> T {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

func makeFolder() throws -> String {
    let template = FileManager.default.temporaryDirectory.path + "/transport-XXXXXX"
    var bytes = Array(template.utf8CString)
    try #require(mkdtemp(&bytes) != nil)
    return String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Two connected ends over loopback TCP, with what each of them saw.
struct Wire: Sendable {
    let loop: EventLoop
    let client: any Channel
    let server: any Channel
    let clientEvents: Recorder<ChannelEvent>
    let serverEvents: Recorder<ChannelEvent>

    typealias Script = @Sendable (any Channel, ChannelEvent) -> Void

    static func make(on loop: EventLoop, serving script: @escaping Script = { _, _ in }) async throws -> Wire {
        let clientEvents = Recorder<ChannelEvent>()
        let serverEvents = Recorder<ChannelEvent>()
        let accepted = Recorder<any Channel>()
        let listener = try Listener.tcp(on: loop) { connection in
            accepted.record(connection.channel)
            return { event in
                serverEvents.record(event)
                script(connection.channel, event)
            }
        }
        defer { listener.close() }
        let address = ServerAddress.host("127.0.0.1", port: listener.port)
        let client = try await loop.run {
            SocketConnector().connect(to: address, on: loop) { event in
                // The way there is no part of a wire's story.
                if case .attempted = event { return }
                clientEvents.record(event)
            }
        }
        let server = try await accepted.wait(count: 1)[0]
        try await clientEvents.waitForConnected()
        try await serverEvents.waitForConnected()
        return Wire(
            loop: loop,
            client: client,
            server: server,
            clientEvents: clientEvents,
            serverEvents: serverEvents
        )
    }

    func onLoop(_ body: @escaping @Sendable (Wire) -> Void) async throws {
        try await loop.run { body(self) }
    }
}
