import Dispatch

/// Runs asynchronous work from the main thread and waits for it.
///
/// The main thread must not become Swift's main executor: on Linux its drain waits with every signal unblocked, which
/// would let SIGTERM end the process instead of reaching the signal descriptor on the loop.
func waiting<Value: Sendable>(for work: @escaping @Sendable () async -> Value) -> Value? {
    let done = DispatchSemaphore(value: 0)
    let box = Box<Value>()
    // Unstructured since there is no task here yet: this is the one root of all others.
    Task.detached {
        box.value = await work()
        done.signal()
    }
    done.wait()
    return box.value
}

/// Unchecked: written once before the semaphore is signalled, read once after it was waited for.
private final class Box<Value: Sendable>: @unchecked Sendable {
    var value: Value?
}
