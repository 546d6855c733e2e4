public import XMPPCore

/// A room of a scripted server.
struct ServerRoom {
    struct Occupant {
        var nickname: String
        /// Whose it is; nil is somebody of the test.
        var account: BareJID?
    }

    var givesIDs: Bool
    var occupants: [Occupant] = []
    var lastID = 0

    func occupant(_ nickname: String) -> Occupant? { occupants.first { sameBytes($0.nickname, nickname) } }
    func nickname(of account: BareJID) -> String? { occupants.first { $0.account == account }?.nickname }
}

/// Rooms (XEP-0045): as much of them as a bot that sits in one sees.
extension ScriptedServer {
    private static let user = "http://jabber.org/protocol/muc#user"

    // MARK: What a test makes happen

    /// Makes a room: any account of this server may enter it.
    ///
    /// - Parameters:
    ///   - room: Its address.
    ///   - givesIDs: Whether it gives what is said an id of its own (XEP-0359).
    public func openRoom(_ room: BareJID, givesIDs: Bool = true) { rooms[room] = ServerRoom(givesIDs: givesIDs) }

    /// Somebody of the test enters a room.
    public func enter(_ room: BareJID, as nickname: String) {
        rooms[room]?.occupants.append(.init(nickname: nickname))
        show(nickname, in: room)
    }

    /// Somebody leaves a room, or is shown the door.
    ///
    /// - Parameters:
    ///   - nickname: Who: somebody of the test, or an account.
    ///   - room: Which.
    ///   - codes: Why, as the room says it (XEP-0045 section 15.6): 307 is shown the door.
    public func leave(_ nickname: String, _ room: BareJID, codes: [Int] = []) {
        guard let occupant = rooms[room]?.occupant(nickname) else { return }
        let gone = presence(nickname, .unavailable, in: room, codes: codes)
        let own = presence(nickname, .unavailable, in: room, codes: codes + [110])
        for other in rooms[room]?.occupants ?? [] {
            guard let account = other.account else { continue }
            deliver(account == occupant.account ? own : gone, to: account)
        }
        rooms[room]?.occupants.removeAll { sameBytes($0.nickname, nickname) }
    }

    /// Somebody of the test says something in a room.
    ///
    /// - Parameters:
    ///   - body: What.
    ///   - room: Where.
    ///   - nickname: Who.
    ///   - children: Further elements.
    public func say(_ body: String, in room: BareJID, by nickname: String, children: [Element] = []) {
        lastSaid += 1
        let message = Message(.groupchat, to: JID(room), id: "said-\(lastSaid)", body: body, children: children)
        broadcast(message.element, in: room, by: nickname)
    }

    /// Who is in a room, in the order in which they came.
    public func occupants(of room: BareJID) -> [String] { rooms[room]?.occupants.map(\.nickname) ?? [] }

    // MARK: What accounts do

    /// - Returns: Whether it was sent to a room.
    func tookRoom(_ stanza: Stanza, _ account: BareJID) -> Bool {
        switch stanza {
        case .presence(let presence):
            guard let to = presence.to, rooms[to.bare] != nil else { return false }
            if presence.type == .unavailable {
                if let nickname = rooms[to.bare]?.nickname(of: account) { leave(nickname, to.bare) }
            } else if let nickname = to.resource {
                enter(to.bare, nickname, account)
            }
            return true
        case .message(let message):
            guard let to = message.to, let room = rooms[to.bare] else { return false }
            guard let nickname = room.nickname(of: account) else { return true }
            guard let addressee = to.resource else {
                broadcast(message.element, in: to.bare, by: nickname)
                return true
            }
            var stanza = message.element
            stanza[attribute: "from"] = "\(to.bare)/\(nickname)"
            if let receiver = room.occupant(addressee)?.account { deliver(stanza, to: receiver) }
            return true
        case .iq: return false
        }
    }

    private func enter(_ room: BareJID, _ nickname: String, _ account: BareJID) {
        guard rooms[room]?.occupant(nickname).map({ $0.account == account }) ?? true else {
            var refusal = Presence(.error, to: JID(account)).element
            refusal[attribute: "from"] = "\(room)/\(nickname)"
            let condition = Element("conflict", namespace: Namespace.stanzaErrors)
            refusal.children = [
                .element(
                    Element(
                        "error", namespace: Namespace.client, attributes: [.init("type", "cancel")],
                        children: [.element(condition)]))
            ]
            return deliver(refusal, to: account)
        }
        rooms[room]?.occupants.removeAll { $0.account == account }
        for other in rooms[room]?.occupants ?? [] {
            deliver(presence(other.nickname, .available, in: room), to: account)
        }
        rooms[room]?.occupants.append(.init(nickname: nickname, account: account))
        show(nickname, in: room)
        var subject = Message(.groupchat, to: JID(account)).element
        subject[attribute: "from"] = room.description
        subject.children = [.element(Element("subject", namespace: Namespace.client))]
        deliver(subject, to: account)
    }

    private func show(_ nickname: String, in room: BareJID) {
        for other in rooms[room]?.occupants ?? [] {
            guard let account = other.account else { continue }
            let isOwn = sameBytes(other.nickname, nickname)
            deliver(presence(nickname, .available, in: room, codes: isOwn ? [110] : []), to: account)
        }
    }

    private func broadcast(_ stanza: Element, in room: BareJID, by nickname: String) {
        guard var state = rooms[room] else { return }
        var stanza = stanza
        stanza[attribute: "from"] = "\(room)/\(nickname)"
        if state.givesIDs {
            state.lastID += 1
            let attributes = [Element.Attribute("id", "room-id-\(state.lastID)"), .init("by", room.description)]
            stanza.children.append(.element(Element("stanza-id", namespace: "urn:xmpp:sid:0", attributes: attributes)))
        }
        rooms[room] = state
        for occupant in state.occupants {
            guard let account = occupant.account else { continue }
            stanza[attribute: "to"] = account.description
            deliver(stanza, to: account)
        }
    }

    private func presence(
        _ nickname: String, _ type: PresenceType, in room: BareJID, codes: [Int] = []
    ) -> Element {
        let role = type == .available ? "participant" : "none"
        var children = [
            Element("item", namespace: Self.user, attributes: [.init("affiliation", "none"), .init("role", role)])
        ]
        children += codes.map { Element("status", namespace: Self.user, attributes: [.init("code", "\($0)")]) }
        let x = Element("x", namespace: Self.user, children: children.map(Element.Node.element))
        var stanza = Element(
            "presence", namespace: Namespace.client, attributes: [.init("from", "\(room)/\(nickname)")],
            children: [.element(x)])
        if type == .unavailable { stanza[attribute: "type"] = "unavailable" }
        return stanza
    }
}
