import Testing
import XMPPTestKit

@testable import XMPPTransport

@Suite("Direct TLS (XEP-0368)", .serialized)
struct DirectTLSTests {
    private let workshop: CertificateWorkshop
    private let settings: TLSSettings

    init() throws {
        workshop = try CertificateWorkshop.shared.get()
        settings = try workshop.settings()
    }

    /// A server that begins TLS at once, and says hello within it.
    private func withServer(
        named names: String, on loop: EventLoop, _ body: (UInt16) async throws -> Void
    ) async throws {
        var request = CertificateWorkshop.Request()
        request.names = names
        var options = TLSServerOptions()
        options.tickets = 2
        options.applicationProtocol = "xmpp-client"
        let context = try workshop.server(request, options: options)
        let listener = try Listener.tcp(on: loop) { connection in
            { event in
                switch event {
                case .connected: connection.channel.startTLS(TLSSettings(domain: "", context: context))
                case .received(let bytes): connection.channel.send(utf8("got ") + bytes)
                default: break
                }
            }
        }
        defer { listener.close() }
        try await body(listener.port)
    }

    private func end(_ channel: any Channel, _ events: Recorder<ChannelEvent>, on loop: EventLoop) async throws {
        try await loop.run { channel.abort() }
        try await events.waitForClosure()
        await loop.settle()
        #expect(loop.timerCount == 0)
    }

    @Test("is secured before anything else is said, and carries what was sent before")
    func secured() async throws {
        try await withLoop { loop in
            try await withServer(named: "DNS:example.org", on: loop) { port in
                let resolver = FakeResolver(services: [directService: [record(0, 0, "127.0.0.1", port)]])
                let (channel, events) = try await resolver.connect(
                    to: .domain("example.org"), security: settings, on: loop
                ) {
                    $0.send(utf8("early"))
                }
                try await events.waitForText("got early")
                #expect(events.story == ["secured", "received"])
                #expect(events.steps.last == .reached("127.0.0.1:\(port)", isDirectTLS: true))
                #expect(loop.timerCount == 0)
                // There is no second TLS within it.
                let settings = settings
                try await loop.run {
                    channel.startTLS(settings)
                    channel.send(utf8("more"))
                }
                try await events.waitForText("got earlygot more")
                #expect(events.story == ["secured", "received"])
                try await end(channel, events, on: loop)
            }
        }
    }

    @Test("of a configured host is verified against the account's domain, as any other (B054)")
    func configuredHost() async throws {
        try await withLoop { loop in
            try await withServer(named: "DNS:example.org", on: loop) { port in
                let resolver = FakeResolver(hosts: ["host.test": ["127.0.0.1"]])
                let address = ServerAddress.host("host.test", port: port, isDirectTLS: true)
                let (channel, events) = try await resolver.connect(to: address, security: settings, on: loop)
                try await events.waitForSecured()
                try await end(channel, events, on: loop)
            }
        }
    }

