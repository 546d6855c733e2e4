import Dispatch
import DoorwardStore
import Testing
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// Tasks that prefer another executor than an actor's give way where they begin to wait: what they wait for may come in
/// between.
@Suite struct WaitingTests {
    @Test("whoever waits for an account's end learns of it, at whatever moment it comes")
    func end() async throws {
        let (own, other) = (try EventLoop(name: "own"), try EventLoop(name: "other"))
        for loop in [own, other] { loop.start() }
        let environment = AccountEnvironment(
            store: try Store(path: ":memory:"), connector: MemoryConnector { _, _ in nil }, trust: TLSContextCache(),
            board: StatusBoard(), events: { _ in })
        for _ in 0..<100 {
            let account = Account(
                configuration: .of("bot@example.org"), policy: .of([]), redeliveryWait: .zero, loop: own,
                environment: environment)
            // The account's loop is held while both get in line, so that the end comes right behind the question.
            let gate = DispatchSemaphore(value: 0)
            own.execute { gate.wait() }
            let waiting = Task.immediate(executorPreference: other) { await account.ended() }
            await other.settle()
            let ending = Task(executorPreference: own) { await account.end() }
            gate.signal()
            await ending.value
            await waiting.value
        }
        for loop in [own, other] { loop.stop() }
    }

    @Test("a place in the gate that is given back is never lost, wherever those run who want it")
    func gate() async throws {
        let loops = try (0..<2).map { try EventLoop(name: "loop-\($0)") }
        for loop in loops { loop.start() }
        let gate = StartGate(width: 1)
        await withDiscardingTaskGroup { group in
            for number in 0..<2_000 {
                group.addTask(executorPreference: loops[number % 2]) {
                    await gate.enter()
                    await gate.leave()
                }
            }
        }
        for loop in loops { loop.stop() }
    }
}
