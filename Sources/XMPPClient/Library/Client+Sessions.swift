public import XMPPCore
import XMPPSession
import XMPPTransport

/// When there is a session, and what became of the one before.
extension Client {
    /// Waits until there is a session, in which something can be sent.
    ///
    /// It goes on waiting over lost connections, as `run()` does, which is to be called beside it.
    ///
    /// - Returns: Our full address; at once where there is a session.
    /// - Throws: `ClientError`: what `run()` throws, `ended` where it was stopped, `cancelled` with the task.
    @discardableResult
    public func online() async throws(ClientError) -> JID {
        let id = nextWaiter
        nextWaiter &+= 1
        let outcome: Result<JID, ClientError> = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                if let address, isOnline { return waiter.resume(returning: .success(address)) }
                if let ending { return waiter.resume(returning: .failure(ending)) }
                guard !Task.isCancelled else { return waiter.resume(returning: .failure(.cancelled)) }
                waiters[id] = waiter
            }
        } onCancel: {
            loop.execute {
                let waiter = self.assumeIsolated { $0.waiters.removeValue(forKey: id) }
                waiter?.resume(returning: .failure(.cancelled))
            }
        }
        return try outcome.get()
    }

    /// Whether what is sent now goes out, or is kept by the session.
    ///
    /// Not from the link's end on, of which `run()` hears a moment later.
    var isOnline: Bool { address != nil && connection?.isOnline == true }

    func sessionBegan(_ change: SessionChange) {
        sessionSink.yield(change)
        guard let address else { return }
        resumeWaiters(.success(address))
    }

    /// There will be no session any more.
    func ended(by error: ClientError) {
        ending = ending ?? error
        resumeWaiters(.failure(error))
    }

    private func resumeWaiters(_ outcome: Result<JID, ClientError>) {
        let resumed = waiters
        waiters = [:]
        for (_, waiter) in resumed { waiter.resume(returning: outcome) }
    }

    /// What the session of before leaves, where it was to go on and does not; told once.
    func takeLoss(_ failed: FailedResumption?) -> SessionChange.Loss? {
        let before = lost ?? (failed == nil ? nil : remembered.session)
        lost = nil
        return before.map { SessionChange.Loss($0, handled: failed?.handled) }
    }
}
