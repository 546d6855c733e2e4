import Glibc
import XMPPTransport

/// What must be undone at the end, also where Ctrl-C is the end.
final class Cleanup: Sendable {
    private let steps = Locked<[@Sendable () -> Void]>([])

    func add(_ step: @escaping @Sendable () -> Void) {
        steps.withLock { $0.append(step) }
    }

    /// Does all of it, the last first; once.
    func run() {
        while let step = steps.withLock({ $0.popLast() }) { step() }
    }
}
