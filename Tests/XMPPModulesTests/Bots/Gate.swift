/// Whoever waits at it goes on once it is opened, and not before: also where its task is cancelled.
actor Gate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiter in
            waiters.append(waiter)
            for watcher in watchers { watcher.resume() }
            watchers = []
        }
    }

    /// Returns once somebody waits.
    func reached() async {
        guard waiters.isEmpty else { return }
        await withCheckedContinuation { watchers.append($0) }
    }

    func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}
