import Dispatch
import Testing
import XMPPTestKit

@testable import XMPPTransport

/// Steps of handshakes wait for each other; what one has waited is not its peer's delay.
@Suite("A handshake's deadline")
struct HandshakeQueueTests {
    private let client: TLSSettings

    init() throws {
        client = try CertificateWorkshop.shared.get().settings()
    }

    /// Steps of others on a machine that is slow indeed: the second one takes as long as the test says.
    private final class Others: Sendable {
        private let entered = DispatchSemaphore(value: 0)
        private let gate = DispatchSemaphore(value: 0)

        /// To be called on the loop: what is queued from now on waits for them.
        func queue(on loop: EventLoop) {
            // It uses up the share of its turn, so that the next turn begins with the jobs and not with the second one.
            loop.executeHeavy {
                let end = SystemTime().now + .milliseconds(20)
                while SystemTime().now < end {}
            }
            loop.executeHeavy { [self] in
                entered.signal()
                gate.wait()
            }
        }

        func begun() async throws { try await BlockingPool.run { self.entered.wait() } }

        func end() { gate.signal() }
    }

    /// A handshake with somebody who never says anything.
    private struct Handshake: Sendable {
        let loop: EventLoop
        let channel: any Channel
        let events: Recorder<ChannelEvent>
        let time: ManualTime

        /// It has its fifteen seconds from now on, and no more.
        func expectEnd() async throws {
            time.advance(by: .milliseconds(14_999))
            await loop.settle()
            #expect(events.closure == nil)
            time.advance(by: .milliseconds(1))
            #expect(try await events.waitForError().code == .timedOut)
            await loop.settle()
            #expect(loop.timerCount == 0)
        }
    }

    /// Begins one, behind `others` where there are such.
    private func withHandshake(
        isDirect: Bool, behind others: Others? = nil, _ body: (Handshake) async throws -> Void
    ) async throws {
        let client = client
        let time = ManualTime()
        try await withLoop(time) { loop in
            let heard = Recorder<ChannelEvent>()
            let silent = try Listener.tcp(on: loop) { _ in { heard.record($0) } }
            defer { silent.close() }
            let address = ServerAddress.host("127.0.0.1", port: silent.port, isDirectTLS: isDirect)
            let events = Recorder<ChannelEvent>()
            let channel = try await loop.run {
                SocketConnector().connect(to: address, security: client, on: loop) { event in
                    events.record(event)
                    if isDirect, case .attempted(.reached) = event { others?.queue(on: loop) }
                }
            }
            if !isDirect {
                try await events.waitForConnected()
                try await loop.run {
                    others?.queue(on: loop)
                    channel.startTLS(client)
                }
            }
            if let others {
                try await others.begun()
                time.advance(by: .seconds(60))
                others.end()
            }
            // Its turn has come.
            try await heard.waitForBytes(1)
            try await body(Handshake(loop: loop, channel: channel, events: events, time: time))
        }
    }

    @Test("does not count what waiting for the others took", arguments: [false, true])
    func queued(isDirect: Bool) async throws {
        try await withHandshake(isDirect: isDirect, behind: Others()) { handshake in
            let channel = handshake.channel
            #expect(try await handshake.loop.run { channel.timeInQueue } == .seconds(60))
            try await handshake.expectEnd()
        }
    }

    @Test("ends a peer that is silent though nobody else has anything to do", arguments: [false, true])
    func alone(isDirect: Bool) async throws {
        try await withHandshake(isDirect: isDirect) { try await $0.expectEnd() }
    }
}
