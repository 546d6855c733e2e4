import XMPPCore
import XMPPSession
import XMPPTransport

/// What the logins leave, and that it is stored.
extension Client {
    /// What this client's logins leave so far, with the session as it is now: for ``Options/memory`` of the next client.
    ///
    /// A session is in it where the server keeps it (XEP-0198): while there is one, after a connection that broke, and after
    /// ``stop(resumable:)``. A stop in order leaves none.
    public var memory: Memory {
        var memory = remembered
        if let connection, connection.isOnline {
            memory.session = connection.resumable
            memory.session?.inbound = inbound
        }
        if memory.session == nil { memory.forgetSession() }
        return memory
    }

    /// Flags, token or session are others: stored at once.
    func loginChanged() {
        guard options.keep != nil else { return }
        keeping.isDue = true
        store()
    }

    /// The counts of the session moved: stored soon.
    func sessionChanged() {
        guard options.keep != nil, let connection, connection.isOnline else { return }
        keeping.isDue = true
        let isOther = !sameBytes(connection.resumableID, keeping.sessionID)
        guard !keeping.hasFailed else { return storeLater() }
        guard !isOther, inbound &- keeping.inbound < MemoryKeeping.patience else { return store() }
        storeLater()
    }

    private func storeLater() {
        guard keeping.timer == nil, keeping.task == nil else { return }
        keeping.timer = loop.schedule(after: MemoryKeeping.pause) {
            self.assumeIsolated { client in
                client.keeping.timer = nil
                client.store()
            }
        }
    }

    /// One at a time; what changes meanwhile is stored behind it.
    private func store() {
        guard keeping.isDue, keeping.task == nil else { return }
        if let timer = keeping.timer { loop.cancel(timer) }
        keeping.timer = nil
        // Unstructured: the stream, in whose callback this is, does not wait for a disk.
        keeping.task = Task {
            await storeOnce()
            keeping.task = nil
            guard keeping.isDue else { return }
            if keeping.hasFailed { storeLater() } else { sessionChanged() }
        }
    }

    /// The connection is over: all that is known is stored before anything else happens.
    func keepAll() async {
        guard options.keep != nil else { return }
        while let task = keeping.task { await task.value }
        if let timer = keeping.timer { loop.cancel(timer) }
        keeping.timer = nil
        // Unstructured: this task may be cancelled, and what is known is to be stored all the same.
        await Task { await storeOnce() }.value
    }

    private func storeOnce() async {
        guard let keep = options.keep else { return }
        let (memory, connection, inbound) = (memory, connection, inbound)
        let sessionID = connection?.resumableID
        keeping.isDue = false
        do {
            try await keep(memory)
            (keeping.sessionID, keeping.inbound, keeping.hasFailed) = (sessionID, inbound, false)
            // The server may forget what it knows to be stored.
            if let connection, connection === self.connection { connection.committed(inbound: inbound) }
        } catch {
            (keeping.isDue, keeping.hasFailed) = (true, true)
            options.observer?.observed(
                ConnectionObservation(.memoryNotKept, stage: .online, address: address), of: account)
        }
    }
}
