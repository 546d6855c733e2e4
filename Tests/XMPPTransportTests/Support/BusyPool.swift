import Dispatch

@testable import XMPPTransport

/// Keeps the pool for work that blocks from doing anything, until `free()`.
final class BusyPool: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let begun = Recorder<Void>()

    init() {
        for _ in 0..<4 {
            BlockingPool.submit { [gate, begun] in
                begun.record(())
                gate.wait()
            }
        }
    }

    /// Returns when all of it is taken.
    func isBusy() async { _ = try? await begun.wait(count: 4) }

    func free() {
        for _ in 0..<4 { gate.signal() }
    }
}
