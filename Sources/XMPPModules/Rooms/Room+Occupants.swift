import XMPPCore

/// Who comes and goes.
extension Room {
    /// What the codes of a room mean (XEP-0045 section 15.6).
    private enum Code {
        static let selfPresence = 110
        static let created = 201
        static let ban = 301
        static let rename = 303
        static let kick = 307
        static let lostAffiliation = 321
        static let membersOnly = 322
        static let shutdown = 332
        static let trouble = 333
    }

    mutating func isThere(_ presence: Presence, _ from: JID) -> [Action] {
        guard let name = from.resource else { return [] }
        let codes = RoomPayload.statuses(in: presence.element)
        let occupant = RoomPayload.occupant(name, in: presence.element)
        let isOwn = codes.contains(Code.selfPresence) || from == ownAddress
        if isOwn || occupants.count < Self.occupantLimit || occupants[from] != nil {
            occupants[from] = occupant
        } else {
            uncounted += 1
        }
        var actions: [Action] = [.report(.occupant(occupant))]
        guard isOwn else { return actions }
        // The room may have chosen another name (XEP-0045 section 7.2.3).
        nickname = name
        if state == .entering {
            state = .inside
            entered()
            actions += [
                .report(.entered(nickname: name, isNew: codes.contains(Code.created))), .wait(Self.silence),
            ]
        }
        return actions
    }

    mutating func isGone(_ presence: Presence, _ from: JID) -> [Action] {
        guard let name = from.resource else { return [] }
        let codes = RoomPayload.statuses(in: presence.element)
        let known = occupants.removeValue(forKey: from)
        if known == nil, uncounted > 0 { uncounted -= 1 }
        let isOwn = codes.contains(Code.selfPresence) || from == ownAddress
        let x = presence.element.first("x", Namespace.mucUser)
        if codes.contains(Code.rename),
            let new = x?.first("item", Namespace.mucUser)?[attribute: "nick"], let address = occupantAddress(new),
            let prepared = address.resource
        {
            if isOwn { nickname = prepared }
            return [.report(.renamed(from: name, to: prepared))]
        }
        guard isOwn else {
            return [.report(.gone(known ?? RoomPayload.occupant(name, in: presence.element)))]
        }
        // While it enters, the end of what was before.
        guard state == .inside else { return [] }
        let text = x?.first("item", Namespace.mucUser)?.first("reason", Namespace.mucUser)?.text
        if let destroy = x?.first("destroy", Namespace.mucUser) {
            return end(RoomEnd(.destroyed, text: destroy[attribute: "jid"] ?? text))
        }
        if codes.contains(Code.ban) { return end(RoomEnd(.banned, text: text)) }
        // Trouble with the link also counts as a kick (333 beside 307).
        if !codes.isDisjoint(with: [Code.shutdown, Code.trouble]) { return pause(RoomEnd(.unreachable, text: text)) }
        if !codes.isDisjoint(with: [Code.lostAffiliation, Code.membersOnly]) {
            return end(RoomEnd(.membersOnly, text: text))
        }
        if codes.contains(Code.kick) { return end(RoomEnd(.kicked, text: text)) }
        // The room lost us, or another client of the account left: we want to be in.
        return pause(RoomEnd(.unreachable, text: text))
    }
}
