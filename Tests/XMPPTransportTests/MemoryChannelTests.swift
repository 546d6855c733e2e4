import Testing
import XMPPTestKit
import XMPPTransport

@Suite("A channel in memory")
struct MemoryChannelTests {
    private struct Pair: Sendable {
        let client: any Channel
        let server: MemoryChannel
        let clientEvents: Recorder<ChannelEvent>
        let serverEvents: Recorder<ChannelEvent>
    }

    private func connect(_ loop: EventLoop, serverLoop: EventLoop? = nil) async throws -> Pair {
        let (clientEvents, serverEvents) = (Recorder<ChannelEvent>(), Recorder<ChannelEvent>())
        let accepted = Recorder<MemoryChannel>()
        let connector = MemoryConnector(serverLoop: serverLoop) { channel, _ in
            accepted.record(channel)
            channel.send(utf8("hello"))
            return { serverEvents.record($0) }
        }
        let client = try await loop.run {
            connector.connect(to: .domain("example.org"), on: loop) { clientEvents.record($0) }
        }
        let server = try await accepted.wait(count: 1)[0]
        try await clientEvents.waitForText("hello")
        try await serverEvents.waitForConnected()
        return Pair(client: client, server: server, clientEvents: clientEvents, serverEvents: serverEvents)
    }

    @Test("carries bytes in order between two loops, and ends in order")
    func order() async throws {
        try await withLoop { loop in
            try await withLoop { other in
                let pair = try await connect(loop, serverLoop: other)
                #expect(pair.clientEvents.story == ["connected", "received"])
                try await loop.run {
                    for number in 0..<500 { pair.client.send(utf8("\(number),")) }
                    pair.client.close()
                }
                #expect(try await pair.serverEvents.waitForClosure() == .endOfStream)
                #expect(pair.serverEvents.text == (0..<500).map { "\($0)," }.joined())
                #expect(try await pair.clientEvents.waitForClosure() == .local)
            }
        }
    }

    @Test("refuses where nobody accepts")
    func refusal() async throws {
        try await withLoop { loop in
            let events = Recorder<ChannelEvent>()
            _ = try await loop.run {
                MemoryConnector { _, _ in nil }.connect(to: .domain("x"), on: loop) { events.record($0) }
            }
            #expect(try await events.waitForError().code == .connectFailed)
            #expect(events.values.count == 1)
        }
    }

    @Test("secures the end that asks, and refuses what came in clear before")
    func startTLS() async throws {
        let settings = TLSSettings(domain: "example.org", context: try TLSContext.client(caFile: nil))
        try await withLoop { loop in
            let pair = try await connect(loop)
            try await loop.run { pair.client.startTLS(settings) }
            try await pair.clientEvents.waitForSecured()
            #expect(pair.serverEvents.story == ["connected"])

            let other = try await connect(loop)
            try await loop.run {
                other.server.send(utf8("<injected/>"))
                other.client.startTLS(settings)
            }
            #expect(try await other.clientEvents.waitForError().code == .plaintextAfterStartTLS)
            #expect(other.clientEvents.text == "hello")
            #expect(try await other.serverEvents.waitForError().code == .connectionLost)
        }
    }

    @Test("breaks on both ends, once")
    func broken() async throws {
        try await withLoop { loop in
            let pair = try await connect(loop)
            try await loop.run { pair.server.breakLink() }
            #expect(try await pair.clientEvents.waitForError().code == .connectionLost)
            #expect(try await pair.serverEvents.waitForError().code == .connectionLost)
            try await loop.run {
                pair.client.close()
                pair.server.abort()
            }
            await loop.settle()
            #expect(pair.clientEvents.closureCount == 1)
            #expect(pair.serverEvents.closureCount == 1)
        }
    }

    @Test("has the bounds of a socket's: unsent bytes, overflow, room")
    func bounds() async throws {
        try await withLoop { loop in
            let pair = try await connect(loop)
            let unsent = try await loop.run {
                pair.server.setReading(false)
                pair.client.send([UInt8](repeating: 0, count: 1 << 20))
                return pair.client.unsentBytes
            }
            #expect(unsent == 1 << 20)
            try await loop.run { pair.server.setReading(true) }
            try await pair.clientEvents.wait { $0.contains { if case .writable = $0 { true } else { false } } }
            try await loop.run {
                pair.server.setReading(false)
                for _ in 0..<9 { pair.client.send([UInt8](repeating: 0, count: 1 << 20)) }
            }
            #expect(try await pair.clientEvents.waitForError().code == .outputOverflow)
        }
    }

    @Test("may be closed before it is connected")
    func closedEarly() async throws {
        try await withLoop { loop in
            let (clientEvents, serverEvents) = (Recorder<ChannelEvent>(), Recorder<ChannelEvent>())
            try await loop.run {
                MemoryConnector { _, _ in { serverEvents.record($0) } }
                    .connect(to: .domain("x"), on: loop) { clientEvents.record($0) }
                    .close()
            }
            #expect(try await clientEvents.waitForClosure() == .local)
            #expect(try await serverEvents.waitForClosure() == .endOfStream)
            #expect(clientEvents.values.count == 1)
        }
    }
}
