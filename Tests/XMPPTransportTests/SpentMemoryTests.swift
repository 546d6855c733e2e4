import Testing
import XMPPTestKit

@testable import XMPPTransport

@Suite("What something large leaves")
struct SpentMemoryTests {
    /// The memory belongs to the loop.
    private struct Confined: @unchecked Sendable {
        // Unchecked because: touched on the loop only.
        let memory: SpentMemory
    }

    @Test("is given back a moment later, once for all that comes until then")
    func isGivenBack() async throws {
        let time = ManualTime()
        let loop = try EventLoop(name: "spent", time: time)
        loop.start()
        defer { loop.stop() }
        let (given, giver) = AsyncStream<Void>.makeStream()
        var gifts = given.makeAsyncIterator()
        let confined = Confined(memory: SpentMemory { giver.yield() })
        for _ in 0..<2 {
            for _ in 0..<5 { loop.execute { confined.memory.spent(on: loop) } }
            await loop.settle()
            #expect(loop.timerCount == 1)
            time.advance(by: SpentMemory.pause)
            #expect(await gifts.next() != nil)
            await loop.settle()
            #expect(loop.timerCount == 0)
        }
        giver.finish()
        #expect(await gifts.next() == nil)
    }
}
