import Dispatch
import Glibc
import Testing
import XMPPTestKit

@testable import XMPPTransport

/// A generator that always gives the same, for orders that must not depend on chance.
private struct Constant: RandomNumberGenerator {
    var value: UInt64

    mutating func next() -> UInt64 { value }
}

private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

private func record(_ priority: UInt16, _ weight: UInt16, _ target: String, _ port: UInt16 = 5222) -> ServiceRecord {
    ServiceRecord(priority: priority, weight: weight, target: target, port: port)
}

@Suite("The order of SRV targets")
struct ServiceOrderTests {
    @Test("is by priority first", arguments: [0, 7, UInt64.max])
    func priority(_ value: UInt64) {
        var generator = Constant(value: value)
        let records = [record(20, 0, "c"), record(5, 0, "a"), record(10, 65535, "b")]
        #expect(ServiceOrder.ordered(records, using: &generator).map(\.target) == ["a", "b", "c"])
    }

    @Test("is by chance in proportion to the weights within a priority")
    func weight() {
        var generator = Seeded(state: 1)
        let records = [record(1, 60, "big"), record(1, 20, "small"), record(1, 20, "other"), record(1, 0, "none")]
        var firsts: [String: Int] = [:]
        for _ in 0..<10_000 {
            let order = ServiceOrder.ordered(records, using: &generator)
            #expect(Set(order) == Set(records))
            firsts[order[0].target, default: 0] += 1
        }
        // 60, 20, 20 and 1 of 101.
        #expect((5700...6200).contains(firsts["big", default: 0]))
        #expect((1800...2200).contains(firsts["small", default: 0]))
        #expect((1800...2200).contains(firsts["other", default: 0]))
        #expect((50...200).contains(firsts["none", default: 0]))
    }

    @Test("stops at sixteen targets")
    func limit() {
        var generator = Seeded(state: 2)
        let records = (0..<1000).map { record(UInt16($0), 65535, "h\($0)") }
        #expect(ServiceOrder.ordered(records, using: &generator).map(\.target) == (0..<16).map { "h\($0)" })
    }

    @Test("does not overflow with the greatest weights")
    func greatest() {
        var generator = Seeded(state: 3)
        let records = (0..<64).map { record(0, .max, "h\($0)") }
        #expect(ServiceOrder.ordered(records, using: &generator).count == 16)
    }

    @Test("knows a service that is not offered")
    func notOffered() {
        #expect(ServiceOrder.isNotOffered([record(0, 0, "")]))
        #expect(!ServiceOrder.isNotOffered([record(0, 0, ""), record(1, 0, "a")]))
        #expect(!ServiceOrder.isNotOffered([]))
    }
}

@Suite("A name server's answer")
struct ServiceAnswerTests {
    private static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    private static func answer(_ records: [[UInt8]], type: UInt8 = 33) -> [UInt8] {
        let count = UInt16(records.count)
        var bytes: [UInt8] = [0, 1, 0x81, 0x80, 0, 1, UInt8(count >> 8), UInt8(count & 0xFF), 0, 0, 0, 0]
        bytes += name("_xmpp-client._tcp.example.org") + [0, 33, 0, 1]
        for data in records {
            bytes += [0xC0, 12, 0, type, 0, 1, 0, 0, 0, 60, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
        }
        return bytes
    }

    @Test("is read, also with a target that points back into the answer")
    func reading() {
        let plain: [UInt8] = [0, 5, 0, 10, 0x14, 0x66] + Self.name("xmpp.example.net")
        // "c2s" and a pointer to "example.org" in the question: 12 + 13 + 5.
        let pointing: [UInt8] = [0, 1, 0, 0, 0x14, 0x67, 3, 0x63, 0x32, 0x73, 0xC0, 30]
        #expect(
            SystemResolver.services(inAnswer: Self.answer([plain, pointing]))
                == .records([record(5, 10, "xmpp.example.net", 5222), record(1, 0, "c2s.example.org", 5223)])
        )
    }

