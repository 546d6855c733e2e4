import Dispatch
import Testing
import XMPPTestKit
import XMPPTransport

@Suite("The threads of modules")
struct ModuleExecutorTests {
    /// A job that keeps its thread until it is let go.
    private final class Stopper: Sendable {
        private let begun = EventRecorder<Bool>()
        private let gate = DispatchSemaphore(value: 0)

        func stop() {
            begun.record(true)
            gate.wait()
        }

        func hasBegun() async throws { _ = try await begun.next { _ in true } }
        func letGo() { gate.signal() }
    }

    private func withExecutor(
        width: Int = 1, spares: Int = 1, _ body: (ModuleExecutor, ManualTime, EventLoop) async throws -> Void
    ) async throws {
        let time = ManualTime()
        let loop = try EventLoop(name: "watch", time: time)
        loop.start()
        let executor = ModuleExecutor(width: width, spares: spares, watch: loop)
        try await body(executor, time, loop)
        executor.end()
        loop.stop()
    }

    @Test("the jobs of a lane run one at a time, and in their order")
    func order() async throws {
        try await withExecutor(width: 4) { executor, _, _ in
            let lane = ModuleLane(executor)
            let state = Locked((inside: 0, most: 0, seen: [Int]()))
            await withTaskGroup { group in
                for number in 0..<200 {
                    group.addTask(executorPreference: lane) {
                        state.withLock { state in
                            state.inside += 1
                            state.most = max(state.most, state.inside)
                            state.seen.append(number)
                        }
                        state.withLock { $0.inside -= 1 }
                    }
                }
            }
            #expect(state.withLock { $0.seen } == Array(0..<200))
            #expect(state.withLock { $0.most } == 1)
        }
    }

    @Test("a job that keeps its thread for five seconds is left to itself: another thread goes on, and it is told")
    func lost() async throws {
        try await withExecutor { executor, time, loop in
            let (stopper, lost) = (Stopper(), EventRecorder<Bool>())
            let (stuck, other) = (ModuleLane(executor) { lost.record($0) }, ModuleLane(executor))
            let blocked = Task(executorPreference: stuck) { stopper.stop() }
            try await stopper.hasBegun()
            let waiting = Task(executorPreference: other) { true }
            time.advance(by: .seconds(4))
            await loop.settle()
            #expect(executor.lostThreads == 0)
            time.advance(by: .seconds(1))
            await loop.settle()
            #expect(await waiting.value)
            #expect(try await lost.next { $0 })
            #expect(executor.lostThreads == 1)
            stopper.letGo()
            await blocked.value
            _ = try await lost.next { !$0 }
            #expect(executor.lostThreads == 0)
            #expect(await Task(executorPreference: stuck) { true }.value)
        }
    }

    @Test("no more threads are given up than there are spares; then what is left waits until one comes back")
    func bound() async throws {
        try await withExecutor(spares: 1) { executor, time, loop in
            let stoppers = [Stopper(), Stopper()]
            var blocked: [Task<Void, Never>] = []
            for stopper in stoppers {
                blocked.append(Task(executorPreference: ModuleLane(executor)) { stopper.stop() })
                // The second one gets the place of the first.
                for _ in 0..<6 {
                    time.advance(by: .seconds(1))
                    await loop.settle()
                }
                try await stopper.hasBegun()
            }
            for _ in 0..<6 {
                time.advance(by: .seconds(1))
                await loop.settle()
            }
            #expect(executor.lostThreads == 2)
            let waiting = Task(executorPreference: ModuleLane(executor)) { true }
            stoppers.first?.letGo()
            #expect(await waiting.value)
            stoppers.last?.letGo()
            for task in blocked { await task.value }
        }
    }
}
