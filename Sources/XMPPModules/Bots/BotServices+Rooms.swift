import XMPPClient
import XMPPCore

/// Rooms: the account is in each of them once, for all modules that sit there.
extension BotServices {
    @discardableResult
    func enter(_ settings: RoomSettings, for module: String) -> Bool {
        guard entry(module)?.declared.rooms != nil else { return false }
        if let names = guests[settings.address] {
            if !names.contains(where: { sameBytes($0, module) }) { guests[settings.address] = names + [module] }
            // One that the account was shown the door of is tried again.
            guard rooms.rooms[settings.address]?.state == .outside else { return true }
        }
        guard rooms.enter(settings) else { return false }
        guests[settings.address] = guests[settings.address] ?? [module]
        return true
    }

    func leave(_ room: BareJID, for module: String) {
        guard let names = guests[room] else { return }
        let others = names.filter { !sameBytes($0, module) }
        guests[room] = others.isEmpty ? nil : others
        guard others.isEmpty else { return }
        entered.remove(room)
        rooms.leave(room)
    }

    private func sits(_ module: String, in room: BareJID) -> Bool {
        guests[room]?.contains { sameBytes($0, module) } ?? false
    }

    // MARK: What modules do

    func say(_ body: String, in room: BareJID, for module: String) -> String? {
        sits(module, in: room) ? rooms.say(body, in: room) : nil
    }

    func answer(_ message: RoomMessage, with body: String, for module: String, at now: Duration) -> Bool {
        guard sits(module, in: message.room), let entry = entry(module), rooms.rooms[message.room]?.state == .inside,
            !message.isOwn, !message.isHistory, message.reply == nil, message.nickname != nil,
            entry.roomLimit.allows(message.room, at: now)
        else { return false }
        guard message.isPrivate else {
            guard let id = message.stanzaID, let occupant = message.address else {
                // Without an id that all know it cannot be named (XEP-0461 section 3.1).
                return rooms.say(body, in: message.room) != nil
            }
            let reply = ReplyPayload.make(ReplyReference(id: id, to: occupant), body)
            return rooms.say(reply.body, in: message.room, children: reply.children) != nil
        }
        guard let occupant = message.address, let id = host.session?.makeID() else { return false }
        // So that all clients know it for what it is (XEP-0045 section 7.5).
        var children = [Element("x", namespace: Namespace.mucUser)]
        if let asked = message.id {
            children += ReplyPayload.make(ReplyReference(id: asked, to: occupant), body).children
        }
        let stanza = Message(.chat, to: occupant, id: id, body: body, children: children)
        return (try? host.send([stanza.element]).get()) != nil
    }

    func occupants(of room: BareJID, for module: String) -> [RoomOccupant] {
        guard sits(module, in: room) else { return [] }
        return (rooms.rooms[room]?.occupants.values).map(Array.init)?
            .sorted { $0.nickname.utf8.lexicographicallyPrecedes($1.nickname.utf8) } ?? []
    }

    // MARK: What happens

    func happened(_ event: RoomEvent, in room: BareJID) {
        switch event {
        case .entered: entered.insert(room)
        case .left: entered.remove(room)
        case .occupant, .gone, .renamed:
            // A room tells everybody who is there first: that is no news, and would fill an inbox.
            guard entered.contains(room) else { return }
        case .message(let message):
            guard !message.isOwn, !message.isHistory else { return }
        case .subject, .refused: break
        }
        for name in guests[room] ?? [] {
            guard let entry = entry(name) else { continue }
            host.call(
                entry.running,
                ModuleCall(digest: event.digest(room)) { module, context in
                    try await (module as? any RoomGuest)?.handle(event, in: room, context: context)
                })
        }
    }
}

extension RoomMessage {
    /// The full address of its sender in the room.
    fileprivate var address: JID? { nickname.flatMap { try? JID("\(room)/\($0)") } }
}

extension RoomEvent {
    /// What tells a harmful one again: its kind, and what others wrote of it.
    fileprivate func digest(_ room: BareJID) -> String {
        let room = room.description
        return switch self {
        case .entered(let nickname, _): ModuleCall.digest("room entered", room, nickname)
        case .left(let end): ModuleCall.digest("room left", room, end.code.name, end.text)
        case .occupant(let occupant):
            ModuleCall.digest("room occupant", room, occupant.nickname, occupant.role.rawValue)
        case .gone(let occupant): ModuleCall.digest("room gone", room, occupant.nickname)
        case .renamed(let from, let to): ModuleCall.digest("room renamed", room, from, to)
        case .subject(let subject, let by): ModuleCall.digest("room subject", room, subject, by)
        case .message(let message): ModuleCall.digest("room message", room, message.nickname, message.body)
        case .refused(_, let error): ModuleCall.digest("room refused", room, error.condition.name)
        }
    }
}
