import Dispatch
import Glibc

/// Threads for code of others, which may take its time: no event loop waits for it, nor does the cooperative pool.
///
/// They begin with the first job. A job that has not come back within `patience` has its thread for itself from then on,
/// and another takes its place, up to `spares` of them: with all of those lost too there are as many threads fewer until
/// one comes back, and once none is left, what is enqueued waits. The loops and all that lives on them go on in any case.
package final class ModuleExecutor: Sendable {
    /// Within that a job gives its thread back.
    package static let patience = Duration.seconds(5)
    /// How often the threads are looked at while one of them is busy.
    private static let pause = Duration.seconds(1)

    private struct Work {
        let lane: ModuleLane
        let began: Duration
        var isLost = false
    }

    private struct State {
        /// Lanes that have jobs, each once.
        var ready: [ModuleLane] = []
        var head = 0
        /// What each busy thread does.
        var busy: [Int: Work] = [:]
        var threads = 0
        var lost = 0
        var lastThread = 0
        var isWatching = false
        var isEnding = false
    }

    private let width: Int
    private let spares: Int
    private let watch: EventLoop
    private let state = Locked(State())
    private let signal = DispatchSemaphore(value: 0)

    /// An executor without threads yet.
    ///
    /// - Parameters:
    ///   - width: How many threads; nil for one a core.
    ///   - spares: How many threads more there may be in place of those that are lost.
    ///   - watch: On it, and by its clock, the threads are looked at.
    package init(width: Int? = nil, spares: Int = 32, watch: EventLoop) {
        self.width = max(1, width ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        self.spares = max(0, spares)
        self.watch = watch
    }

    /// Lets its threads end when they come back; what is enqueued from now on never runs.
    package func end() {
        let threads = state.withLock { state in
            state.isEnding = true
            return state.threads + state.lost
        }
        for _ in 0..<threads { signal.signal() }
    }

    /// Threads that a job keeps.
    package var lostThreads: Int { state.withLock { $0.lost } }

    /// A lane has something to do.
    func ready(_ lane: ModuleLane) {
        let makesThread = state.withLock { state in
            state.ready.append(lane)
            return addThread(&state)
        }
        signal.signal()
        if makesThread { startThread() }
    }

    /// Whether one more is to be started.
    private func addThread(_ state: inout State) -> Bool {
        guard !state.isEnding, state.threads < width, state.threads + state.lost < width + spares else { return false }
        // Idle ones take the work first.
        let idle = state.threads - (state.busy.count - state.lost)
        guard idle < state.ready.count - state.head else { return false }
        state.threads += 1
        return true
    }

    private func startThread() {
        let argument = Unmanaged.passRetained(self).toOpaque()
        var created = pthread_t()
        guard pthread_create(&created, nil, runModuleThread, argument) == 0 else {
            // The machine has none left: those that are there do the work, and the next job tries again.
            Unmanaged<ModuleExecutor>.fromOpaque(argument).release()
            state.withLock { $0.threads -= 1 }
            return
        }
        pthread_detach(created)
    }

    // MARK: On a thread

    fileprivate func run() {
        while true {
            signal.wait()
            guard let (number, lane) = take() else { return }
            lane.runNext()
            guard giveBack(number, lane) else { return }
        }
    }

    /// The next lane; nil where the thread is to end.
    private func take() -> (Int, ModuleLane)? {
        let (next, isFirst): ((Int, ModuleLane)?, Bool) = state.withLock { state in
            guard !state.isEnding, state.head < state.ready.count else {
                state.threads -= 1
                return (nil, false)
            }
            let lane = state.ready[state.head]
            state.head += 1
            if state.head == state.ready.count || state.head >= 1024 {
                state.ready.removeFirst(state.head)
                state.head = 0
            }
            state.lastThread &+= 1
            state.busy[state.lastThread] = Work(lane: lane, began: watch.time.now)
            defer { state.isWatching = true }
            return ((state.lastThread, lane), !state.isWatching)
        }
        if isFirst { lookLater() }
        return next
    }

    /// A job came back.
    ///
    /// - Returns: Whether its thread goes on: not one that another has replaced.
    private func giveBack(_ number: Int, _ lane: ModuleLane) -> Bool {
        let wasLost = state.withLock { state in
            guard let work = state.busy.removeValue(forKey: number), work.isLost else { return false }
            state.lost -= 1
            return true
        }
        if wasLost { lane.cameBack() }
        lane.goOn()
        guard wasLost else { return true }
        // Where none took its place, it takes its own again.
        return state.withLock { state in
            guard !state.isEnding, state.threads < width else { return false }
            state.threads += 1
            return true
        }
    }

    // MARK: Looking

    private func lookLater() {
        watch.schedule(after: Self.pause) { [weak self] in self?.look() }
    }

    private func look() {
        let now = watch.time.now
        let (late, started, goesOn) = state.withLock { state in
            var late: [ModuleLane] = []
            for (number, work) in state.busy where !work.isLost && now - work.began >= Self.patience {
                state.busy[number]?.isLost = true
                state.threads -= 1
                state.lost += 1
                late.append(work.lane)
            }
            // In their place, where something waits.
            var started = 0
            while started < state.ready.count - state.head, addThread(&state) { started += 1 }
            state.isWatching = !state.busy.isEmpty && !state.isEnding
            return (late, started, state.isWatching)
        }
        for _ in 0..<started { startThread() }
        for lane in late { lane.wasLost() }
        if goesOn { lookLater() }
    }
}

/// A thread's first function; a function of a file, since C can call no closure.
private func runModuleThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<ModuleExecutor>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
