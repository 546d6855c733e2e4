import Synchronization
import Testing
import XMPPTransport

@testable import XMPPTestKit

/// Waiting until nothing is left to do.
@Suite struct ManualTimeTests {
    @Test("a settled time has no loop by it, and no server beside it, with anything left to do")
    func settles() async throws {
        let time = ManualTime()
        let server = try ScriptedServer()
        let loops = [try EventLoop(name: "one", time: time), try EventLoop(name: "two", time: time)]
        for loop in loops { loop.start() }
        _ = server.transport(time: time)
        let others = loops + [server.loop]
        let hops = Atomic(0)
        // From one loop to the next, a thousand times, begun by a timer.
        @Sendable func hop() {
            let number = hops.add(1, ordering: .relaxed).newValue
            if number < 1000 { others[(number * 7 + number / 3) % others.count].execute { hop() } }
        }
        loops[0].schedule(after: .seconds(5)) { hop() }
        await time.settle()
        #expect(hops.load(ordering: .relaxed) == 0)
        time.advance(by: .seconds(5))
        await time.settle()
        #expect(hops.load(ordering: .relaxed) == 1000)
        // One that has stopped is nobody to wait for.
        loops[1].stop()
        server.stop()
        await time.settle()
        loops[0].stop()
        await time.settle()
    }

    @Test("the times of others are not waited for, and what is gone is forgotten")
    func alone() async throws {
        let time = ManualTime()
        await time.settle()
        do {
            let loop = try EventLoop(name: "gone", time: time)
            loop.start()
            loop.stop()
        }
        await time.settle()
    }
}
