import Glibc
import XMPPTransport

/// What must be undone at the end, also where Ctrl-C is the end.
final class Cleanup: Sendable {
    private let steps = Locked<[@Sendable () -> Void]>([])
    private let isRunning = Locked(())

    func add(_ step: @escaping @Sendable () -> Void) {
        steps.withLock { $0.append(step) }
    }

    /// Does all of it, the last first; once.
    ///
    /// A second caller waits for the first: when this returns, all is done.
    func run() {
        isRunning.withLock { _ in
            while let step = steps.withLock({ $0.popLast() }) { step() }
        }
    }
}
