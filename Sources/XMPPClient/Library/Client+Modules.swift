import XMPPCore

/// The modules of a session.
extension Client {
    /// Looks at a module, on the client's loop: what it knows can be taken from there.
    ///
    /// ```swift
    /// let count = await client.withModule(RosterModule.self) { $0.items.count }
    /// ```
    ///
    /// - Parameters:
    ///   - type: Of what type it is; the first of them in ``Options/modules`` is taken.
    ///   - body: What is to be done with it; it must not block.
    /// - Throws: What `body` throws.
    /// - Returns: What `body` returns; nil where there is no such module, or was no session yet.
    public func withModule<Module: SessionModule, Value: Sendable, Failure: Error>(
        _ type: Module.Type, _ body: @Sendable (Module) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        for case let module as Module in router?.modules ?? [] { return try body(module) }
        return nil
    }

    /// Sends the last presence for all again, with what the modules add to it now.
    private func announce() {
        guard let router, let presence, isOnline else { return }
        connection?.send([router.completed(presence)])
        sessionChanged()
    }

    func tellModules(isResumed: Bool) {
        guard let connection, let address, let router else { return }
        // The client holds its modules, and they may keep the session.
        let session = ModuleSession(
            connection, address: address, isResumed: isResumed,
            changed: { [weak self] _ in self?.assumeIsolated { $0.sessionChanged() } },
            announce: { [weak self] in self?.assumeIsolated { $0.announce() } },
            router: { [weak self] in
                // Asked on the client's loop, where its modules live, and used there only.
                nonisolated(unsafe) var router: StanzaRouter?
                self?.assumeIsolated { router = $0.router }
                return router
            })
        for module in router.modules { module.began(session) }
    }
}
