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
        case .online, .offline, .message, .presence, .request: break
        }
    }

    /// The modules begin, before the first login.
    func beginHosting() async {
        guard !options.hosted.isEmpty else { return }
        let executor = options.transport.time == nil ? sharedExecutor() : ModuleExecutor(watch: loop)
        var parts = ModuleHost.Environment(
            account: account, loop: loop, executor: executor, chance: options.transport.makeChance())
        parts.storage = options.moduleStorage
        let host = ModuleHost(parts)
        hosting = host
        await host.apply(options.hosted)
    }

    /// All clients of a loop share the threads of modules.
    private func sharedExecutor() -> ModuleExecutor { loop.shared { ModuleExecutor(watch: loop) } }

    /// They end with the client.
    func endHosting() async {
        guard let host = hosting else { return }
        await host.apply([])
        hosting = nil
        // The threads of a loop that others have stay.
        if options.transport.time != nil { host.environment.executor.end() }
    }

    /// The modules of a session, those that are hosted among them.
    func sessionModules() -> [any SessionModule] {
        let modules = options.modules()
        guard let hosting else { return modules }
        hosting.directory = modules.lazy.compactMap { $0 as? any ContactDirectory }.first
        return modules + [hosting]
    }

    /// The state of the hosted modules, for tests.
    package var hostedModules: ModuleBoard? { hosting?.board }
}

extension Client.Options {
    /// Lets the client host a module; what it keeps is in memory and ends with the client.
    ///
    /// ```swift
    /// options.modules = { [RosterModule(account: account) { _ in }] }
    /// options.host(Echo.self, settings: NoSettings())
    /// ```
    ///
    /// Its errors and its log are dropped: the service `doorward` shows them.
    public mutating func host<Module: XMPPModule>(_ type: Module.Type, settings: Module.Settings) {
        hosted.append(PreparedModule(type, settings: settings))
    }
}