    @Test("with the root as target says that the service is not offered")
    func root() {
        #expect(
            SystemResolver.services(inAnswer: Self.answer([[0, 0, 0, 0, 0, 0, 0]])) == .records([record(0, 0, "", 0)])
        )
    }

    @Test("without records, or with others only, is none")
    func none() {
        #expect(SystemResolver.services(inAnswer: Self.answer([])) == .none)
        #expect(SystemResolver.services(inAnswer: Self.answer([[127, 0, 0, 1]], type: 1)) == .none)
    }

    @Test("is cut at sixty-four records")
    func many() {
        let one: [UInt8] = [0, 0, 0, 0, 0, 1] + Self.name("a.test")
        guard
            case .records(let records) = SystemResolver.services(
                inAnswer: Self.answer(Array(repeating: one, count: 1000))
            )
        else {
            Issue.record("no records")
            return
        }
        #expect(records.count == 64)
    }

    @Test("that is cut off or broken anywhere does no harm")
    func broken() {
        let plain: [UInt8] = [0, 5, 0, 10, 0x14, 0x66] + Self.name("xmpp.example.net")
        let loop: [UInt8] = [0, 1, 0, 0, 0x14, 0x67, 0xC0, 12 + 35 + 18]
        let whole = Self.answer([plain, loop, [1, 2, 3]])
        for length in 0...whole.count { _ = SystemResolver.services(inAnswer: Array(whole.prefix(length))) }
        for index in whole.indices {
            for value: UInt8 in [0, 1, 63, 64, 192, 255] {
                var changed = whole
                changed[index] = value
                _ = SystemResolver.services(inAnswer: changed)
            }
        }
        #expect(SystemResolver.services(inAnswer: []) == .none)
    }
}

/// Answers from a table, and notes what it was asked.
private struct FakeResolver: Resolving {
    var answer = ServiceAnswer.none
    var hosts: [String: [SocketAddress]] = [:]
    let asked = Recorder<String>()

    func services(of domain: String) -> ServiceAnswer {
        asked.record("SRV \(domain)")
        return answer
    }

    func addresses(of host: String, port: UInt16) throws(TransportError) -> [SocketAddress] {
        asked.record("\(host) \(port)")
        guard let addresses = hosts[host] else { throw TransportError(.dnsFailed, "\(host): no such name") }
        return addresses
    }
}

