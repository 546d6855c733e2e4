import CShims
import Glibc
import Testing
import XMPPTestKit

@testable import XMPPTransport

@Suite("Connecting", .serialized)
struct ConnectingTests {
    /// A listener, and a port on which nobody listens.
    private func withServer(
        _ time: any TimeSource = SystemTime(), _ body: (EventLoop, UInt16, _ deadPort: UInt16) async throws -> Void
    ) async throws {
        try await withLoop(time) { loop in
            let listener = try Listener.tcp(on: loop) { _ in { _ in } }
            defer { listener.close() }
            let dead = try Listener.tcp(on: loop) { _ in nil }
            let deadPort = dead.port
            dead.close()
            await loop.settle()
            try await body(loop, listener.port, deadPort)
        }
    }

    private func connect(
        _ address: ServerAddress, by resolver: FakeResolver, on loop: EventLoop
    ) async throws -> Recorder<ChannelEvent> {
        let (channel, events) = try await resolver.connect(to: address, on: loop)
        try await events.wait { $0.contains { if case .attempted = $0 { false } else { true } } }
        try await loop.run { channel.abort() }
        try await events.waitForClosure()
        return events
    }

    @Test("tries the targets of SRV by priority, each one's addresses, and tells every step")
    func targets() async throws {
        try await withServer { loop, port, dead in
            let resolver = FakeResolver(
                services: [
                    service: [
                        record(3, 0, "good.test", port), record(1, 0, "gone.test", 1), record(2, 0, "dead.test", dead),
                    ]
                ],
                hosts: ["dead.test": ["127.0.0.1", "127.0.0.2"], "good.test": ["127.0.0.1"]])
            let events = try await connect(.domain("example.org"), by: resolver, on: loop)
            #expect(events.story == ["connected", "closed: local"])
            #expect(
                resolver.asked.values == [
                    service, "gone.test v6", "gone.test v4", "dead.test v6", "dead.test v4", "good.test v6",
                    "good.test v4",
                ])
            let gone = TransportError(.dnsFailed, "gone.test has no address")
            func refused(_ host: String) -> TransportError {
                TransportError(.connectFailed, "\(host):\(dead)", errno: ECONNREFUSED)
            }
            func target(_ host: String, _ port: UInt16) -> ConnectStep.Target {
                ConnectStep.Target(host: host, port: port, isDirectTLS: false)
            }
            #expect(
                events.steps == [
                    .found([target("gone.test", 1), target("dead.test", dead), target("good.test", port)]),
                    .unresolved(name: "gone.test", gone),
                    .resolved(host: "dead.test", addresses: ["127.0.0.1", "127.0.0.2"]),
                    .trying("127.0.0.1:\(dead)"), .failed("127.0.0.1:\(dead)", refused("127.0.0.1")),
                    .trying("127.0.0.2:\(dead)"), .failed("127.0.0.2:\(dead)", refused("127.0.0.2")),
                    .resolved(host: "good.test", addresses: ["127.0.0.1"]),
                    .trying("127.0.0.1:\(port)"), .reached("127.0.0.1:\(port)", isDirectTLS: false),
                ])
        }
    }

    @Test("does not fall back to the domain itself when the targets of SRV fail (RFC 6120 3.2.1)")
    func noFallback() async throws {
        try await withServer { loop, _, dead in
            let resolver = FakeResolver(
                services: [service: [record(1, 0, "dead.test", dead)]],
                hosts: ["dead.test": ["127.0.0.1"], "example.org": ["127.0.0.1"]])
            let events = try await connect(.domain("example.org"), by: resolver, on: loop)
            #expect(events.story == ["closed: connecting failed"])
            #expect(resolver.asked.values == [service, "dead.test v6", "dead.test v4"])
        }
    }

    @Test("goes to the domain itself and port 5222 when there is no SRV, or no answer")
    func fallback() async throws {
        try await withLoop { loop in
            for answer: Result<[ServiceRecord], TransportError> in [
                .success([]), .failure(TransportError(.dnsFailed, "SERVFAIL")),
            ] {
                let resolver = FakeResolver(
                    FakeResolver.Table(
                        services: [service: answer],
                        hosts: ["example.org": .success(["127.0.0.77"].compactMap { IPAddress($0) })]))
                let events = try await connect(.domain("example.org"), by: resolver, on: loop)
                #expect(resolver.asked.values == [service, "example.org v6", "example.org v4"])
                #expect(events.steps.contains(.found([])))
                #expect(events.steps.contains(.trying("127.0.0.77:5222")))
            }
        }
    }

    @Test("says when the service is not offered, and asks for no address (B065)")
    func notOffered() async throws {
        try await withLoop { loop in
            let resolver = FakeResolver(
                services: [service: [record(0, 0, "", 0)]], hosts: ["example.org": ["127.0.0.1"]])
            let events = try await connect(.domain("example.org"), by: resolver, on: loop)
            #expect(events.story == ["closed: service not offered"])
            #expect(resolver.asked.values == [service])
        }
    }

    @Test("of a configured host asks for no SRV, and says which name failed")
    func host() async throws {
        try await withServer { loop, port, _ in
            let resolver = FakeResolver(hosts: ["host.test": ["127.0.0.1"]])
            let events = try await connect(.host("host.test", port: port), by: resolver, on: loop)
            #expect(events.story == ["connected", "closed: local"])
            #expect(resolver.asked.values == ["host.test v6", "host.test v4"])
            let failed = try await connect(.host("other.test", port: 7), by: resolver, on: loop)
            #expect(try await failed.waitForError().description == "name lookup failed: other.test has no address")
        }
    }

    @Test("of an address in digits asks nobody")
    func digits() async throws {
        try await withServer { loop, port, dead in
            let resolver = FakeResolver()
            let events = try await connect(.host("127.0.0.1", port: port), by: resolver, on: loop)
            #expect(events.story == ["connected", "closed: local"])
            let refused = try await connect(.host("127.0.0.1", port: dead), by: resolver, on: loop)
            #expect(refused.story == ["closed: connecting failed"])
            let domain = try await connect(.domain("127.0.0.78"), by: resolver, on: loop)
            #expect(domain.steps.first == .trying("127.0.0.78:5222"))
            let sixth = try await connect(.domain("[::1]"), by: resolver, on: loop)
            #expect(sixth.steps.first == .trying("[::1]:5222"))
            #expect(resolver.asked.values == [])
        }
    }

    @Test("ends each DNS fault as an ordinary failure, and the next attempt connects (B064)")
    func dnsFaults() async throws {
        try await withServer { loop, port, _ in
            let resolver = FakeResolver()
            let faults: [Result<[ServiceRecord], TransportError>] = [
                .failure(TransportError(.dnsFailed, "SERVFAIL")), .failure(TransportError(.dnsFailed, "timeout")),
                .success([]),
            ]
            for fault in faults {
                resolver.change { $0.services[service] = fault }
                let events = try await connect(.domain("example.org"), by: resolver, on: loop)
                #expect(events.story == ["closed: name lookup failed"])
            }
            for host in ["127.0.0.1", "127.0.0.3"] {
                resolver.change {
                    $0.services[service] = .success([record(0, 0, "h.test", port)])
                    $0.hosts["h.test"] = .success([IPAddress(host)].compactMap { $0 })
                }
                let events = try await connect(.domain("example.org"), by: resolver, on: loop)
                #expect(events.story == ["connected", "closed: local"] || host == "127.0.0.3")
                #expect(events.steps.contains(.trying("\(host):\(port)")))
            }
        }
    }

    @Test("does the same with a real resolver and name server (B064)")
    func dnsFaultsOfServer() async throws {
        try await withServer { loop, port, dead in
            let server = try NameServer { [$0.answer(code: .serverFailure)] }
            defer { server.close() }
            let resolver = SystemResolver(
                servers: [try server.address], hosts: HostsFile(path: "/nonexistent"), patience: .milliseconds(100))
            func story() async throws -> [String] {
                let events = Recorder<ChannelEvent>()
                let channel = try await loop.run {
                    SocketConnector(resolver: resolver).connect(to: .domain("example.org"), on: loop) {
                        events.record($0)
                    }
                }
                try await events.wait { $0.contains { if case .attempted = $0 { false } else { true } } }
                try await loop.run { channel.abort() }
                try await events.waitForClosure()
                return events.story
            }
            #expect(try await story() == ["closed: name lookup failed"])
            server.change { _ in [] }
            #expect(try await story() == ["closed: name lookup failed"])
            server.change { [$0.answer(code: .noSuchName)] }
            #expect(try await story() == ["closed: name lookup failed"])
            for (target, expected) in [(port, "closed: local"), (dead, "closed: connecting failed")] {
                let service = DNSAnswer.service(1, 0, target, "host.example.org")
                let records = [DNSAnswer.srv: [service], DNSAnswer.a: [DNSAnswer.record(DNSAnswer.a, [127, 0, 0, 1])]]
                server.change { [$0.answer(records[$0.type] ?? [])] }
                let last = try await asking(while: { $0 == "closed: name lookup failed" }) { try await story().last }
                #expect(last == expected)
            }
        }
    }

    // MARK: - Ends

    @Test("can be given up at once, and says so once")
    func givenUp() async throws {
        try await withServer { loop, port, _ in
            for waits in [true, false] {
                let events = Recorder<ChannelEvent>()
                let channel = try await loop.run {
                    let channel = SocketConnector().connect(to: .host("127.0.0.1", port: port), on: loop) {
                        events.record($0)
                    }
                    if !waits { channel.close() }
                    return channel
                }
                if waits { try await loop.run { channel.abort() } }
                #expect(try await events.waitForClosure() == .local)
                #expect(events.closureCount == 1)
            }
        }
    }

    @Test("can be given up by whoever hears of any step, and leaves nothing behind")
    func givenUpAtStep() async throws {
        try await withServer { loop, port, dead in
            let resolver = FakeResolver(
                services: [
                    service: [record(1, 0, "none.test"), record(2, 0, "dead.test", dead), record(3, 0, "h.test", port)]
                ],
                hosts: ["dead.test": ["127.0.0.1"], "h.test": ["127.0.0.1"]])
            for step in 0..<8 {
                let events = Recorder<ChannelEvent>()
                let channel = Locked<(any Channel)?>(nil)
                try await loop.run {
                    let made = SocketConnector(resolver: resolver).connect(to: .domain("example.org"), on: loop) {
                        event in
                        events.record(event)
                        if events.values.count == step + 1 { channel.withLock { $0 }?.abort() }
                    }
                    channel.withLock { $0 = made }
                }
                #expect(try await events.waitForClosure() == .local)
                #expect(events.values.count == step + 2)
                await loop.settle()
                #expect(loop.timerCount == 0)
            }
        }
    }

    @Test("lets what was sent before wait for the connection")
    func sentBefore() async throws {
        try await withLoop { loop in
            let received = Recorder<ChannelEvent>()
            let listener = try Listener.tcp(on: loop) { _ in { received.record($0) } }
            defer { listener.close() }
            let port = listener.port
            try await loop.run {
                SocketConnector().connect(to: .host("127.0.0.1", port: port), on: loop) { _ in }.send(utf8("early"))
            }
            try await received.waitForText("early")
        }
    }

    @Test("leaves no timer and no look-up behind once it is connected")
    func nothingLeft() async throws {
        try await withServer { loop, port, _ in
            let resolver = FakeResolver(
                services: [service: [record(1, 0, "h.test", port)]], hosts: ["h.test": ["127.0.0.1"]])
            let (channel, events) = try await resolver.connect(to: .domain("example.org"), on: loop)
            try await events.wait { $0.contains { if case .connected = $0 { true } else { false } } }
            await loop.settle()
            #expect(loop.timerCount == 0)
            try await loop.run { channel.abort() }
        }
    }

    // MARK: - Time

    @Test("ends after its budget when names are slow, and the late answer does no harm")
    func budget() async throws {
        let time = ManualTime()
        try await withLoop(time) { loop in
            let resolver = FakeResolver(isHeld: { _ in true })
            let (_, events) = try await resolver.connect(to: .domain("example.org"), on: loop)
            try await resolver.asked.wait(count: 1)
            time.advance(by: .seconds(30))
            #expect(try await events.waitForError().code == .timedOut)
            try await loop.run { resolver.release() }
            await loop.settle()
            #expect(events.values.count == 1)
            #expect(loop.timerCount == 0)
        }
    }

    @Test("goes on to the next address after 250 ms of silence, and drops the silent one")
    func silentAddress() async throws {
        let time = ManualTime()
        try await withServer(time) { loop, port, _ in
            let silent = try SilentPort()
            let resolver = FakeResolver(
                services: [service: [record(1, 0, "silent.test", silent.port), record(1, 0, "h.test", port)]],
                hosts: ["silent.test": ["127.0.0.1"], "h.test": ["127.0.0.1"]])
            let (channel, events) = try await resolver.connect(to: .domain("example.org"), on: loop)
            try await events.wait { $0.contains { $0.step == .trying("127.0.0.1:\(silent.port)") } }
            await loop.settle()
            time.advance(by: .milliseconds(249))
            await loop.settle()
            #expect(events.story.isEmpty)
            #expect(!events.steps.contains(.trying("127.0.0.1:\(port)")))
            time.advance(by: .milliseconds(1))
            try await events.wait { $0.contains { if case .connected = $0 { true } else { false } } }
            #expect(loop.timerCount == 0)
            try await loop.run { channel.abort() }
        }
    }

    @Test("gives a silent address ten seconds, and all of it thirty")
    func silence() async throws {
        let time = ManualTime()
        try await withLoop(time) { loop in
            let silent = try SilentPort()
            let addresses = (1...4).map { "127.0.0.\($0)" }
            let resolver = FakeResolver(
                services: [service: addresses.enumerated().map { record(UInt16($0), 0, $1, silent.port) }])
            let (_, events) = try await resolver.connect(to: .domain("example.org"), on: loop)
            for number in 1...3 {
                try await events.wait { $0.contains { $0.step == .trying("127.0.0.\(number):\(silent.port)") } }
                await loop.settle()
                #expect(events.story.isEmpty)
                time.advance(by: .seconds(10))
            }
            #expect(try await events.waitForError().code == .timedOut)
            #expect(loop.timerCount == 0)
        }
    }

    @Test("waits two seconds for the other service once the one is known")
    func slowService() async throws {
        let time = ManualTime()
        try await withServer(time) { loop, port, _ in
            let resolver = FakeResolver(
                services: [service: [record(1, 0, "127.0.0.1", port)]], isHeld: { $0 == directService })
            let events = Recorder<ChannelEvent>()
            let channel = try await loop.run {
                try SocketConnector(resolver: resolver).connect(
                    to: .domain("example.org"),
                    security: TLSSettings(domain: "example.org", context: .client(caFile: nil)), on: loop
                ) { events.record($0) }
            }
            try await resolver.asked.wait(count: 2)
            await loop.settle()
            time.advance(by: .milliseconds(1999))
            await loop.settle()
            #expect(events.values.isEmpty)
            time.advance(by: .milliseconds(1))
            try await events.wait { $0.contains { if case .connected = $0 { true } else { false } } }
            #expect(
                events.steps.first
                    == .unresolved(
                        name: directService, TransportError(.dnsFailed, "\(directService): no answer so far")))
            try await loop.run { channel.abort() }
        }
    }

    // MARK: - The socket

    @Test("sets up the socket so that a dead peer is found within a minute")
    func options() throws {
        let descriptor = shim_socket(AF_INET)
        defer { close(descriptor) }
        shim_tune_tcp(descriptor, ChannelLimits.userTimeoutMilliseconds)
        func option(_ level: Int32, _ name: Int32) -> Int32 {
            var value: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, level, name, &value, &size)
            return value
        }
        let tcp = Int32(IPPROTO_TCP)
        #expect(option(tcp, TCP_NODELAY) == 1)
        #expect(option(SOL_SOCKET, SO_KEEPALIVE) == 1)
        #expect(option(tcp, 18) == 60_000)
        // Linux ends an idle connection at the user timeout, once a probe is out: three must be lost until then.
        #expect(option(tcp, TCP_KEEPIDLE) + 3 * option(tcp, TCP_KEEPINTVL) <= 60)
    }
}

/// A loopback port whose connections stay half-made: its queue is full and nobody accepts.
private final class SilentPort: Sendable {
    let port: UInt16
    private let descriptors: [Int32]

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 0) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        try #require(isListening)
        port = UInt16(bigEndian: address.sin_port)
        // A queue for none takes one.
        let filling = shim_socket(AF_INET)
        descriptors = [listener, filling]
        let own = try #require(SocketAddress("127.0.0.1", port: port))
        _ = own.withSockaddr { connect(filling, $0, $1) }
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}

extension ChannelEvent {
    fileprivate var step: ConnectStep? { if case .attempted(let step) = self { step } else { nil } }
}
