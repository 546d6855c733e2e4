public import XMPPCore

/// The payloads of rooms (XEP-0045).
public enum RoomPayload {
    /// Most statuses that are read of one stanza.
    private static let statusLimit = 32
    /// The namespace of XEP-0421.
    static let occupantID = "urn:xmpp:occupant-id:0"

    /// Goes into a room, and asks for nothing that was said before.
    static func enter(_ room: JID, password: String?) -> Element {
        let none = Element("history", namespace: Namespace.muc, attributes: [.init("maxstanzas", "0")])
        var x = Element("x", namespace: Namespace.muc, children: [.element(none)])
        if let password {
            x.children.append(.element(Element("password", namespace: Namespace.muc, children: [.text(password)])))
        }
        return Presence(.available, to: room, children: [x]).element
    }

    /// What a room says of an occupant, in a presence of its.
    static func occupant(_ nickname: String, in stanza: Element) -> RoomOccupant {
        let item = stanza.first("x", Namespace.mucUser)?.first("item", Namespace.mucUser)
        let role = item?[attribute: "role"]
        let affiliation = item?[attribute: "affiliation"]
        return RoomOccupant(
            nickname, role: RoomOccupant.Role.allCases.first { sameBytes($0.rawValue, role) } ?? .none,
            affiliation: RoomOccupant.Affiliation.allCases.first { sameBytes($0.rawValue, affiliation) } ?? .none,
            address: item?[attribute: "jid"].flatMap { try? JID($0) }, id: id(in: stanza))
    }

    /// The occupant's id that the room added (XEP-0421): rooms that know it strip what others write there.
    static func id(in stanza: Element) -> String? {
        stanza.first("occupant-id", occupantID)?[attribute: "id"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The codes that a room adds (XEP-0045 section 15.6).
    static func statuses(in stanza: Element) -> Set<Int> {
        let x = stanza.first("x", Namespace.mucUser)?.elements ?? []
        return Set(
            x.prefix(statusLimit).filter { $0.matches("status", Namespace.mucUser) }
                .compactMap { $0[attribute: "code"].flatMap { Int($0) } })
    }

    /// The id that the room itself gave a message (XEP-0359): what others wrote there does not count.
    static func stanzaID(in message: Element, by room: BareJID) -> String? {
        for case .element(let child) in message.children where child.matches("stanza-id", Namespace.stanzaIDs) {
            guard let by = child[attribute: "by"], let jid = try? BareJID(by), jid == room else { continue }
            return child[attribute: "id"]
        }
        return nil
    }
}

extension Presence {
    /// Whether it is of somebody in a room, and not of a contact: it says nothing of a subscription or an avatar of the
    /// address that it comes from.
    ///
    /// By what the room adds; an error by what was sent to it.
    public var isOfRoom: Bool {
        element.first("x", Namespace.mucUser) != nil || element.first("x", Namespace.muc) != nil
    }
}
