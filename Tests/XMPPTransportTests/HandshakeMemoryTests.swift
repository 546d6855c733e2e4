import Testing
import XMPPTestKit

@testable import XMPPTransport

@Suite("What a burst of handshakes leaves")
struct HandshakeMemoryTests {
    /// The memory belongs to the loop.
    private struct Confined: @unchecked Sendable {
        // Unchecked because: touched on the loop only.
        let memory: HandshakeMemory
    }

    @Test("is given back once it has been quiet for a while, and not before, nor after a few handshakes")
    func isGivenBack() async throws {
        let time = ManualTime()
        let loop = try EventLoop(name: "burst", time: time)
        loop.start()
        defer { loop.stop() }
        let (given, giver) = AsyncStream<Void>.makeStream()
        var gifts = given.makeAsyncIterator()
        let confined = Confined(memory: HandshakeMemory { giver.yield() })
        func handshakes(_ count: Int) async {
            for _ in 0..<count { loop.execute { confined.memory.handshakeEnded(on: loop) } }
            await loop.settle()
        }
        for _ in 0..<2 {
            await handshakes(HandshakeMemory.burst - 1)
            #expect(loop.timerCount == 0)
            // A few now and then are no burst.
            time.advance(by: HandshakeMemory.rest + .milliseconds(1))
            await handshakes(HandshakeMemory.burst - 1)
            #expect(loop.timerCount == 0)
            await handshakes(1)
            #expect(loop.timerCount == 1)
            time.advance(by: HandshakeMemory.rest - .milliseconds(1))
            await handshakes(1)
            // There was one meanwhile: as long again from that.
            time.advance(by: HandshakeMemory.rest - .milliseconds(1))
            await loop.settle()
            #expect(loop.timerCount == 1)
            time.advance(by: .milliseconds(1))
            #expect(await gifts.next() != nil)
            await loop.settle()
            #expect(loop.timerCount == 0)
        }
        giver.finish()
        #expect(await gifts.next() == nil)
    }
}
