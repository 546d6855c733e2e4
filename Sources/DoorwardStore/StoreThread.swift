/// Runs an actor's jobs one after another on a thread of its own, so that waiting for the disk never takes a thread of
/// the cooperative pool or of an event loop; and gathers commits, which it hands over as a group.
///
/// Everything that is gathered comes before a job that was enqueued later.
final class StoreThread: SerialExecutor {
    private let core: StoreThreadCore

    /// - Parameter window: How far the beginnings of two groups are apart at least, unless they are large.
    init(window: Duration = .zero) {
        core = StoreThreadCore(pace: CommitPace(window: window))
    }

    deinit { core.end() }

    /// Begins to run.
    ///
    /// - Parameter onGroup: Called on the thread with each group.
    func start(onGroup: @escaping @Sendable ([PendingCommit]) -> Void = { _ in }) { core.start(onGroup) }

    func enqueue(_ job: consuming ExecutorJob) {
        core.add(UnownedJob(job), self)
    }

    func gather(_ commit: PendingCommit) { core.gather(commit) }

    func checkIsolated() { precondition(core.isCurrent, "not on the store's thread") }

    func isIsolatingCurrentContext() -> Bool? { core.isCurrent }
}
