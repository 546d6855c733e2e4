import Glibc

/// A value behind a lock of the system's.
///
/// `Synchronization.Mutex` is not used: ThreadSanitizer does not see its futex code and reports each use as a race.
package final class Locked<Value>: @unchecked Sendable {
    // Unchecked because the value is reached by `withLock` only. Overlapping access needs no check of its own: the lock,
    // which is not recursive, would stand still.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @exclusivity(unchecked) private var guarded: Guarded

    private struct Guarded {
        var value: Value
        /// An empty value has no place of its own: ThreadSanitizer would take the object's own first word for it.
        let place: UInt8 = 0
    }

    package init(_ value: Value) {
        guarded = Guarded(value: value)
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&guarded.value)
    }
}
