import Dispatch

/// Where work that blocks runs: name look-ups, reading files, slow hashes.
///
/// At most four at a time, in order.
package enum BlockingPool {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
        var head = 0
    }

    static let width = 4
    private static let state = Locked(State())
    private static let queue = DispatchQueue(label: "blocking", attributes: .concurrent)

    /// Runs `work` on the pool and hands its result back.
    ///
    /// Work that has begun is not stopped by cancelling.
    package static func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            submit { continuation.resume(with: Result(catching: work)) }
        }
    }

    /// Runs `work` on the pool.
    static func submit(_ work: @escaping @Sendable () -> Void) {
        let startsNow = state.withLock { state in
            guard state.running < width else {
                state.waiting.append(work)
                return false
            }
            state.running += 1
            return true
        }
        if startsNow { start(work) }
    }

    private static func start(_ work: @escaping @Sendable () -> Void) {
        queue.async {
            work()
            if let next = takeNext() { start(next) }
        }
    }

    private static func takeNext() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.head < state.waiting.count else {
                state.running -= 1
                return nil
            }
            let next = state.waiting[state.head]
            state.head += 1
            // The part that has been taken is dropped in large steps: each single one would move the whole rest.
            if state.head == state.waiting.count || state.head >= 1024 {
                state.waiting.removeFirst(state.head)
                state.head = 0
            }
            return next
        }
    }
}
