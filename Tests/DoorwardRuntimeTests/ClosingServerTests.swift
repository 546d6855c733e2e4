import DoorwardConfig
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// A server, or something in front of it, that takes every connection and closes it (B063).
@Suite struct ClosingServerTests {
    enum Closing: CaseIterable {
        case atOnce, behindHeader
    }

    /// Connects over TCP to a port that is known later, whatever the address says.
    private struct ToPort: Connector {
        let port: Locked<UInt16>
        let tries: EventRecorder<Duration>

        func connect(
            to address: ServerAddress, security: TLSSettings?, on loop: EventLoop,
            handler: @escaping @Sendable (ChannelEvent) -> Void
        ) -> any Channel {
            tries.record(loop.time.now)
            return SocketConnector().connect(
                to: .host("127.0.0.1", port: port.withLock { $0 }), security: security, on: loop, handler: handler)
        }
    }

    @Test(
        "that closes twenty connections is met by waits that grow, stay under their ceiling, and differ",
        arguments: Closing.allCases)
    func twenty(_ closing: Closing) async throws {
        let authority = try TestAuthority()
        let certificate = try authority.certificate(for: "example.org")
        let (port, tries) = (Locked<UInt16>(0), EventRecorder<Duration>())
        var account = AccountConfiguration.of("bot@example.org")
        account.connect.caFile = authority.caFile
        try await inWorld(
            [account], connector: { _ in ToPort(port: port, tries: tries) },
            before: { server in
                do {
                    let open = try await server.listen(with: certificate)
                    port.withLock { $0 = open }
                } catch {
                    Issue.record(error)
                }
                await server.behave {
                    switch closing {
                    case .atOnce: $0.isReachable = false
                    case .behindHeader: $0.interruption = .init(at: .headerInClear, xml: "")
                    }
                }
            }
        ) { world in
            var waits: [Duration] = []
            for number in 1...20 {
                try await world.until("it rests") {
                    let state = try await world.service.status().accounts.first?.state
                    return tries.all.count == number && state == .waiting
                }
                #expect(tries.all.count == number)
                #expect(world.connects == number)
                // The wait is the only timer of the loop.
                try await world.until("the wait has begun") { world.loop.timerCount == 1 }
                let start = world.time.now
                // Its end is seen at once: no timer is left, or it is connecting and others have begun.
                while world.loop.timerCount == 1,
                    try await world.service.status().accounts.first?.state == .waiting,
                    // That may be the rest behind the next try already.
                    tries.all.count == number
                {
                    await world.pass(.seconds(1))
                }
                waits.append(world.time.now - start)
                if number == 20 { break }
                try await world.until("it is tried again") { tries.all.count == number + 1 }
            }
            // A step, and what went by on the way from one executor to the next.
            for (index, wait) in waits.enumerated() {
                #expect(wait <= RestartPolicy.ceiling(index + 1) + .seconds(5), "wait \(index + 1)")
            }
            // All eleven of the last below a quarter of the cap: one chance in four million.
            #expect(waits.suffix(11).max() ?? .zero > RestartPolicy.cap / 4)
            #expect(waits.suffix(11).max() ?? .zero > (waits.prefix(4).max() ?? .zero) * 2)
            #expect(Set(waits.suffix(11)).count >= 8)
            // A server that lets in again gets the account back.
            await world.server.behave { ($0.isReachable, $0.interruption) = (true, nil) }
            try await world.until("it is back") {
                let state = try await world.service.status().accounts.first?.state
                // A login over TCP takes real time, in which none of this clock may go by.
                if state == .waiting { await world.pass(.seconds(1)) }
                return state == .online
            }
            await world.server.stopListening()
        }
    }
}