@Suite("Connecting", .serialized)
struct ConnectingTests {
    /// A listener that counts, and a port on which nobody listens.
    private func withServer(
        _ body: (EventLoop, UInt16, _ deadPort: UInt16) async throws -> Void
    ) async throws {
        try await withLoop { loop in
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
        _ address: ServerAddress,
        by resolver: FakeResolver,
        on loop: EventLoop
    ) async throws -> Recorder<ChannelEvent> {
        let events = Recorder<ChannelEvent>()
        let channel = try await loop.run {
            SocketConnector(resolver: resolver) { Constant(value: 0) }.connect(to: address, on: loop) {
                events.record($0)
            }
        }
        try await events.wait(count: 1)
        try await loop.run { channel.abort() }
        try await events.waitForClosure()
        return events
    }

    private func local(_ port: UInt16) throws -> SocketAddress { try #require(SocketAddress("127.0.0.1", port: port)) }

    @Test("tries the targets of SRV in turn, and each one's addresses")
    func targets() async throws {
        try await withServer { loop, port, dead in
            var resolver = FakeResolver()
            resolver.answer = .records([
                record(3, 0, "good.test", 3), record(1, 0, "gone.test", 1), record(2, 0, "dead.test", 2),
            ])
            resolver.hosts = [
                "dead.test": [try local(dead), try local(dead)], "good.test": [try local(dead), try local(port)],
            ]
            let events = try await connect(.domain("example.org"), by: resolver, on: loop)
            #expect(events.story == ["connected", "closed: local"])
            #expect(resolver.asked.values == ["SRV example.org", "gone.test 1", "dead.test 2", "good.test 3"])
        }
    }

    @Test("does not fall back to the domain itself when the targets of SRV fail")
    func noFallback() async throws {
        try await withServer { loop, port, dead in
            var resolver = FakeResolver()
            resolver.answer = .records([record(1, 0, "dead.test", 1)])
            resolver.hosts = ["dead.test": [try local(dead)], "example.org": [try local(port)]]
            let events = try await connect(.domain("example.org"), by: resolver, on: loop)
            #expect(events.story == ["closed: connecting failed"])
            #expect(resolver.asked.values == ["SRV example.org", "dead.test 1"])
        }
    }

    @Test("goes to the domain itself and port 5222 when there is no SRV")
    func fallback() async throws {
        try await withServer { loop, port, _ in
            var resolver = FakeResolver()
            resolver.hosts = ["example.org": [try local(port)]]
            let events = try await connect(.domain("example.org"), by: resolver, on: loop)
            #expect(events.story == ["connected", "closed: local"])
            #expect(resolver.asked.values == ["SRV example.org", "example.org 5222"])
        }
    }

    @Test("says when the service is not offered, and asks for no address")
    func notOffered() async throws {
        try await withServer { loop, port, _ in
            var resolver = FakeResolver()
            resolver.answer = .records([record(0, 0, "", 0)])
            resolver.hosts = ["example.org": [try local(port)]]
            let events = try await connect(.domain("example.org"), by: resolver, on: loop)
            #expect(events.story == ["closed: service not offered"])
            #expect(resolver.asked.values == ["SRV example.org"])
        }
    }

    @Test("of a configured host asks for no SRV, and says which name failed")
    func host() async throws {
        try await withServer { loop, port, _ in
            var resolver = FakeResolver()
            resolver.hosts = ["host.test": [try local(port)]]
            let events = try await connect(.host("host.test", port: 7), by: resolver, on: loop)
            #expect(events.story == ["connected", "closed: local"])
            #expect(resolver.asked.values == ["host.test 7"])
            let failed = try await connect(.host("other.test", port: 7), by: resolver, on: loop)
            #expect(try await failed.waitForError().description == "name lookup failed: other.test: no such name")
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
            #expect(resolver.asked.values == [])
        }
    }

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

    @Test("ends after its budget when names are slow, and the late answer does no harm")
    func budget() async throws {
        let time = ManualTime()
        try await withLoop(time) { loop in
            let gate = Gate()
            let events = Recorder<ChannelEvent>()
            _ = try await loop.run {
                SocketConnector(resolver: SlowResolver(gate: gate)).connect(to: .domain("example.org"), on: loop) {
                    events.record($0)
                }
            }
            try await gate.entered.wait(count: 1)
            time.advance(by: .seconds(30))
            #expect(try await events.waitForError().code == .timedOut)
            gate.open()
            try await gate.left.wait(count: 1)
            await loop.settle()
            #expect(events.values.count == 1)
        }
    }

    @Test("keeps no other slow work waiting while name servers are silent")
    func silentNames() async throws {
        let time = ManualTime()
        try await withLoop(time) { loop in
            let gate = Gate()
            _ = try await loop.run {
                for number in 0..<4 {
                    _ = SocketConnector(resolver: SlowResolver(gate: gate)).connect(
                        to: .domain("d\(number).example"), on: loop
                    ) { _ in }
                }
            }
            try await gate.entered.wait(count: 4)
            let done = Recorder<Int>()
            let work = Task { try await BlockingPool.run { done.record(1) } }
            let deadline = SystemTime().now + .seconds(10)
            while done.values.isEmpty, SystemTime().now < deadline { await loop.settle() }
            #expect(done.values == [1])
            gate.open()
            try await work.value
            time.advance(by: .seconds(30))
        }
    }

    @Test("asks no name server for an attempt that is over")
    func staleNames() async throws {
        try await withLoop { loop in
            let gate = Gate()
            let connector = SocketConnector(resolver: SlowResolver(gate: gate))
            let connect: @Sendable () -> any Channel = {
                connector.connect(to: .domain("d.example"), on: loop) { _ in }
            }
            _ = try await loop.run { for _ in 0..<4 { _ = connect() } }
            try await gate.entered.wait(count: 4)
            let stale = try await loop.run { (0..<50).map { _ in connect() } }
            await loop.settle()
            try await loop.run { for channel in stale { channel.abort() } }
            _ = try await loop.run { connect() }
            await loop.settle()
            gate.open()
            try await gate.left.wait(count: 5)
            #expect(gate.entered.values.count == 5)
        }
    }

    @Test("by the system's resolver reaches localhost")
    func systemResolver() async throws {
        try await withServer { loop, port, _ in
            let addresses = try SystemResolver().addresses(of: "localhost", port: port)
            #expect(addresses.contains { $0.description == "127.0.0.1:\(port)" || $0.description == "[::1]:\(port)" })
            #expect(throws: TransportError.self) { try SystemResolver().addresses(of: "no..name", port: 1) }
        }
    }
}

/// Holds a look-up until it is opened.
private final class Gate: Sendable {
    let entered = Recorder<Void>()
    let left = Recorder<Void>()
    private let turnstile = DispatchSemaphore(value: 0)

    func open() {
        turnstile.signal()
    }

    func pass() {
        entered.record(())
        turnstile.wait()
        // Open for the next one too.
        turnstile.signal()
        left.record(())
    }
}

private struct SlowResolver: Resolving {
    let gate: Gate

    func services(of domain: String) -> ServiceAnswer {
        gate.pass()
        return .none
    }

    func addresses(of host: String, port: UInt16) throws(TransportError) -> [SocketAddress] {
        throw TransportError(.dnsFailed, host)
    }
}
