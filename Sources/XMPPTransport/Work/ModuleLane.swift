/// The place of one module in a ``ModuleExecutor``: its jobs run one after another, so that it can keep one thread at most.
///
/// Tasks that prefer it run there, with all that they call in the isolation of nobody, or of actors without an executor of
/// their own.
package final class ModuleLane: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var head = 0
        /// Jobs that were begun.
        var begun = 0
        /// Whether the executor knows that there are some, or runs one.
        var isScheduled = false
    }

    private let executor: ModuleExecutor
    private let state = Locked(State())
    private let onLost: @Sendable (_ isLost: Bool) -> Void

    /// - Parameters:
    ///   - executor: Whose threads run it.
    ///   - onLost: Told that a job does not come back in time, and when it has come back.
    package init(_ executor: ModuleExecutor, onLost: @escaping @Sendable (_ isLost: Bool) -> Void = { _ in }) {
        self.executor = executor
        self.onLost = onLost
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = state.withLock { state in
            state.jobs.append(job)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { executor.ready(self) }
    }

    /// Whether nothing is to be done or is being done, and how many jobs were begun so far; for tests that wait until there
    /// are no more.
    package var rest: (isIdle: Bool, begun: Int) { state.withLock { (!$0.isScheduled, $0.begun) } }

    // MARK: What the executor calls

    /// Runs the oldest job.
    func runNext() {
        let job: UnownedJob? = state.withLock { state in
            guard state.head < state.jobs.count else { return nil }
            let job = state.jobs[state.head]
            state.head += 1
            state.begun &+= 1
            if state.head == state.jobs.count || state.head >= 1024 {
                state.jobs.removeFirst(state.head)
                state.head = 0
            }
            return job
        }
        job?.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Waits its turn anew where there is more: other modules have their turn before.
    func goOn() {
        let hasMore = state.withLock { state in
            state.isScheduled = state.head < state.jobs.count
            return state.isScheduled
        }
        if hasMore { executor.ready(self) }
    }

    func wasLost() { onLost(true) }
    func cameBack() { onLost(false) }
}
