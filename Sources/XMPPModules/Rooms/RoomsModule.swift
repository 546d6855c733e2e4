public import XMPPClient
public import XMPPCore

/// The account in rooms (XEP-0045): it goes in, stays in, and hears what is said.
///
/// Rooms are entered again with each new session, after a link that was lost and after trouble of the room's; it is asked
/// now and then whether the account is still in (XEP-0410). Nothing that a room sends counts as a contact's:
/// ``isRoom(_:)`` and `Presence.isOfRoom` tell other modules.
public final class RoomsModule: SessionModule {
    /// Most rooms.
    public static let limit = 100

    private let onEvent: (BareJID, RoomEvent) -> Void
    private var session: ModuleSession?
    private var timers: [BareJID: ModuleTimer] = [:]
    private var lastID = 0

    /// The rooms that the account is in, or wants to be in.
    public private(set) var rooms: [BareJID: Room] = [:]

    /// A module.
    ///
    /// - Parameters:
    ///   - rooms: To be entered as soon as there is a session; at most ``limit``.
    ///   - onEvent: Told what happens in each of them, in the order of the stream.
    public init(_ rooms: [RoomSettings] = [], onEvent: @escaping (BareJID, RoomEvent) -> Void) {
        self.onEvent = onEvent
        for settings in rooms.prefix(Self.limit) { self.rooms[settings.address] = Room(settings) }
    }

    deinit { for timer in timers.values { timer.cancel() } }

    /// It answers no requests.
    public var namespaces: [String] { [] }
    /// That of rooms.
    public var features: [String] { [Namespace.muc] }

    /// Whether an address is a room that the account is in or wants to be in, or somebody there.
    public func isRoom(_ address: BareJID) -> Bool { rooms[address] != nil }

    // MARK: What the owner wants

    /// Enters a room, now or with the next session.
    ///
    /// - Returns: No where there are ``limit`` others already.
    @discardableResult
    public func enter(_ settings: RoomSettings) -> Bool {
        guard rooms.count < Self.limit || rooms[settings.address] != nil else { return false }
        if rooms[settings.address]?.state ?? .outside != .outside { leave(settings.address) }
        rooms[settings.address] = Room(settings)
        if session?.isOnline == true { act(in: settings.address) { $0.enter() } }
        return true
    }

    /// Leaves a room, and does not come back by itself.
    public func leave(_ room: BareJID) {
        act(in: room) { $0.leave() }
        rooms[room] = nil
    }

    /// Says something in a room.
    ///
    /// - Parameters:
    ///   - body: What.
    ///   - room: Where.
    ///   - children: Further elements, such as what `ReplyPayload` makes.
    /// - Returns: The id of the message, by which `RoomEvent.refused` names it; nil where the account is not in.
    @discardableResult
    public func say(_ body: String, in room: BareJID, children: [Element] = []) -> String? {
        guard rooms[room]?.state == .inside, let session else { return nil }
        lastID &+= 1
        let id = "room-\(lastID)"
        let origin = Element("origin-id", namespace: Namespace.stanzaIDs, attributes: [.init("id", id)])
        let message = Message(.groupchat, to: JID(room), id: id, body: body, children: [origin] + children)
        do {
            try session.send([message.element])
            return id
        } catch {
            return nil
        }
    }

    /// Gives a room another subject; whether it may, the room says.
    public func setSubject(_ subject: String, of room: BareJID) {
        guard rooms[room]?.state == .inside else { return }
        let element = Element("subject", namespace: Namespace.client, children: [.text(subject)])
        try? session?.send([Message(.groupchat, to: JID(room), children: [element]).element])
    }

    // MARK: What comes

    /// Enters the rooms, or asks whether it is still in.
    ///
    /// Behind the session's first presence, which a server may want to see first.
    public func began(_ session: ModuleSession) {
        self.session = session
        for timer in timers.values { timer.cancel() }
        timers = [:]
        session.schedule(after: .zero) { [weak self] in
            guard let self, self.session?.isOnline == true else { return }
            for room in self.rooms.keys {
                self.act(in: room) { $0.state == .inside && session.isResumed ? $0.resumed() : $0.enter() }
            }
        }
    }

    /// A presence of a room.
    public func received(presence: Presence) {
        guard let room = presence.from?.bare, rooms[room] != nil else { return }
        act(in: room) { $0.received(presence) }
    }

    /// Something said in a room.
    public func received(message: Message) {
        guard let room = message.from?.bare, rooms[room] != nil else { return }
        act(in: room) { $0.received(message) }
    }

    private func act(in address: BareJID, _ event: (inout Room) -> [Room.Action]) {
        guard var room = rooms[address] else { return }
        let actions = event(&room)
        rooms[address] = room
        for action in actions { perform(action, address) }
    }

    private func perform(_ action: Room.Action, _ room: BareJID) {
        switch action {
        case .send(let stanza):
            // Offline it has no effect: the next session enters anew.
            try? session?.send([stanza])
        case .report(let event): onEvent(room, event)
        case .wait(let duration):
            timers[room]?.cancel()
            timers[room] = session?.schedule(after: duration) { [weak self] in
                guard let self, self.session?.isOnline == true else { return }
                self.act(in: room) { $0.timePassed() }
            }
        case .waitNoLonger: timers.removeValue(forKey: room)?.cancel()
        case .ping(let occupant):
            session?.request(.get, to: occupant, PingPayload.get()) { [weak self] reply in
                self?.act(in: room) { $0.pingAnswered(Self.condition(reply)) }
            }
        }
    }

    /// What a ping met; no answer is as a server that is silent.
    private static func condition(_ reply: Result<Element?, ClientError>) -> StanzaError.Condition? {
        switch reply {
        case .success: nil
        case .failure(let error): error.stanzaError?.condition ?? .remoteServerTimeout
        }
    }
}
