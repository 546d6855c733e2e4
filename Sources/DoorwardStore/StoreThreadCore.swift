import Glibc
import Synchronization

/// What the thread and its executor share; the thread keeps it until `end()`.
final class StoreThreadCore: @unchecked Sendable {
    // Unchecked because: `state` is reached under `mutex` only, `thread` is atomic, `mutex` and `condition` never change.

    private struct State {
        /// With the executor, which must not go away before its last job has run.
        var jobs: [(job: UnownedJob, executor: StoreThread)] = []
        var gathered: [PendingCommit] = []
        /// Changes in these.
        var weight = 0
        var pace: CommitPace
        /// When the thread looks by itself: `.min` while it is awake, `.max` for never.
        var looksAt = Int64.min
        var isEnding = false
        var onGroup: @Sendable ([PendingCommit]) -> Void = { _ in }

        /// When what is gathered is to be written.
        var due: Int64? { gathered.isEmpty ? nil : pace.due(weight) }
    }

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State
    private let thread = Atomic<UInt>(0)

    init(pace: CommitPace) {
        state = State(pace: pace)
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    // MARK: From any thread

    func start(_ onGroup: @escaping @Sendable ([PendingCommit]) -> Void) {
        withLock { $0.onGroup = onGroup }
        let argument = Unmanaged.passRetained(self).toOpaque()
        var created = pthread_t()
        let result = pthread_create(&created, nil, runStoreThread, argument)
        // Without a thread the process is of no use, and only a system out of memory or threads gets here.
        precondition(result == 0, "no thread for the store: \(String(cString: strerror(result)))")
        pthread_detach(created)
    }

    func add(_ job: UnownedJob, _ executor: StoreThread) {
        withLock { state in
            state.jobs.append((job, executor))
            wake(&state, at: .min)
        }
    }

    func gather(_ commit: PendingCommit) {
        withLock { state in
            state.gathered.append(commit)
            state.weight += commit.changes.count
            if let due = state.due { wake(&state, at: due) }
        }
    }

    /// Lets the thread end when it has done what was given to it.
    func end() {
        withLock { state in
            state.isEnding = true
            wake(&state, at: .min)
        }
    }

    var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    private func withLock(_ body: (inout State) -> Void) {
        pthread_mutex_lock(mutex)
        body(&state)
        pthread_mutex_unlock(mutex)
    }

    /// Wakes the thread where it would look later than that.
    private func wake(_ state: inout State, at moment: Int64) {
        guard state.looksAt > moment else { return }
        state.looksAt = .min
        pthread_cond_signal(condition)
    }

    // MARK: On the thread

    fileprivate func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            pthread_mutex_lock(mutex)
            waitForWork()
            let (jobs, group, onGroup) = (state.jobs, state.gathered, state.onGroup)
            let isOver = state.isEnding && jobs.isEmpty && group.isEmpty
            (state.jobs, state.gathered, state.weight) = ([], [], 0)
            if !group.isEmpty { state.pace.began(at: Self.now()) }
            pthread_mutex_unlock(mutex)
            if isOver { return }
            if !group.isEmpty { onGroup(group) }
            for (job, executor) in jobs { job.runSynchronously(on: executor.asUnownedSerialExecutor()) }
        }
    }

    /// With the lock held: returns when there is something to do.
    private func waitForWork() {
        while state.jobs.isEmpty, !state.isEnding {
            let now = Self.now()
            // Where nothing is gathered it still waits for the end of the window: what comes in that time need not wake it.
            let moment = state.due ?? state.pace.end(at: now)
            if state.due != nil, let moment, moment <= now { break }
            state.looksAt = moment ?? .max
            if let moment {
                var end = timespec(tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
                pthread_cond_timedwait(condition, mutex, &end)
            } else {
                pthread_cond_wait(condition, mutex)
            }
        }
        state.looksAt = .min
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The thread's first function; a function of a file, since C can call no closure.
private func runStoreThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<StoreThreadCore>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
