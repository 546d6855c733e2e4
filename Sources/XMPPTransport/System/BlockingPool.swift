import Dispatch

/// Where work that blocks runs: reading files, slow hashes.
///
/// At most four at a time, in order. Programs of others, which may take as long as they like, have a lane of their own:
/// one that hangs keeps nobody's login waiting.
package enum BlockingPool {
    private static let work = Lane("blocking")
    private static let programs = Lane("programs")

    /// Runs `work` on the pool and hands its result back.
    ///
    /// Work that has begun is not stopped by cancelling.
    package static func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await result(of: work, on: Self.work)
    }

    /// Runs work that waits for a program of somebody else, which may take long.
    package static func runProgram<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await result(of: work, on: programs)
    }

    private static func result<T: Sendable>(
        of work: @escaping @Sendable () throws -> T, on lane: Lane
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            lane.submit { continuation.resume(with: Result(catching: work)) }
        }
    }

    /// Runs work whose result goes its own way.
    static func submit(_ body: @escaping @Sendable () -> Void) { work.submit(body) }
}

/// At most four pieces of work at a time, in order.
private final class Lane: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
        var head = 0
    }

    private static let width = 4
    private let state = Locked(State())
    private let queue: DispatchQueue

    init(_ label: String) {
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    func submit(_ work: @escaping @Sendable () -> Void) {
        let startsNow = state.withLock { state in
            guard state.running < Self.width else {
                state.waiting.append(work)
                return false
            }
            state.running += 1
            return true
        }
        if startsNow { start(work) }
    }

    private func start(_ work: @escaping @Sendable () -> Void) {
        queue.async {
            work()
            if let next = self.takeNext() { self.start(next) }
        }
    }

    private func takeNext() -> (@Sendable () -> Void)? {
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
