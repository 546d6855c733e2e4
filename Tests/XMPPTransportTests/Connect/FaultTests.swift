import Testing
import XMPPTestKit
import XMPPTransport

@Suite("Faults of a link", .serialized)
struct FaultTests {
    /// How the client comes to its server.
    enum Way: CaseIterable {
        case memory, socket, proxy
    }

    /// A server that says `hello` as soon as it is connected to, and gives back what it hears.
    private func connect(
        _ way: Way, _ faults: LinkFaults, on loop: EventLoop,
        _ body: (any Channel, _ client: Recorder<ChannelEvent>, _ server: Recorder<ChannelEvent>) async throws -> Void
    ) async throws {
        let serverEvents = Recorder<ChannelEvent>()
        let clientEvents = Recorder<ChannelEvent>()
        @Sendable func serve(_ channel: any Channel) -> @Sendable (ChannelEvent) -> Void {
            { event in
                serverEvents.record(event)
                switch event {
                case .connected: channel.send(utf8("hello"))
                case .received(let bytes): channel.send(bytes)
                default: break
                }
            }
        }
        let listener = try Listener.tcp(on: loop) { serve($0.channel) }
        defer { listener.close() }
        let proxy = try FaultProxy(to: listener.port, on: loop) { _ in faults }
        defer { proxy.close() }
        let port = way == .proxy ? proxy.port : listener.port
        let connector: any Connector =
            switch way {
            case .memory: FaultConnector(MemoryConnector { channel, _ in serve(channel) }) { _ in faults }
            case .socket: FaultConnector(SocketConnector()) { _ in faults }
            case .proxy: SocketConnector()
            }
        let channel = try await loop.run {
            connector.connect(to: .host("127.0.0.1", port: port), on: loop) { event in
                if case .attempted = event { return }
                clientEvents.record(event)
            }
        }
        try await body(channel, clientEvents, serverEvents)
        try await loop.run { channel.abort() }
        try await clientEvents.waitForClosure()
        #expect(clientEvents.closureCount == 1)
    }

    @Test("leave a good link as it is", arguments: Way.allCases)
    func none(_ way: Way) async throws {
        try await withLoop { loop in
            try await connect(way, .none, on: loop) { channel, client, _ in
                try await client.waitForText("hello")
                try await loop.run { channel.send(utf8(" again")) }
                try await client.waitForText("hello again")
            }
        }
    }

    @Test("let bytes come one at a time", arguments: [Way.memory, .socket])
    func pieces(_ way: Way) async throws {
        try await withLoop { loop in
            try await connect(way, LinkFaults(pieceSize: 1), on: loop) { _, client, _ in
                try await client.waitForText("hello")
                #expect(client.values.count == 6)
            }
        }
    }

    @Test("let the proxy's bytes come in pieces too, and all of them")
    func proxiedPieces() async throws {
        try await withLoop { loop in
            try await connect(.proxy, LinkFaults(pieceSize: 1), on: loop) { channel, client, _ in
                try await client.waitForText("hello")
                try await loop.run { channel.send(utf8(" again")) }
                try await client.waitForText("hello again")
            }
        }
    }

