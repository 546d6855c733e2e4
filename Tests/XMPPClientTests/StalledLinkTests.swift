import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import XMPPClient

/// A link that stops for a while, and goes on.
@Suite struct StalledLinkTests {
    private func client(_ transport: ClientTransport, _ change: (inout Client.Options) -> Void = { _ in }) throws
        -> Client
    {
        var options = Client.Options()
        options.transport = transport
        options.backoff = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        change(&options)
        return try Client(account: .bot, password: "secret", options: options)
    }

    private func server() async throws -> ScriptedServer {
        let server = try ScriptedServer()
        await server.add(.bot, password: "secret")
        return server
    }

    @Test(
        "a login goes on where it was when the stall ends, whether or not in pieces", arguments: [0, 1, 150], [nil, 1])
    func goesOn(bytes: Int, pieceSize: Int?) async throws {
        let (server, time) = (try await server(), ManualTime())
        let faults = LinkFaults(pieceSize: pieceSize, stall: .init(after: bytes, lasting: .seconds(20)))
        let client = try client(server.transport(time: time).withFaults { _ in faults })
        let running = Task { try await client.run() }
        _ = try await server.events.next { $0 == .connected(1) }
        await time.settle()
        time.advance(by: .milliseconds(19_999))
        await time.settle()
        #expect(!server.received.all.contains { $0.element.name == "starttls" })
        time.advance(by: .milliseconds(1))
        _ = try await server.events.next { if case .available(_, 1) = $0 { true } else { false } }
        await client.stop()
        try await running.value
        server.stop()
    }

    @Test("a stall that takes longer than a stage may is given up, and the next connection is another")
    func tooLong() async throws {
        let (server, time) = (try await server(), ManualTime())
        let client = try client(
            server.transport(time: time).withFaults {
                $0 == 1 ? LinkFaults(stall: .init(after: 10, lasting: .seconds(100))) : .none
            })
        let running = Task { try await client.run() }
        _ = try await server.events.next { $0 == .connected(1) }
        await time.settle()
        time.advance(by: .seconds(31))
        await time.settle()
        time.advance(by: .seconds(1))
        _ = try await server.events.next { if case .available(_, 2) = $0 { true } else { false } }
        await client.stop()
        try await running.value
        server.stop()
    }

    @Test("a client that is stopped within a stall does not wait for its end")
    func stopped() async throws {
        let (server, time) = (try await server(), ManualTime())
        let client = try client(
            server.transport(time: time).withFaults { _ in LinkFaults(stall: .init(after: 10, lasting: .seconds(20))) })
        let running = Task { try await client.run() }
        _ = try await server.events.next { $0 == .connected(1) }
        await time.settle()
        await client.stop()
        try await running.value
        server.stop()
    }

    @Test("TLS itself may stall within its handshake, behind a proxy", arguments: [0, 300, 700])
    func proxied(bytes: Int) async throws {
        let (server, time) = (try await server(), ManualTime())
        let authority = try TestAuthority()
        let port = try await server.listen(with: try authority.certificate(for: "example.org"), isDirectTLS: true)
        let stalls = EventRecorder<Int>()
        let proxy = try FaultProxy(to: port, time: time) { connection in
            stalls.record(connection)
            return LinkFaults(stall: .init(after: bytes, lasting: .seconds(20)))
        }
        let client = try client(.network) {
            $0.server = .init(host: "127.0.0.1", port: proxy.port, usesDirectTLS: true)
            $0.authorities = authority.caFile
        }
        let running = Task { try await client.run() }
        #expect(try await stalls.next { $0 == 1 } == 1)
        _ = try await server.events.next { $0 == .connected(1) }
        // The stall begins when the server's bytes have come as far; from then on its end is only a matter of this clock.
        let isOnline = Locked(false)
        let advancing = Task {
            while !isOnline.withLock({ $0 }) {
                time.advance(by: .seconds(1))
                await time.settle()
            }
        }
        _ = try await server.events.next { if case .available(_, 1) = $0 { true } else { false } }
        isOnline.withLock { $0 = true }
        await advancing.value
        await client.stop()
        try await running.value
        proxy.stop()
        await server.stopListening()
        server.stop()
    }
}
