import CShims
import Glibc
import Synchronization

/// One thread that waits for its descriptors and timers and runs the jobs of the actors pinned to it.
///
/// Actors name it as their `unownedExecutor`, and handlers of descriptors and timers enter such an actor by
/// `assumeIsolated`. Long-lived tasks start with `Task(executorPreference: loop)`, so that their continuations come back
/// here directly.
///
/// A loop ends with `stop()` only: its thread keeps it alive. What is given to a loop that has stopped never runs.
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    // Unchecked because: `inbox` and `handle` are locked, `thread` is atomic, the constants are Sendable, and all the rest
    // (`own`, `batch`, `heavy`, `handlers`, `shared`, `ready`, `readBuffer`, `turnStart`, `isTimerDue`, `hasRun`) is touched
    // on the loop's thread only, or before it starts and after it ended.

    /// What may come from any thread.
    private struct Inbox {
        var jobs: [Job] = []
        var timers = TimerHeap()
        /// Whether the loop's thread is sure to look here again without being woken.
        var isAwake = false
        var state = State.created
    }

    private enum State { case created, running, stopping, stopped }

    private enum Job {
        case swift(UnownedJob)
        case body(@Sendable () -> Void)
    }

    /// Jobs for which the queues keep their memory.
    private static let keptCapacity = 512
    /// Turns after `stop()` in which jobs still run that other jobs started.
    private static let lastTurns = 256
    /// In nanoseconds: an hour.
    private static let longestWait: Int64 = 60 * 60 * 1_000_000_000

    package let name: String
    package let time: any TimeSource

    /// Where every channel of the loop reads into; valid until the handler of the descriptor returns.
    let readBuffer: UnsafeMutableRawBufferPointer

    private let inbox = Locked(Inbox())
    private let handle = Locked<pthread_t?>(nil)
    private let thread = Atomic<UInt>(0)
    private let epoll: Int32
    private let wakeDescriptor: Int32
    // Overlapping access to these is not checked at run time: each is swapped or taken before a job or handler is called.
    /// Jobs of this turn and those that they started.
    @exclusivity(unchecked) private var own: [Job] = []
    /// The jobs being run; those before `batchHead` have been.
    @exclusivity(unchecked) private var batch: [Job] = []
    @exclusivity(unchecked) private var batchHead = 0
    /// Jobs that were begun since the loop was made, for tests that wait until there are no more.
    @exclusivity(unchecked) package private(set) var jobCount = 0
    /// What waits for `executeHeavy`.
    @exclusivity(unchecked) private var heavy = HeavyWork()
    private let handlers = HandlerTable()
    private var shared: [ObjectIdentifier: AnyObject] = [:]
    /// What epoll reported last; those before `readyHead` have been told.
    private let ready = UnsafeMutablePointer<shim_ready>.allocate(capacity: Int(SHIM_READY_CAPACITY))
    @exclusivity(unchecked) private var readyHead = 0
    @exclusivity(unchecked) private var readyCount = 0
    let lengths = TurnLengths()
    /// Whether the job that all turns are in has ended.
    private var hasRun = false
    /// When the turn at hand began, by the system's clock.
    @exclusivity(unchecked) private var turnStart: Int64 = 0
    /// Whether a timer is due, or may be where time is moved by hand.
    @exclusivity(unchecked) private var isTimerDue = false
    private let isTimeManual: Bool

    /// - Parameters:
    ///   - name: the thread's name, as debuggers show it.
    ///   - time: where timers take the time from.
    /// - Throws: `.system` when the process is out of descriptors.
    package init(name: String, time: any TimeSource = SystemTime()) throws(TransportError) {
        let epoll = shim_epoll_create()
        guard epoll >= 0 else { throw TransportError(.system, "epoll_create1", errno: errno) }
        let wakeDescriptor = shim_eventfd()
        guard wakeDescriptor >= 0 else {
            defer { Glibc.close(epoll) }
            throw TransportError(.system, "eventfd", errno: errno)
        }
        guard shim_epoll_add(epoll, wakeDescriptor, Readiness.readable, HandlerTable.wakeToken) == 0 else {
            defer { for descriptor in [epoll, wakeDescriptor] { Glibc.close(descriptor) } }
            throw TransportError(.system, "epoll_ctl", errno: errno)
        }
        self.name = name
        self.time = time
        isTimeManual = time.isManual
        self.epoll = epoll
        self.wakeDescriptor = wakeDescriptor
        readBuffer = .allocate(byteCount: 64 * 1024, alignment: 16)
        time.onAdvance(of: self) { [weak self] in self?.wake() }
    }

    deinit {
        Glibc.close(epoll)
        Glibc.close(wakeDescriptor)
        readBuffer.deallocate()
        ready.deallocate()
    }

    // MARK: - Life

    /// Starts the loop's thread; once.
    package func start() {
        let isFirst = inbox.withLock { inbox in
            guard inbox.state == .created else { return false }
            inbox.state = .running
            return true
        }
        guard isFirst else { return }
        let argument = Unmanaged.passRetained(self).toOpaque()
        // Under the lock, so that a `stop()` on the new thread finds the handle.
        handle.withLock { handle in
            var created = pthread_t()
            let result = pthread_create(&created, nil, runEventLoop, argument)
            // Without a thread the process is of no use, and only a system out of memory or threads gets here.
            precondition(result == 0, "no thread for an event loop: \(systemText(result))")
            handle = created
        }
    }

    /// Ends the thread after the jobs at hand, and waits for that unless called on the loop.
    ///
    /// Timers and descriptors are dropped.
    package func stop() {
        let wasRunning = inbox.withLock { inbox in
            defer { if inbox.state != .stopped { inbox.state = inbox.state == .created ? .stopped : .stopping } }
            return inbox.state == .running
        }
        guard wasRunning else { return }
        wake()
        guard let handle = handle.withLock({ $0.take() }) else { return }
        if isOnLoop {
            pthread_detach(handle)
        } else {
            pthread_join(handle, nil)
        }
    }

    /// Whether nothing that is queued from now on runs.
    package var hasStopped: Bool { inbox.withLock { $0.state == .stopping || $0.state == .stopped } }

    /// Whether the caller runs on the loop's thread.
    package var isOnLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    // MARK: - Jobs

    /// Runs `body` on the loop soon, in the order of the calls of one thread.
    ///
    /// Never runs it within the call.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        add(.body(body))
    }

    /// Runs work that takes about a millisecond, such as a step of a TLS handshake, in the order of the calls.
    ///
    /// A little in each turn, so that a thousand logins keep nobody waiting who is online.
    func executeHeavy(_ body: @escaping () -> Void) {
        checkIsolated()
        heavy.append(body)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        add(.swift(UnownedJob(job)))
    }

    package func isIsolatingCurrentContext() -> Bool? { isOnLoop }

    package func checkIsolated() {
        precondition(isOnLoop, "not on the event loop \(name)")
    }

    private func add(_ job: Job) {
        if isOnLoop {
            own.append(job)
            return
        }
        let mustWake = inbox.withLock { inbox in
            guard inbox.state != .stopped else { return false }
            inbox.jobs.append(job)
            defer { inbox.isAwake = true }
            return !inbox.isAwake
        }
        if mustWake { signalWake() }
    }

    private func wake() {
        let mustWake = inbox.withLock { inbox in
            defer { inbox.isAwake = true }
            return !inbox.isAwake
        }
        if mustWake { signalWake() }
    }

    private func signalWake() {
        var one: UInt64 = 1
        // A full counter (EAGAIN) wakes just as well.
        _ = Glibc.write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: - What is shared on a loop

    /// Something of which there is one for each loop, made when it is first asked for: what is shared without locks.
    package func shared<Value: AnyObject>(_ make: () -> Value) -> Value {
        checkIsolated()
        let type = ObjectIdentifier(Value.self)
        if let known = shared[type] as? Value { return known }
        let made = make()
        shared[type] = made
        return made
    }

    // MARK: - Time

    /// When the turn at hand began: the time for what need not be told more exactly, without a question to the system.
    package var turnTime: Duration { isTimeManual ? time.now : Duration(nanosecondsOnClock: turnStart) }

    // MARK: - Timers

    /// Runs `body` on the loop once `delay` has passed; from any thread.
    @discardableResult
    package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> TimerID {
        let due = time.now + delay
        let (id, isNext) = inbox.withLock { inbox in
            let id = inbox.timers.add(due: due, body)
            return (id, inbox.timers.nextDue == due)
        }
        if isNext && !isOnLoop { wake() }
        return id
    }

    /// Takes a timer back; from any thread.
    ///
    /// On the loop it is then sure not to fire.
    package func cancel(_ id: TimerID) {
        inbox.withLock { $0.timers.remove(id) }
    }

    /// Timers not yet fired, for tests and metrics.
    package var timerCount: Int { inbox.withLock { $0.timers.count } }

    // MARK: - Descriptors

    /// Calls `handler` on the loop, level-triggered, with the ready events (`Readiness`) of a descriptor.
    func register(
        _ descriptor: Int32,
        events: UInt32,
        handler: @escaping (UInt32) -> Void
    ) throws(TransportError) -> Registration {
        checkIsolated()
        let registration = handlers.add(descriptor, handler)
        guard shim_epoll_add(epoll, descriptor, events, registration.token) == 0 else {
            let error = errno
            handlers.remove(registration)
            throw TransportError(.system, "epoll_ctl", errno: error)
        }
        return registration
    }

    func modify(_ registration: Registration, events: UInt32) {
        checkIsolated()
        guard handlers.holds(registration) else { return }
        // Cannot fail for a registered descriptor but by want of memory; the next change tries again.
        _ = shim_epoll_modify(epoll, registration.descriptor, events, registration.token)
    }

    /// Ends the events of a descriptor; to be called before it is closed.
    func unregister(_ registration: Registration) {
        checkIsolated()
        guard handlers.remove(registration) else { return }
        _ = shim_epoll_remove(epoll, registration.descriptor)
    }

    // MARK: - The thread

    /// All turns are within one job of the loop's own: what a handler calls by `assumeIsolated` is then known to be in its
    /// place by the address of the executor, without a question to the loop.
    fileprivate func runAsJob() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        shim_name_thread(name)
        Task(executorPreference: self) {
            self.run()
            self.hasRun = true
        }
        // Nothing else is there as yet: what comes from other threads waits for the first turn. It may come back to the queue
        // before it runs.
        while !hasRun {
            let first = own
            own = []
            for case .swift(let job) in first { run(job) }
        }
        // The number may be given to another thread from now on.
        thread.store(0, ordering: .relaxed)
    }

    private func run() {
        turnStart = nanoseconds(CLOCK_MONOTONIC)
        while takeInbox() {
            if isTimerDue { fireTimers() }
            runJobs()
            runHeavy()
            let end = nanoseconds(CLOCK_MONOTONIC)
            lengths.note(end - turnStart)
            if readyHead == readyCount {
                readyCount = Int(max(0, shim_epoll_wait(epoll, ready, waitMilliseconds(from: end))))
                readyHead = 0
                turnStart = nanoseconds(CLOCK_MONOTONIC)
            } else {
                turnStart = end
            }
            dispatchReady()
        }
        finish()
    }

    private func dispatchReady() {
        var pace = TurnPace(from: turnStart)
        while readyHead < readyCount, pace.goesOn {
            readyHead += 1
            dispatch(ready[readyHead - 1])
        }
    }

    private func dispatch(_ event: shim_ready) {
        if event.token == HandlerTable.wakeToken {
            var counter: UInt64 = 0
            _ = Glibc.read(wakeDescriptor, &counter, MemoryLayout<UInt64>.size)
            return
        }
        // Taken out of the table first: the handler may remove itself, and others.
        handlers.handler(for: event.token)?(event.events)
    }

    /// Looks at what other threads left, and moves it to the loop's own queue; false once the loop is to end.
    private func takeInbox() -> Bool {
        inbox.withLock { inbox in
            if !inbox.jobs.isEmpty {
                own.append(contentsOf: inbox.jobs)
                inbox.jobs.removeAll(keepingCapacity: inbox.jobs.count <= Self.keptCapacity)
            }
            inbox.isAwake = true
            isTimerDue = isTimeManual ? inbox.timers.count > 0 : inbox.timers.nextMoment ?? .max <= turnStart
            return inbox.state == .running
        }
    }

    private func fireTimers() {
        let now = turnTime
        var pace = TurnPace()
        while pace.goesOn, let body = inbox.withLock({ $0.timers.takeDue(at: now) }) { body() }
    }

    private func runJobs() {
        guard !own.isEmpty || batchHead < batch.count else { return }
        if batchHead == batch.count { swap(&own, &batch) }
        var pace = TurnPace()
        while batchHead < batch.count, pace.goesOn {
            (batchHead, jobCount) = (batchHead + 1, jobCount &+ 1)
            switch batch[batchHead - 1] {
            case .swift(let job): run(job)
            case .body(let body): body()
            }
        }
        guard batchHead == batch.count else { return }
        // What they hold goes now, not with the next jobs.
        batchHead = 0
        batch.removeAll(keepingCapacity: batch.count <= Self.keptCapacity)
    }

    private func run(_ job: UnownedJob) {
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }

    private func runHeavy() {
        guard !heavy.isEmpty else { return }
        let end = nanoseconds(CLOCK_MONOTONIC) + TurnPace.share
        while let body = heavy.takeNext() {
            body()
            if nanoseconds(CLOCK_MONOTONIC) >= end { return }
        }
    }

    /// Whether there is work that need not be waited for.
    private var hasWork: Bool { !own.isEmpty || batchHead < batch.count || !heavy.isEmpty }

    /// How long to wait for descriptors: -1 for ever.
    ///
    /// From here on another thread must wake the loop.
    private func waitMilliseconds(from end: Int64) -> Int32 {
        guard !hasWork else { return 0 }
        return inbox.withLock { inbox in
            guard inbox.jobs.isEmpty, inbox.state == .running else { return 0 }
            if isTimeManual {
                // Read under the lock: time moved by hand after this finds `isAwake` false and wakes the loop.
                if let due = inbox.timers.nextDue, due <= time.now { return 0 }
                inbox.isAwake = false
                return -1
            }
            guard let moment = inbox.timers.nextMoment else {
                inbox.isAwake = false
                return -1
            }
            guard moment > end else { return 0 }
            inbox.isAwake = false
            // Rounded up: a wait that ends just before the timer would be followed by another.
            return Int32(min(moment - end, Self.longestWait) / 1_000_000) + 1
        }
    }

    private func finish() {
        for _ in 0..<Self.lastTurns {
            guard hasWork else { break }
            runJobs()
            runHeavy()
            _ = takeInbox()
        }
        handlers.removeAll()
        // What is left never runs, and may hold the loop: jobs that came last, and what is shared on it.
        let left = inbox.withLock { inbox in
            inbox.state = .stopped
            inbox.timers.removeAll()
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
        withExtendedLifetime(left) {}
        (own, batch, heavy, shared) = ([], [], HeavyWork(), [:])
    }
}

/// The loop's thread.
///
/// A global function: a closure literal would inherit the isolation of its place and trap here.
private func runEventLoop(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue().runAsJob()
    return nil
}
