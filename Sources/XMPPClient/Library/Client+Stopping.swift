/// The end of a client.
extension Client {
    /// Ends `run()`, for good.
    ///
    /// Hosted modules say their last words first, five seconds at most.
    ///
    /// - Parameter resumable: Cuts the link instead of closing the session, so that a client with this one's ``memory`` goes
    ///   on with it, where the server keeps sessions (for some minutes, XEP-0198).
    public func stop(resumable: Bool = false) {
        isStopped = true
        ended(by: .ended)
        guard hosting != nil, isOnline else { return leave(resumable: resumable) }
        // Unstructured: whoever stops it need not wait for that, `run()` does.
        Task.immediate {
            await self.endHosting()
            self.leave(resumable: resumable)
        }
    }

    private func leave(resumable: Bool) {
        if resumable { connection?.drop() } else { connection?.stop() }
        endPause()
    }
}
