package import XMPPCore
package import XMPPTransport

/// The modules of bot authors in one account: it sorts what happens there into their inboxes, and sends what they say.
///
/// It belongs to the account's isolation and outlives the account's sessions; as a session module it is given each of them.
package final class ModuleHost: SessionModule {
    /// What it needs of its owner.
    package struct Environment: Sendable {
        package var account: BareJID
        /// The loop of the account.
        package var loop: EventLoop
        /// The threads of the modules.
        package var executor: ModuleExecutor
        /// Makes the storage of a module.
        package var storage: @Sendable (_ module: String) -> any ModuleStorageBackend = { _ in MemoryModuleStorage() }
        /// Where events in flight are noted; nil where nothing is.
        package var notes: (any EventNotes)?
        /// Gives modules what is beyond the stream; nil where nothing does.
        package var companion: ModuleCompanionKind?
        package var chance: @Sendable (Int) -> [UInt8]
        /// Told what is to be logged or shown; from any thread.
        package var report: @Sendable (ModuleReport) -> Void = { _ in }

        package init(
            account: BareJID, loop: EventLoop, executor: ModuleExecutor, chance: @escaping @Sendable (Int) -> [UInt8]
        ) {
            (self.account, self.loop, self.executor, self.chance) = (account, loop, executor, chance)
        }
    }

    package let environment: Environment
    /// Where contacts are looked up; nil before there is a roster.
    package var directory: (any ContactDirectory)?
    /// What a module sent has the number that stream management gave it; for the owner's count.
    package private(set) var session: ModuleSession?
    /// In the order of the configuration.
    private(set) var modules: [HostedModule] = []
    package private(set) var companion: (any ModuleCompanion)?
    /// Requests that wait for an answer, by their numbers.
    var waiting: [UInt64: Waiting] = [:]
    var lastRequest: UInt64 = 0
    /// What `status` shows, for whoever asks from elsewhere.
    package let board = ModuleBoard()

    /// Told to whom a module has sent a message with words.
    package var onMessage: (BareJID) -> Void = { _ in }

    /// A host without modules.
    package init(_ environment: Environment) {
        self.environment = environment
        companion = environment.companion?.make(self)
    }

    // MARK: The modules

    /// What these modules need in a session: the host, and what its companion has for them.
    package var sessionModules: [any SessionModule] {
        [self] + (companion?.sessionModules(for: modules.map(\.prepared.kind)) ?? [])
    }

    /// Brings them into line with a list: those that are not on it, or otherwise, are stopped; those that are new begin.
    ///
    /// Returns when all of that is done; those that do not stop are waited for five seconds.
    ///
    /// - Parameter wanted: Of two with the same name the first one counts.
    package func apply(_ wanted: [PreparedModule]) async {
        var fresh: [PreparedModule] = []
        var kept: [HostedModule] = []
        for module in wanted where !fresh.contains(where: { sameBytes($0.kind.name, module.kind.name) }) {
            fresh.append(module)
            if let old = modules.first(where: { $0.prepared.isSame(as: module) }) { kept.append(old) }
        }
        let gone = modules.filter { module in !kept.contains { $0 === module } }
        let new = fresh.filter { module in !kept.contains { $0.prepared.isSame(as: module) } }
            .map { HostedModule($0, environment) }
        // In the order of the list, which says who answers first; what comes while one ends waits for its successor.
        modules = (kept + new).sorted { left, right in
            func place(_ module: HostedModule) -> Int {
                fresh.firstIndex { $0.isSame(as: module.prepared) } ?? fresh.count
            }
            return place(left) < place(right)
        }
        // They learn that there is a session, as those that were there when it began.
        if let session, session.isOnline {
            for module in new { give(.online(session.address), to: module, if: .sessions) }
        }
        // At once: each may take its time for its last words.
        await withDiscardingTaskGroup { group in
            for module in gone { group.addTask { await module.stop() } }
        }
        for module in gone { companion?.ended(module.name) }
        for module in new where modules.contains(where: { $0 === module }) { start(module) }
        board.set(modules)
    }

    private func start(_ module: HostedModule) {
        let storage = ModuleStorage(backend: environment.storage(module.name))
        module.start(
            ModuleContext(
                account: environment.account, module: module.name, storage: storage, link: ModuleLink(self, module)))
    }

    /// Their names, in the order of the configuration.
    package var moduleNames: [String] { modules.map(\.name) }

    /// One of them has been made.
    func began(_ module: HostedModule) {
        guard modules.contains(where: { $0 === module }), let declared = module.state.withLock({ $0.declared }) else {
            return
        }
        companion?.began(RunningModule(module: module, declared: declared))
    }

    // MARK: What happens

    package var namespaces: [String] { modules.flatMap(\.prepared.kind.namespaces) }

    package var features: [String] { modules.flatMap(\.prepared.kind.features) }

    package func began(_ session: ModuleSession) {
        self.session = session
        give(.online(session.address), if: .sessions)
    }

    /// The connection has ended.
    package func sessionEnded() {
        guard session != nil else { return }
        session = nil
        waiting = [:]
        give(.offline, if: .sessions)
    }

    package func received(message: Message) {
        guard !modules.isEmpty else { return }
        let contact = contact(message.from)
        guard companion?.takes(message, of: contact) != true else { return }
        give(.message(message, from: contact), of: message.from?.bare, if: .messages)
    }

    package func received(presence: Presence) {
        guard !modules.isEmpty, presence.type == .available || presence.type == .unavailable,
            companion?.takes(presence) != true
        else { return }
        give(.presence(presence, from: contact(presence.from)), of: presence.from?.bare, if: .presences)
    }

    /// A contact is new, or another.
    package func contactChanged(_ contact: ModuleContact) {
        give(.contact(contact), if: .contacts)
    }

    /// Somebody left the roster.
    package func contactRemoved(_ contact: BareJID) {
        give(.contactRemoved(contact), if: .contacts)
    }

    /// A subscription request was decided.
    package func decided(_ decision: ModuleDecision) {
        give(.decision(decision), if: .decisions)
    }

    /// What became of a message that asked for a receipt.
    package func confirmed(_ receipt: ModuleReceipt) { give(.receipt(receipt), if: .receipts) }

    /// Asks something of a module, in its turn.
    package func call(_ module: RunningModule, _ call: ModuleCall) { put(.call(call), into: module.module) }

    func contact(_ sender: JID?) -> ModuleContact? { sender.flatMap { directory?.contact($0.bare) } }

    /// Strangers learn nothing by it, unless the module says otherwise.
    func mayHear(_ module: HostedModule, _ sender: BareJID?) -> Bool {
        module.prepared.kind.interests.contains(.strangers) || directory?.mayKnow(sender) ?? (sender == nil)
    }

    private func give(_ event: ModuleEvent, if interest: ModuleInterests) {
        for module in modules { give(event, to: module, if: interest) }
    }

    private func give(_ event: ModuleEvent, of sender: BareJID?, if interest: ModuleInterests) {
        for module in modules where mayHear(module, sender) { give(event, to: module, if: interest) }
    }

    private func give(_ event: ModuleEvent, to module: HostedModule, if interest: ModuleInterests) {
        if module.prepared.kind.interests.contains(interest) { put(.event(event), into: module) }
    }

    func put(_ job: ModuleJob, into module: HostedModule) {
        if let dropped = module.put(job) { refuse(dropped) }
    }

    // MARK: What modules say

    func send(_ stanzas: [Element], of module: HostedModule) -> Result<Void, ClientError> {
        guard !module.isShut else { return .failure(.offline) }
        if let refusal = ModuleStanza.refusal(of: stanzas) { return .failure(refusal) }
        return send(stanzas)
    }

    /// Sends for the modules together.
    @discardableResult
    package func send(_ stanzas: [Element]) -> Result<Void, ClientError> {
        guard let session else { return .failure(.offline) }
        let result = Result { () throws(ClientError) in try session.send(stanzas) }
        if case .success = result {
            for stanza in stanzas where stanza.name == "message" && stanza.first("body", Namespace.client) != nil {
                if let contact = stanza[attribute: "to"].flatMap({ try? JID($0) }) { onMessage(contact.bare) }
            }
        }
        return result
    }
}
