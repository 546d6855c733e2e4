public import XMPPCore

/// What is said.
extension Room {
    /// A message of the room, or of somebody in it.
    public mutating func received(_ message: Message) -> [Action] {
        guard let from = message.from, from.bare == settings.address, state == .inside || state == .entering else {
            return []
        }
        switch message.type {
        case .error: return failed(message)
        case .groupchat: return said(message, from)
        // To us alone, by an occupant; from the room itself these are invitations and the like.
        case .chat, .normal:
            guard state == .inside, from.resource != nil, let body = message.body else { return [] }
            return [.report(.message(read(message, from, body, isPrivate: true)))]
        case .headline: return []
        }
    }

    private mutating func failed(_ message: Message) -> [Action] {
        let error =
            message.element.first("error", Namespace.client).map(StanzaError.init)
            ?? StanzaError(.undefinedCondition)
        let report = Action.report(.refused(id: message.id, error))
        // Only occupants may speak (XEP-0045 section 7.4): we are out and were not told.
        guard state == .inside, error.condition == .notAcceptable, message.from?.resource == nil else {
            return [report]
        }
        return [report] + enter()
    }

    private mutating func said(_ message: Message, _ from: JID) -> [Action] {
        let subject = message.element.first("subject", Namespace.client)
        guard let body = message.body else {
            guard let subject else { return [] }
            // It ends what was said before (XEP-0045 section 7.2.15).
            hasSubject = true
            self.subject = subject.text.isEmpty ? nil : subject.text
            return [.report(.subject(self.subject, by: from.resource)), .wait(Self.silence)]
        }
        var read = read(message, from, body, isPrivate: false)
        read.isHistory = !hasSubject && !read.isOwn
        return [.report(.message(read))] + (state == .inside ? [.wait(Self.silence)] : [])
    }

    private func read(_ message: Message, _ from: JID, _ body: String, isPrivate: Bool) -> RoomMessage {
        let reply = ReplyPayload.reply(in: message)
        var sender = occupants[from]
        if let id = RoomPayload.id(in: message.element) {
            // Whoever had the name then need not be who has it now.
            if let known = sender?.id, !sameBytes(known, id) { sender = nil }
            sender = sender ?? from.resource.map { RoomOccupant($0, role: .none, id: id) }
        }
        return RoomMessage(
            room: settings.address, nickname: from.resource, sender: sender,
            body: reply == nil ? body : ReplyPayload.text(of: message),
            stanzaID: RoomPayload.stanzaID(in: message.element, by: settings.address), id: message.id,
            isOwn: !isPrivate && from == ownAddress, isHistory: false, isPrivate: isPrivate, reply: reply)
    }
}
