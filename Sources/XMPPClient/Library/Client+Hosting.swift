import XMPPTransport

/// Modules of bot authors in a client.
extension Client {
    /// Tells the hosted modules of something that the client does not see by itself: contacts and decisions.
    ///
    /// Of messages, presences, requests and sessions they hear anyway. Where no ``ContactDirectory`` is among
    /// ``Options/modules``, everybody is a stranger to them.
    public func tell(_ event: ModuleEvent) {
        guard let hosting else { return }
        switch event {
        case .contact(let contact): hosting.contactChanged(contact)
        case .contactRemoved(let contact): hosting.contactRemoved(contact)
        case .decision(let decision): hosting.decided(decision)
        case .online, .offline, .message, .presence, .request, .receipt: break
        }
    }

    /// The modules begin, before the first login.
    func beginHosting() async {
        guard !options.hosted.isEmpty else { return }
        let executor = options.transport.time == nil ? sharedExecutor() : ModuleExecutor(watch: loop)
        var parts = ModuleHost.Environment(
            account: account, loop: loop, executor: executor, chance: options.transport.makeChance())
        parts.storage = options.moduleStorage
        parts.companion = options.moduleCompanion
        let host = ModuleHost(parts)
        hosting = host
        await host.apply(options.hosted)
    }

    /// All clients of a loop share the threads of modules.
    private func sharedExecutor() -> ModuleExecutor { loop.shared { ModuleExecutor(watch: loop) } }

    /// They end with the client: before the session does, so that each can say a last word.
    func endHosting() async {
        guard let host = hosting else { return }
        let ending = hostingEnd ?? Task.immediate { await self.stopHosted() }
        hostingEnd = ending
        await ending.value
        guard hosting != nil else { return }
        hosting = nil
        // The threads of a loop that others have stay.
        if options.transport.time != nil { host.environment.executor.end() }
    }

    private func stopHosted() async { await hosting?.apply([]) }

    /// The modules of a session, those that are hosted among them.
    func sessionModules() -> [any SessionModule] {
        let modules = options.modules()
        guard let hosting else { return modules }
        hosting.directory = modules.lazy.compactMap { $0 as? any ContactDirectory }.first
        return modules + hosting.sessionModules
    }

    /// The state of the hosted modules, for tests.
    package var hostedModules: ModuleBoard? { hosting?.board }
}
