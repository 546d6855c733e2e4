import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPModules
import XMPPTransport

/// Changes of an account's modules that are under way: one after the other.
struct ModuleChanges {
    /// Whether the account has begun: before that its first run does all of it.
    var hasBegun = false
    var isBusy = false
    /// Whether what the configuration says has changed meanwhile.
    var isDue = false
    /// Whether what was shut off is tried again.
    var givesAnotherChance = false
}

/// The modules of bot authors: they begin with the account and outlive its sessions.
extension Account {
    /// A reload came by.
    ///
    /// What was shut off gets another chance by it, whether or not its settings are others.
    func modulesMayHaveChanged() {
        moduleChanges.givesAnotherChance = true
        guard moduleChanges.hasBegun, moduleHost != nil || !configuration.modules.isEmpty else { return }
        // Unstructured: a module may take its time to stop, and neither the stream nor the reload waits for it.
        Task.immediate { await self.applyModules() }
    }

    /// Brings the modules into line with the configuration, and says so to others where something else is announced.
    @inline(never)
    func applyModules() async {
        moduleChanges.hasBegun = true
        guard !moduleChanges.isBusy else {
            moduleChanges.isDue = true
            return
        }
        moduleChanges.isBusy = true
        defer { moduleChanges.isBusy = false }
        repeat {
            moduleChanges.isDue = false
            let isGivenAnotherChance = moduleChanges.givesAnotherChance
            moduleChanges.givesAnotherChance = false
            guard !hasStopped else { return }
            await applyModulesOnce(isGivenAnotherChance: isGivenAnotherChance)
        } while moduleChanges.isDue
    }

    private func applyModulesOnce(isGivenAnotherChance: Bool) async {
        guard moduleHost != nil || !configuration.modules.isEmpty, let host = moduleHost ?? makeModuleHost() else {
            return
        }
        let isFirst = moduleHost == nil
        moduleHost = host
        var wanted: [PreparedModule] = []
        for module in configuration.modules {
            guard var prepared = module.settings as? PreparedModule else { continue }
            prepared.digest = module.digest
            let since = try? await environment.store.beginModule(
                module.name, of: jid, settings: module.digest, isGivenAnotherChance: isGivenAnotherChance)
            if let since { prepared.disabled = "the process ended in it again and again, the last time at \(since)" }
            wanted.append(prepared)
        }
        let before = (host.sessionModules, host.namespaces, session?.router.features)
        await host.apply(wanted)
        let after = host.sessionModules
        let fresh = after.filter { module in isFirst || !before.0.contains { $0 === module } }
        guard let session, fresh.count > 0 || after.count < before.0.count || before.1 != host.namespaces else {
            return
        }
        // The session goes on: its stanzas are routed by the new list, and its presence says what is announced now.
        session.modules.removeAll { module in before.0.contains { $0 === module } }
        session.modules += after
        routeStanzas(of: session)
        if before.2 != session.router.features { announce() }
        guard let begun = moduleSession(of: session, isResumed: true) else { return }
        for module in fresh { module.began(begun) }
    }

    /// The account ends, and its modules with it: before its session does, so that each can say a last word.
    func endModules() async {
        guard moduleHost != nil else { return }
        // Unstructured: whoever ends the account meanwhile waits for the same end.
        let ending = moduleEnding ?? Task.immediate { await self.stopModules() }
        moduleEnding = ending
        await ending.value
        moduleHost = nil
    }

    private func stopModules() async { await moduleHost?.apply([]) }

    private func makeModuleHost() -> ModuleHost? {
        guard let executor = environment.modules else { return nil }
        let (store, jid, watch) = (environment.store, jid, ModuleWatch(environment, jid, loop.time))
        var parts = ModuleHost.Environment(account: jid, loop: loop, executor: executor, chance: { randomBytes($0) })
        parts.storage = { StoredModuleValues(store: store, account: jid, module: $0) }
        parts.notes = store.eventNotes.map { StoredEventNotes(file: $0) }
        parts.report = { watch.report($0) }
        parts.companion = .botServices
        let host = ModuleHost(parts)
        host.directory = AccountContacts(
            contact: { [unowned self] in session?.roster?.items[$0].map { ModuleContact($0) } },
            all: { [unowned self] in session?.roster?.items.values.map { ModuleContact($0) } ?? [] },
            mayKnow: { [unowned self] in mayKnow($0) })
        host.onMessage = { [unowned self] in wroteMessage(to: $0) }
        environment.board.show(host.board, of: jid)
        return host
    }

    // MARK: What they are told

    func tellModules(of change: RosterPayload.Change) {
        switch change {
        case .set(let item): moduleHost?.contactChanged(ModuleContact(item))
        case .remove(let contact): moduleHost?.contactRemoved(contact)
        }
    }

    /// The server has the answer to a request.
    func tellModules(of row: RequestRow) {
        guard let decision = row.decision else { return }
        let isAccepted = if case .accept = decision { true } else { false }
        moduleHost?.decided(
            ModuleDecision(contact: row.contact, isAccepted: isAccepted, nickname: row.nickname))
    }
}

/// The roster of an account, as its modules see it.
private final class AccountContacts: ContactDirectory {
    private let find: (BareJID) -> ModuleContact?
    private let all: () -> [ModuleContact]
    private let knows: (BareJID?) -> Bool

    init(
        contact: @escaping (BareJID) -> ModuleContact?, all: @escaping () -> [ModuleContact],
        mayKnow: @escaping (BareJID?) -> Bool
    ) {
        (find, self.all, knows) = (contact, all, mayKnow)
    }

    func contact(_ jid: BareJID) -> ModuleContact? { find(jid) }
    var allContacts: [ModuleContact] { all() }
    func mayKnow(_ sender: BareJID?) -> Bool { knows(sender) }
}
