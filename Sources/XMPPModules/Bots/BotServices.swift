package import XMPPClient
package import XMPPCore

/// What modules of bot authors have of this library in their account: commands in chat, commands with forms, rooms and receipts.
///
/// It lives beside their host, and outlives sessions as that does.
package final class BotServices: ModuleCompanion {
    struct Entry {
        let running: RunningModule
        let declared: BotDeclarations
        let roomLimit = AnswerLimit(ModuleContext.roomAnswersPerMinute)

        var name: String { running.name }
    }

    unowned let host: ModuleHost
    /// The modules that run, in the order in which they began.
    private var entries: [Entry] = []
    let chatLimit = AnswerLimit(ChatCommand.answersPerMinute)
    /// Steps of commands that modules work on, by their numbers.
    var steps: [UInt64: (CommandAnswer) -> Void] = [:]
    var lastStep: UInt64 = 0
    /// Who sits in which room.
    var guests: [BareJID: [String]] = [:]
    /// Rooms that the account is in: from now on it is told who comes and goes.
    var entered: Set<BareJID> = []

    private(set) lazy var rooms = RoomsModule { [unowned self] room, event in happened(event, in: room) }
    private(set) lazy var commands = CommandsModule([]) { [unowned self] in mayKnow($0) }
    private(set) lazy var receipts = ReceiptsModule(
        mayKnow: { [unowned self] in mayKnow($0) }, onEvent: { [unowned self] in confirmed($0) })

    init(_ host: ModuleHost) { self.host = host }

    // MARK: The modules

    package func sessionModules(for kinds: [ModuleKind]) -> [any SessionModule] {
        var modules: [any SessionModule] = []
        if kinds.contains(where: { $0.interests.contains(.receipts) }) { modules.append(receipts) }
        if kinds.contains(where: { $0.type is any CommandProvider.Type }) { modules.append(commands) }
        if kinds.contains(where: { $0.type is any RoomGuest.Type }) { modules.append(rooms) }
        return modules
    }

    package func began(_ module: RunningModule) {
        guard let declared = module.declared as? BotDeclarations else { return }
        entries.append(Entry(running: module, declared: declared))
        offerCommands()
        for room in declared.rooms ?? [] { enter(room, for: module.name) }
    }

    package func ended(_ module: String) {
        entries.removeAll { sameBytes($0.name, module) }
        offerCommands()
        for (room, names) in guests where names.contains(where: { sameBytes($0, module) }) {
            leave(room, for: module)
        }
    }

    /// The modules that run, in the order of the configuration.
    var inOrder: [Entry] {
        host.moduleNames.compactMap { name in entries.first { sameBytes($0.name, name) } }
    }

    func entry(_ name: String) -> Entry? { entries.first { sameBytes($0.name, name) } }

    // MARK: What comes

    package func takes(_ message: Message, of contact: ModuleContact?) -> Bool {
        isOfRoom(message.from) || takesCommand(message, of: contact)
    }

    package func takes(_ presence: Presence) -> Bool { isOfRoom(presence.from) }

    private func isOfRoom(_ sender: JID?) -> Bool { sender.map { rooms.isRoom($0.bare) } ?? false }

    // MARK: Who

    func mayKnow(_ sender: BareJID?) -> Bool { host.directory?.mayKnow(sender) ?? (sender == nil) }

    /// Whether somebody may use something of a module.
    func isAllowed(_ sender: BareJID, _ audience: ModuleAudience) -> Bool {
        sender == host.environment.account || host.directory?.contact(sender).map(audience.has) == true
    }

    func resources(of contact: BareJID) -> [(address: JID, presence: ResourcePresence)] {
        guard let presence = host.session?.modules.lazy.compactMap({ $0 as? PresenceModule }).first else { return [] }
        return presence.resources(of: contact)
            .map { (JID(bare: contact, preparedResource: $0.resource), $0.presence) }
            .sorted { $0.presence.isBefore($1.presence) }
    }

    // MARK: Receipts

    package func asking(_ message: Message, id: String) -> Message { receipts.asking(message, id: id) }

    private func confirmed(_ event: ReceiptsModule.Event) {
        switch event {
        case .delivered(let id, let at): host.confirmed(ModuleReceipt(id: id, at: at))
        case .failed(let id, let at, let error): host.confirmed(ModuleReceipt(id: id, at: at, error: error))
        }
    }
}

extension ModuleCompanionKind {
    /// What this library has for modules of bot authors.
    package static let botServices = ModuleCompanionKind(
        make: { BotServices($0) }, declarations: { BotDeclarations($0) })
}
