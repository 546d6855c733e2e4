import Synchronization
import Testing
import XMPPTestKit
import XMPPTransport

private actor Pinned {
    nonisolated let loop: EventLoop
    var seen: [Int] = []

    init(loop: EventLoop) {
        self.loop = loop
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func add(_ number: Int) {
        seen.append(number)
    }

    var isOnLoop: Bool { loop.isOnLoop }
}

@Suite("The event loop")
struct EventLoopTests {
    @Test("runs what one thread gives it in that order")
    func order() async throws {
        try await withLoop { loop in
            let seen = Recorder<Int>()
            for number in 0..<5000 { loop.execute { seen.record(number) } }
            let values = try await seen.wait(count: 5000)
            #expect(values == Array(0..<5000))
        }
    }

    @Test("runs what jobs start after them, not within them")
    func nested() async throws {
        try await withLoop { loop in
            let seen = Recorder<String>()
            loop.execute {
                loop.execute { seen.record("inner") }
                seen.record("outer")
            }
            let values = try await seen.wait(count: 2)
            #expect(values == ["outer", "inner"])
        }
    }

    @Test("works off more jobs than one turn has time for, in their order, and timers between them")
    func bounded() async throws {
        try await withLoop { loop in
            let seen = Recorder<Int>()
            // Each takes long beside its share of a turn. The timer is made by the first: before all others are done.
            for number in 0..<64 {
                loop.execute {
                    if number == 0 { loop.schedule(after: .zero) { seen.record(-1) } }
                    let end = ContinuousClock.now + .microseconds(300)
                    while ContinuousClock.now < end {}
                    seen.record(number)
                }
            }
            let values = try await seen.wait(count: 65)
            #expect(values.filter { $0 >= 0 } == Array(0..<64))
            #expect(values.last != -1, "the timer waited for all jobs")
        }
    }

    @Test("has one of each thing that is shared on it")
    func shared() async throws {
        final class Thing: Sendable {}
        try await withLoop { loop in
            let same = Recorder<Bool>()
            loop.execute {
                let first = loop.shared { Thing() }
                same.record(first === loop.shared { Thing() })
            }
            let values = try await same.wait(count: 1)
            #expect(values == [true])
        }
    }

    @Test("is the executor of the actors pinned to it")
    func actors() async throws {
        try await withLoop { loop in
            let pinned = Pinned(loop: loop)
            #expect(await pinned.isOnLoop)
            #expect(!loop.isOnLoop)
        }
    }

    @Test("lets its callbacks enter a pinned actor without a hop")
    func assumeIsolated() async throws {
        try await withLoop { loop in
            let pinned = Pinned(loop: loop)
            try await loop.run { pinned.assumeIsolated { $0.add(1) } }
            #expect(await pinned.seen == [1])
        }
    }

    @Test("keeps a task that prefers it, over continuations too")
    func preference() async throws {
        try await withLoop { loop in
            let places = await Task(executorPreference: loop) {
                let before = loop.isOnLoop
                await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
                return [before, loop.isOnLoop]
            }.value
            #expect(places == [true, true])
        }
    }

    @Test("runs the jobs at hand before it stops")
    func stopping() async throws {
        let loop = try EventLoop(name: "stopping")
        let count = Atomic<Int>(0)
        let counted = Recorder<Void>()
        for _ in 0..<2000 { loop.execute { counted.record(()) } }
        loop.start()
        loop.stop()
        #expect(counted.values.count == 2000)
        loop.stop()
        #expect(count.load(ordering: .relaxed) == 0)
    }

    @Test("can be stopped by a job of its own")
    func stoppingItself() async throws {
        let loop = try EventLoop(name: "self")
        let done = Recorder<Void>()
        loop.start()
        loop.execute {
            loop.stop()
            loop.execute { done.record(()) }
        }
        try await done.wait(count: 1)
    }

    @Test("measures its longest turn")
    func longestTurn() async throws {
        try await withLoop { loop in
            try await loop.run { loop.resetLongestTurn() }
            try await loop.run {
                let start = SystemTime().now
                while SystemTime().now - start < .milliseconds(20) {}
            }
            await loop.settle()
            await loop.settle()
            #expect(loop.longestTurn >= .milliseconds(20))
            try await loop.run { loop.resetLongestTurn() }
            await loop.settle()
            #expect(loop.longestTurn < .seconds(5))
        }
    }
}

@Suite("Timers")
struct TimerTests {
    @Test("fire by due time, and of one time in the order of their making")
    func order() async throws {
        let time = ManualTime()
        try await withLoop(time) { loop in
            let fired = Recorder<String>()
            loop.schedule(after: .seconds(2)) { fired.record("two") }
            loop.schedule(after: .seconds(1)) { fired.record("one") }
            loop.schedule(after: .seconds(2)) { fired.record("two again") }
            loop.schedule(after: .seconds(3)) { fired.record("three") }
            time.advance(by: .milliseconds(999))
            await loop.settle()
            #expect(fired.values == [])
            time.advance(by: .milliseconds(1))
            await loop.settle()
            #expect(fired.values == ["one"])
            time.advance(by: .seconds(10))
            await loop.settle()
            #expect(fired.values == ["one", "two", "two again", "three"])
            #expect(loop.timerCount == 0)
        }
    }

    @Test("do not fire once taken back, also by another that is due")
    func cancelling() async throws {
        let time = ManualTime()
        try await withLoop(time) { loop in
            let fired = Recorder<String>()
            let second = Locked<TimerID?>(nil)
            loop.schedule(after: .seconds(1)) {
                fired.record("first")
                second.withLock { $0 }.map(loop.cancel)
            }
            let id = loop.schedule(after: .seconds(1)) { fired.record("second") }
            second.withLock { $0 = id }
            time.advance(by: .seconds(1))
            await loop.settle()
            #expect(fired.values == ["first"])
            loop.cancel(id)
        }
    }

    @Test("leave nothing behind when taken back")
    func noGrowth() async throws {
        try await withLoop(ManualTime()) { loop in
            for _ in 0..<1000 {
                loop.cancel(loop.schedule(after: .seconds(60)) {})
            }
            #expect(loop.timerCount == 0)
        }
    }

    @Test("fire on the loop, on the system's time as well")
    func systemTime() async throws {
        try await withLoop { loop in
            let fired = Recorder<Bool>()
            loop.schedule(after: .milliseconds(5)) { fired.record(loop.isOnLoop) }
            let values = try await fired.wait(count: 1)
            #expect(values == [true])
        }
    }

    @Test("that repeat themselves fire once for each step of time")
    func repeating() async throws {
        let time = ManualTime()
        try await withLoop(time) { loop in
            let fired = Recorder<Duration>()
            @Sendable func again() {
                loop.schedule(after: .seconds(1)) {
                    fired.record(time.now)
                    again()
                }
            }
            again()
            for _ in 0..<3 {
                time.advance(by: .seconds(1))
                await loop.settle()
            }
            #expect(fired.values == [.seconds(1), .seconds(2), .seconds(3)])
        }
    }

    @Test("in great number and any order come out in order")
    func many() async throws {
        let time = ManualTime()
        try await withLoop(time) { loop in
            let fired = Recorder<Int>()
            var expected: [Int] = []
            for step in 0..<1000 {
                let delay = 1 + step * 7919 % 1009
                let id = loop.schedule(after: .milliseconds(delay)) { fired.record(delay) }
                if step % 3 == 0 { loop.cancel(id) } else { expected.append(delay) }
            }
            time.advance(by: .seconds(2))
            let values = try await fired.wait(count: expected.count)
            #expect(values == expected.sorted())
        }
    }

    @Test("are not slept over when time moves just as the loop goes to sleep")
    func noLostWake() async throws {
        let time = ManualTime()
        try await withLoop(time) { loop in
            let fired = Recorder<Int>()
            for number in 0..<3000 {
                loop.schedule(after: .seconds(1)) { fired.record(number) }
                time.advance(by: .seconds(1))
                // No other call wakes the loop here.
                try await fired.wait(count: number + 1)
            }
        }
    }

    @Test("follow a wall clock that moves with the manual time, or jumps alone")
    func wallClock() {
        let time = ManualTime(wallMilliseconds: 1000)
        time.advance(by: .milliseconds(250))
        #expect(time.wallMilliseconds == 1250)
        time.jumpWall(byMilliseconds: -1000)
        #expect(time.wallMilliseconds == 250)
        #expect(time.now == .milliseconds(250))
    }
}

@Suite("The blocking pool")
struct BlockingPoolTests {
    private struct Fault: Error {}

    @Test("hands results and errors back")
    func results() async throws {
        #expect(try await BlockingPool.run { 7 } == 7)
        await #expect(throws: Fault.self) { try await BlockingPool.run { throw Fault() } }
    }

    @Test("runs at most four at a time, and all in the end")
    func width() async throws {
        let running = Locked((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await BlockingPool.run {
                        running.withLock { running in
                            running.now += 1
                            running.most = max(running.most, running.now)
                        }
                        let start = SystemTime().now
                        while SystemTime().now - start < .microseconds(100) {}
                        running.withLock { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.withLock { $0.now } == 0)
        #expect(running.withLock { $0.most } <= 4)
    }
}
