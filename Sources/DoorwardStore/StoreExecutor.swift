import Dispatch

/// Runs the store's jobs one after another on a thread of its own, so that waiting for the disk never takes a thread
/// of the cooperative pool or of an event loop.
final class StoreExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "doorward.store")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