    @Test("cut the link after any byte, in every way", arguments: Way.allCases)
    func cuts(_ way: Way) async throws {
        try await withLoop { loop in
            for ending in RecordedServer.Cut.Ending.allCases {
                for count in 0...5 {
                    let cut = RecordedServer.Cut(after: count, ending)
                    try await connect(way, LinkFaults(cut: cut), on: loop) { channel, client, server in
                        switch ending {
                        case .silence:
                            // A reset overtakes what was sent before it; an end in order and silence do not.
                            try await client.waitForBytes(count)
                            try await server.waitForConnected()
                            for _ in 0..<10 { await loop.settle() }
                            #expect(client.closure == nil)
                        case .endOfStream: #expect(try await client.waitForClosure() == .endOfStream)
                        case .reset: #expect(try await client.waitForError().code == .connectionLost)
                        }
                        if ending != .reset { #expect(client.bytes == Array(utf8("hello").prefix(count))) }
                    }
                }
            }
        }
    }

    @Test("cut what the client says, too", arguments: Way.allCases)
    func outgoingCuts(_ way: Way) async throws {
        try await withLoop { loop in
            let cut = RecordedServer.Cut(after: 3, .silence)
            try await connect(way, LinkFaults(outgoingCut: cut), on: loop) { channel, client, server in
                try await client.waitForText("hello")
                try await loop.run { channel.send(utf8("abcdef")) }
                try await server.waitForText("abc")
            }
        }
    }

    @Test("hold what came while the client does not read")
    func pausing() async throws {
        try await withLoop { loop in
            try await connect(.memory, LinkFaults(pieceSize: 1), on: loop) { channel, client, _ in
                try await client.waitForText("hello")
                try await loop.run {
                    channel.send(utf8("abc"))
                    channel.setReading(false)
                }
                for _ in 0..<20 { await loop.settle() }
                #expect(client.text == "hello")
                try await loop.run { channel.setReading(true) }
                try await client.waitForText("helloabc")
            }
        }
    }
}

@Suite("TLS over a bad link", .serialized)
struct TLSFaultTests {
    private let client: TLSSettings
    private let server: TLSSettings

    init() throws {
        let workshop = try CertificateWorkshop.shared.get()
        client = try workshop.settings()
        server = TLSSettings(domain: "", context: try workshop.server())
    }

    /// Direct TLS through a proxy, to a server that says `hello` within it; then whatever the client saw last.
    private func connect(_ faults: LinkFaults, on loop: EventLoop) async throws -> Recorder<ChannelEvent> {
        let (client, server) = (client, server)
        let listener = try Listener.tcp(on: loop) { connection in
            { event in
                switch event {
                case .connected: connection.channel.startTLS(server)
                case .secured: connection.channel.send(utf8("hello"))
                default: break
                }
            }
        }
        defer { listener.close() }
        let proxy = try FaultProxy(to: listener.port, on: loop) { _ in faults }
        defer { proxy.close() }
        let port = proxy.port
        let events = Recorder<ChannelEvent>()
        let channel = try await loop.run {
            SocketConnector().connect(
                to: .host("127.0.0.1", port: port, isDirectTLS: true), security: client, on: loop
            ) { events.record($0) }
        }
        try await events.wait { events in
            let count = events.reduce(0) { if case .received(let bytes) = $1 { $0 + bytes.count } else { $0 } }
            return count == 5 || events.contains { if case .closed = $0 { true } else { false } }
        }
        try await loop.run { channel.abort() }
        try await events.waitForClosure()
        return events
    }

    @Test("comes up where every byte of it comes alone")
    func pieces() async throws {
        try await withLoop { loop in
            let events = try await connect(LinkFaults(pieceSize: 1), on: loop)
            #expect(events.text == "hello")
            #expect(events.story == ["secured", "received", "closed: local"])
        }
    }

    @Test(
        "that is cut anywhere ends in a failure and never as if all had come",
        arguments: [RecordedServer.Cut.Ending.endOfStream, .reset])
    func cuts(_ ending: RecordedServer.Cut.Ending) async throws {
        try await withLoop { loop in
            // The server's flight has about 1,000 bytes; some of it in steps, and all at its ends.
            for count in Array(0..<12) + Array(stride(from: 12, to: 1200, by: 61)) {
                let events = try await connect(LinkFaults(cut: RecordedServer.Cut(after: count, ending)), on: loop)
                let codes: [TransportError.Code] = [.tlsFailed, .tlsTruncated, .connectionLost]
                guard case .failed(let error) = events.closure else {
                    // It was cut behind the last byte that mattered.
                    #expect(events.text == "hello", "after \(count)")
                    continue
                }
                #expect(codes.contains(error.code), "after \(count): \(error)")
            }
        }
    }
}