    @Test("is resumed at the same target, as STARTTLS is, and at no other")
    func resumption() async throws {
        try await withLoop { loop in
            var settings = settings
            settings.sessions = TLSSessionCache()
            try await withServer(named: "DNS:example.org", on: loop) { port in
                let resolver = FakeResolver(hosts: ["a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"]])
                for (host, isDirectTLS, isResumed) in [
                    ("a.test", true, false), ("a.test", true, true), ("b.test", true, false), ("b.test", false, true),
                ] {
                    let events = Recorder<ChannelEvent>()
                    let address = ServerAddress.host(host, port: port, isDirectTLS: isDirectTLS)
                    let offered = settings
                    let channel = try await loop.run {
                        SocketConnector(resolver: resolver).connect(to: address, security: offered, on: loop) {
                            events.record($0)
                        }
                    }
                    if !isDirectTLS {
                        try await events.waitForConnected()
                        try await loop.run { channel.startTLS(offered) }
                    }
                    try await events.waitForSecured()
                    try await loop.run { channel.send(utf8("x")) }
                    // The tickets of TLS 1.3 come before it.
                    try await events.waitForText("got x")
                    let summaries = events.values.compactMap {
                        if case .secured(let summary) = $0 { summary } else { nil }
                    }
                    #expect(summaries.map(\.isResumed) == [isResumed], "\(host), direct: \(isDirectTLS)")
                    // ALPN is for connections that begin with TLS.
                    #expect(summaries.map(\.applicationProtocol) == [isDirectTLS ? "xmpp-client" : nil])
                    try await end(channel, events, on: loop)
                }
            }
        }
    }

    @Test("refuses a certificate for the SRV target instead of the domain (B054, CVE-2022-24968, CVE-2022-26491)")
    func targetsName() async throws {
        try await withLoop { loop in
            try await withServer(named: "DNS:evil.test", on: loop) { port in
                let resolver = FakeResolver(
                    services: [directService: [record(0, 0, "evil.test", port)]], hosts: ["evil.test": ["127.0.0.1"]])
                let (_, events) = try await resolver.connect(to: .domain("example.org"), security: settings, on: loop)
                let error = try await events.waitForError()
                #expect(error.certificateProblem == .wrongName)
                #expect(events.story == ["closed: certificate refused"])
            }
        }
    }

    /// What a direct target may do instead of TLS.
    enum Fault: CaseIterable {
        case wrongName, plainText, ends, resets

        var act: (@Sendable (any Channel) -> Void)? {
            switch self {
            case .wrongName: nil
            case .plainText: { $0.send(utf8("<stream:stream>")) }
            case .ends: { $0.close() }
            case .resets: { $0.abort() }
            }
        }
    }

    @Test("goes on to the next target where it fails, whatever the fault", arguments: Fault.allCases)
    func nextTarget(_ fault: Fault) async throws {
        try await withLoop { loop in
            let received = Recorder<ChannelEvent>()
            let plain = try Listener.tcp(on: loop) { _ in { received.record($0) } }
            defer { plain.close() }
            func check(_ port: UInt16) async throws {
                let resolver = FakeResolver(services: [
                    directService: [record(1, 0, "127.0.0.1", port)], service: [record(2, 0, "127.0.0.1", plain.port)],
                ])
                let (channel, events) = try await resolver.connect(
                    to: .domain("example.org"), security: settings, on: loop
                ) {
                    $0.send(utf8("early"))
                }
                // The second target begins in clear: what was sent before goes there, and never to the first.
                try await received.waitForText("early")
                #expect(events.story == ["connected"])
                let steps = events.steps
                #expect(steps.contains(.reached("127.0.0.1:\(port)", isDirectTLS: true)))
                #expect(steps.contains { if case .failed("127.0.0.1:\(port)", _) = $0 { true } else { false } })
                #expect(steps.last == .reached("127.0.0.1:\(plain.port)", isDirectTLS: false))
                try await end(channel, events, on: loop)
            }
            if let act = fault.act {
                let bad = try Listener.tcp(on: loop) { connection in
                    { if case .connected = $0 { act(connection.channel) } }
                }
                defer { bad.close() }
                try await check(bad.port)
            } else {
                try await withServer(named: "DNS:other.test", on: loop, check)
            }
        }
    }

    @Test("gives a silent handshake fifteen seconds, then goes on")
    func silentHandshake() async throws {
        let time = ManualTime()
        try await withLoop(time) { loop in
            let heard = Recorder<ChannelEvent>()
            let silent = try Listener.tcp(on: loop) { _ in { heard.record($0) } }
            defer { silent.close() }
            let plain = try Listener.tcp(on: loop) { _ in { _ in } }
            defer { plain.close() }
            let resolver = FakeResolver(services: [
                directService: [record(1, 0, "127.0.0.1", silent.port)],
                service: [record(2, 0, "127.0.0.1", plain.port)],
            ])
            let (channel, events) = try await resolver.connect(to: .domain("example.org"), security: settings, on: loop)
            // What it waits for its turn would not count.
            try await heard.wait { $0.contains { if case .received = $0 { true } else { false } } }
            await loop.settle()
            time.advance(by: .seconds(15))
            try await events.waitForConnected()
            #expect(events.story == ["connected"])
            try await end(channel, events, on: loop)
        }
    }

    @Test("ends within the budget of thirty seconds where every handshake is silent")
    func budget() async throws {
        let time = ManualTime()
        try await withLoop(time) { loop in
            let heard = Recorder<ChannelEvent>()
            let silent = try Listener.tcp(on: loop) { _ in { heard.record($0) } }
            defer { silent.close() }
            let port = silent.port
            let resolver = FakeResolver(services: [
                directService: (1...3).map { record($0, 0, "127.0.0.1", port) }
            ])
            let (_, events) = try await resolver.connect(to: .domain("example.org"), security: settings, on: loop)
            for number in 1...2 {
                // What it waits for its turn would not count.
                try await heard.wait { events in
                    events.count { if case .received = $0 { true } else { false } } == number
                }
                await loop.settle()
                time.advance(by: .seconds(15))
            }
            #expect(try await events.waitForError().code == .timedOut)
            await loop.settle()
            #expect(loop.timerCount == 0)
        }
    }

    @Test("is passed over where there are no settings for it, and never asked for")
    func noSettings() async throws {
        try await withLoop { loop in
            let resolver = FakeResolver(services: [directService: [record(0, 0, "127.0.0.1", 1)]])
            let events = Recorder<ChannelEvent>()
            _ = try await loop.run {
                SocketConnector(resolver: resolver).connect(to: .domain("example.org"), on: loop) { events.record($0) }
            }
            #expect(try await events.waitForError().code == .dnsFailed)
            #expect(resolver.asked.values == [service, "example.org v6", "example.org v4"])
            let refused = Recorder<ChannelEvent>()
            _ = try await loop.run {
                SocketConnector(resolver: resolver)
                    .connect(to: .host("h.test", port: 1, isDirectTLS: true), on: loop) { refused.record($0) }
            }
            #expect(try await refused.waitForError().code == .connectFailed)
        }
    }

    @Test("may be the only kind that is wanted: then nothing in clear is tried")
    func onlyDirect() async throws {
        try await withLoop { loop in
            let failure = TransportError(.dnsFailed, "SERVFAIL")
            for (answer, code) in [
                (Result<[ServiceRecord], TransportError>.success([]), TransportError.Code.serviceNotOffered),
                (.success([record(0, 0, "", 0)]), .serviceNotOffered), (.failure(failure), .dnsFailed),
            ] {
                let resolver = FakeResolver(
                    FakeResolver.Table(services: [directService: answer, service: .success([record(0, 0, "h.test")])]))
                let (_, events) = try await resolver.connect(
                    to: .services(of: "example.org", isDirectTLS: true), security: settings, on: loop)
                #expect(try await events.waitForError().code == code)
                #expect(resolver.asked.values == [directService])
                // The domain's own address is not used, so nothing says that it is.
                #expect(!events.steps.contains(.found([])))
            }
        }
    }

    @Test("may be given up within the handshake")
    func givenUp() async throws {
        try await withLoop { loop in
            let silent = try Listener.tcp(on: loop) { _ in { _ in } }
            defer { silent.close() }
            let resolver = FakeResolver(services: [directService: [record(0, 0, "127.0.0.1", silent.port)]])
            for closes in [true, false] {
                let (channel, events) = try await resolver.connect(
                    to: .domain("example.org"), security: settings, on: loop)
                try await events.wait { $0.contains { if case .attempted(.reached) = $0 { true } else { false } } }
                try await loop.run { closes ? channel.close() : channel.abort() }
                #expect(try await events.waitForClosure() == .local)
                #expect(events.closureCount == 1)
                await loop.settle()
                #expect(loop.timerCount == 0)
            }
        }
    }
}
