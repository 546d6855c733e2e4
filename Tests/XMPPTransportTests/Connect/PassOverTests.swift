import Testing
import XMPPTestKit

@testable import XMPPTransport

@Suite("A server that is passed over", .serialized)
struct PassOverTests {
    private func passOver(
        _ channel: any Channel, on loop: EventLoop
    ) async throws -> (channel: any Channel, events: Recorder<ChannelEvent>)? {
        let events = Recorder<ChannelEvent>()
        let next = try await loop.run { channel.passOver { events.record($0) } }
        return next.map { ($0, events) }
    }

    private func end(_ channels: [any Channel], on loop: EventLoop) async throws {
        try await loop.run { for channel in channels { channel.abort() } }
        await loop.settle()
        #expect(loop.timerCount == 0)
    }

    @Test("leaves the next target, and that one the next, as channels of their own", arguments: [false, true])
    func oneAfterTheOther(closes: Bool) async throws {
        try await withLoop { loop in
            var listeners: [Listener] = []
            for _ in 0..<3 {
                listeners.append(
                    try Listener.tcp(on: loop) { connection in
                        { if case .connected = $0, closes { connection.channel.close() } }
                    })
            }
            defer { for listener in listeners { listener.close() } }
            let ports = listeners.map(\.port)
            // The last two are of one priority.
            let resolver = FakeResolver(services: [
                service: zip([1, 2, 2], ports).map { record($0, 0, "127.0.0.1", $1) }
            ])
            var (channel, events) = try await resolver.connect(to: .domain("example.org"), on: loop)
            var (channels, tried) = ([channel], Set<UInt16>())
            for number in 1...3 {
                try await events.waitForConnected()
                if closes { try await events.waitForClosure() }
                guard case .reached(let address, false) = events.steps.last else { break }
                tried.formUnion(ports.filter { address == "127.0.0.1:\($0)" })
                let next = try await passOver(channel, on: loop)
                #expect((next == nil) == (number == 3))
                // It is left once.
                #expect(try await passOver(channel, on: loop) == nil)
                guard let next else { break }
                (channel, events) = next
                channels.append(channel)
            }
            #expect(tried == Set(ports))
            #expect(resolver.asked.values.count == 1)
            try await end(channels, on: loop)
        }
    }

    @Test("leaves nothing before it is connected, and nothing once it was found good")
    func nothing() async throws {
        try await withLoop { loop in
            let listener = try Listener.tcp(on: loop) { _ in { _ in } }
            defer { listener.close() }
            let port = listener.port
            let resolver = FakeResolver(services: [service: (1...2).map { record($0, 0, "127.0.0.1", port) }])
            let events = Recorder<ChannelEvent>()
            let (channel, isNothingEarly) = try await loop.run {
                let channel = SocketConnector(resolver: resolver)
                    .connect(to: .domain("example.org"), on: loop) { events.record($0) }
                return (channel, channel.passOver { _ in } == nil)
            }
            #expect(isNothingEarly)
            try await events.waitForConnected()
            try await loop.run { channel.settle() }
            #expect(try await passOver(channel, on: loop) == nil)
            try await end([channel], on: loop)
        }
    }

    @Test("leaves its other addresses where there is no other target")
    func otherAddresses() async throws {
        try await withLoop { loop in
            let first = try Listener.tcp(host: "127.0.0.1", on: loop) { _ in { _ in } }
            defer { first.close() }
            let second = try Listener.tcp(host: "127.0.0.2", port: first.port, on: loop) { _ in { _ in } }
            defer { second.close() }
            let resolver = FakeResolver(hosts: ["h.test": ["127.0.0.1", "127.0.0.2"]])
            let address = ServerAddress.host("h.test", port: first.port)
            let (channel, events) = try await resolver.connect(to: address, on: loop)
            try await events.waitForConnected()
            let next = try #require(try await passOver(channel, on: loop))
            try await next.events.waitForConnected()
            #expect(next.events.steps.last == .reached("127.0.0.2:\(first.port)", isDirectTLS: false))
            #expect(try await passOver(next.channel, on: loop) == nil)
            try await end([channel, next.channel], on: loop)
        }
    }

    @Test("leaves a target whose addresses were not known yet: they are asked for again")
    func namesAgain() async throws {
        try await withLoop { loop in
            let listener = try Listener.tcp(on: loop) { _ in { _ in } }
            defer { listener.close() }
            let port = listener.port
            let resolver = FakeResolver(
                services: [service: [record(1, 0, "127.0.0.1", port), record(1, 0, "late.test", port)]],
                hosts: ["late.test": ["127.0.0.1"]], isHeld: { $0.hasPrefix("late.test") })
            let (channel, events) = try await resolver.connect(to: .domain("example.org"), on: loop)
            try await events.waitForConnected()
            let next = try #require(try await passOver(channel, on: loop))
            try await resolver.asked.wait { $0.count { $0.hasPrefix("late.test") } == 4 }
            try await loop.run { resolver.release() }
            try await next.events.waitForConnected()
            try await end([channel, next.channel], on: loop)
        }
    }

    @Test("leaves the rest behind direct TLS too; what fails there is told by what refused a certificate")
    func direct() async throws {
        let workshop = try CertificateWorkshop.shared.get()
        let settings = try workshop.settings()
        try await withLoop { loop in
            func listen(_ names: String, end: String = "20490101000000Z") throws -> Listener {
                var request = CertificateWorkshop.Request()
                (request.names, request.end) = (names, end)
                let context = try workshop.server(request)
                return try Listener.tcp(on: loop) { connection in
                    { event in
                        guard case .connected = event else { return }
                        connection.channel.startTLS(TLSSettings(domain: "", context: context))
                    }
                }
            }
            let good = try listen("DNS:example.org")
            let expired = try listen("DNS:example.org", end: "20200201000000Z")
            let closes = try Listener.tcp(on: loop) { connection in
                { if case .connected = $0 { connection.channel.close() } }
            }
            defer { for listener in [good, expired, closes] { listener.close() } }
            let ports = [good.port, expired.port, closes.port]
            let resolver = FakeResolver(services: [
                directService: zip([1, 2, 3] as [UInt16], ports).map { record($0, 0, "127.0.0.1", $1) }
            ])
            let (channel, events) = try await resolver.connect(to: .domain("example.org"), security: settings, on: loop)
            try await events.waitForSecured()
            let next = try #require(try await passOver(channel, on: loop))
            let error = try await next.events.waitForError()
            #expect(error.certificateProblem == .expired)
            #expect(next.events.steps.count { if case .failed = $0 { true } else { false } } == 2)
            #expect(try await passOver(next.channel, on: loop) == nil)
            try await end([channel, next.channel], on: loop)
        }
    }
}
