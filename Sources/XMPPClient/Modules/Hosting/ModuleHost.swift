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
        package var chance: @Sendable (Int) -> [UInt8]
        /// Told what is to be logged or shown; from any thread.
        package var report: @Sendable (ModuleReport) -> Void = { _ in }

        package init(
            account: BareJID, loop: EventLoop, executor: ModuleExecutor, chance: @escaping @Sendable (Int) -> [UInt8]
        ) {
            (self.account, self.loop, self.executor, self.chance) = (account, loop, executor, chance)
        }
    }

    private struct Entry {
        let module: HostedModule
    }

    /// A request that waits for a module's answer.
    private struct Waiting {
        let iq: IQ
        let module: HostedModule
        let session: ModuleSession
    }

    package let environment: Environment
    /// Where contacts are looked up; nil before there is a roster.
    package var directory: (any ContactDirectory)?
    /// What a module sent has the number that stream management gave it; for the owner's count.
    private(set) var session: ModuleSession?
    private var entries: [Entry] = []
    private var waiting: [UInt64: Waiting] = [:]
    private var lastRequest: UInt64 = 0
    /// What `status` shows, for whoever asks from elsewhere.
    package let board = ModuleBoard()

    /// Told to whom a module has sent a message with words.
    package var onMessage: (BareJID) -> Void = { _ in }

    /// A host without modules.
    package init(_ environment: Environment) { self.environment = environment }

    /// Whether there is anything to be told.
    package var isEmpty: Bool { entries.isEmpty }

    // MARK: The modules

    /// Brings them into line with a list: those that are not on it, or otherwise, are stopped; those that are new begin.
    ///
    /// Returns when all of that is done; one that does not stop is waited for five seconds.
    ///
    /// - Parameter wanted: Of two with the same name the first one counts.
    package func apply(_ wanted: [PreparedModule]) async {
        var fresh: [PreparedModule] = []
        var kept: [Entry] = []
        for module in wanted where !fresh.contains(where: { sameBytes($0.kind.name, module.kind.name) }) {
            fresh.append(module)
            if let entry = entries.first(where: { $0.module.prepared.isSame(as: module) }) { kept.append(entry) }
        }
        let gone = entries.filter { entry in !kept.contains { $0.module === entry.module } }
        entries = kept
        for entry in gone { await entry.module.stop() }
        for module in fresh where !entries.contains(where: { $0.module.prepared.isSame(as: module) }) { start(module) }
        // In the order of the list, which says who answers first.
        entries.sort { left, right in
            func place(_ entry: Entry) -> Int {
                fresh.firstIndex { $0.isSame(as: entry.module.prepared) } ?? fresh.count
            }
            return place(left) < place(right)
        }
        board.set(entries.map(\.module))
    }

    private func start(_ prepared: PreparedModule) {
        let module = HostedModule(prepared, environment)
        let storage = ModuleStorage(backend: environment.storage(module.name))
        let context = ModuleContext(
            account: environment.account, module: module.name, storage: storage, link: ModuleLink(self, module))
        let entry = Entry(module: module)
        entries.append(entry)
        module.start(context)
        // It learns that there is a session, as those that were there when it began.
        if let session, session.isOnline { give(.online(session.address), to: entry, if: .sessions) }
    }

    // MARK: What happens

    package var namespaces: [String] { entries.flatMap(\.module.prepared.kind.namespaces) }

    package var features: [String] { entries.flatMap(\.module.prepared.kind.features) }

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
        guard !entries.isEmpty else { return }
        give(.message(message, from: contact(message.from)), of: message.from?.bare, if: .messages)
    }

    package func received(presence: Presence) {
        guard !entries.isEmpty, presence.type == .available || presence.type == .unavailable else { return }
        give(.presence(presence, from: contact(presence.from)), of: presence.from?.bare, if: .presences)
    }

    package func received(request: IQ) -> IQAnswer {
        let entry = entries.first { entry in
            entry.module.prepared.kind.namespaces.contains { sameBytes($0, request.payload?.namespace) }
        }
        guard let entry, let session, mayHear(entry, request.from?.bare) else { return .error(.serviceUnavailable) }
        lastRequest &+= 1
        waiting[lastRequest] = Waiting(iq: request, module: entry.module, session: session)
        let asked = ModuleRequest(iq: request, contact: contact(request.from), number: lastRequest)
        put(.request(asked), into: entry)
        return .later
    }

    /// A contact is new, or another.
    package func contactChanged(_ contact: ModuleContact) {
        guard !entries.isEmpty else { return }
        give(.contact(contact), if: .contacts)
    }

    /// Somebody left the roster.
    package func contactRemoved(_ contact: BareJID) {
        guard !entries.isEmpty else { return }
        give(.contactRemoved(contact), if: .contacts)
    }

    /// A subscription request was decided.
    package func decided(_ decision: ModuleDecision) {
        guard !entries.isEmpty else { return }
        give(.decision(decision), if: .decisions)
    }

    private func contact(_ sender: JID?) -> ModuleContact? { sender.flatMap { directory?.contact($0.bare) } }

    /// Strangers learn nothing by it, unless the module says otherwise.
    private func mayHear(_ entry: Entry, _ sender: BareJID?) -> Bool {
        entry.module.prepared.kind.interests.contains(.strangers) || directory?.mayKnow(sender) ?? (sender == nil)
    }

    private func give(_ event: ModuleEvent, if interest: ModuleInterests) {
        for entry in entries { give(event, to: entry, if: interest) }
    }

    private func give(_ event: ModuleEvent, of sender: BareJID?, if interest: ModuleInterests) {
        for entry in entries where mayHear(entry, sender) { give(event, to: entry, if: interest) }
    }

    private func give(_ event: ModuleEvent, to entry: Entry, if interest: ModuleInterests) {
        if entry.module.prepared.kind.interests.contains(interest) { put(event, into: entry) }
    }

    private func put(_ event: ModuleEvent, into entry: Entry) {
        if case .request(let request) = entry.module.put(event) { refuse([request.number]) }
    }

    // MARK: What modules say

    func send(_ stanzas: [Element], of module: HostedModule) -> Result<Void, ClientError> {
        guard let session, !module.isShut else { return .failure(.offline) }
        let result = Result { () throws(ClientError) in try session.send(stanzas) }
        if case .success = result {
            for stanza in stanzas where stanza.name == "message" && stanza.first("body", Namespace.client) != nil {
                if let contact = stanza[attribute: "to"].flatMap({ try? JID($0) }) { onMessage(contact.bare) }
            }
        }
        return result
    }

    func answer(_ number: UInt64, _ answer: IQAnswer, of module: HostedModule) {
        guard let open = waiting[number], open.module === module else { return }
        // It says so itself, later.
        if case .later = answer { return }
        waiting[number] = nil
        switch answer {
        case .result(let payload): try? open.session.send([open.iq.result(payload)])
        case .error(let condition): try? open.session.send([StanzaError.reply(to: open.iq, condition: condition)])
        case .refused(let error, let detail): try? open.session.send([error.reply(to: open.iq, detail: detail)])
        case .later: break
        }
    }

    func refuse(_ numbers: [UInt64]) {
        for number in numbers {
            guard let open = waiting[number] else { continue }
            answer(number, .error(.serviceUnavailable), of: open.module)
        }
    }
}
