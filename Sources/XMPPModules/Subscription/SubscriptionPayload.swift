public import XMPPCore

/// A request to see the account's presence (RFC 6121 section 3.1.3).
public struct SubscriptionRequest: Hashable, Sendable {
    /// Who asks; a resource in the stanza is dropped (RFC 6121 section 3.1.1).
    public var contact: BareJID
    /// The text that came with it; nil where there is none.
    public var message: String?
    /// The name that the contact gives itself (XEP-0172); never an identity.
    public var nickname: String?
    /// The token of an invitation that the contact shows (XEP-0379): what it is worth only its maker knows.
    public var token: String?
    /// The address that the contact says it had before (XEP-0283): a claim, to be verified by ``MovedPayload``.
    public var movedFrom: BareJID?

    /// A request.
    public init(
        contact: BareJID, message: String? = nil, nickname: String? = nil, token: String? = nil,
        movedFrom: BareJID? = nil
    ) {
        self.contact = contact
        self.message = message
        self.nickname = nickname
        self.token = token
        self.movedFrom = movedFrom
    }
}

/// The presences that manage subscriptions (RFC 6121 section 3).
public enum SubscriptionPayload {
    /// Reads a `subscribe`.
    ///
    /// - Parameter presence: Any presence.
    /// - Returns: Nil where it is no `subscribe`, or its sender is no address.
    public static func request(in presence: Presence) -> SubscriptionRequest? {
        guard case .subscribe = presence.type, let from = presence.from, !presence.fromIsInvalid else { return nil }
        return SubscriptionRequest(
            contact: from.bare,
            message: present(presence.status),
            nickname: present(presence.nickname),
            token: InvitationURI.token(in: presence),
            movedFrom: MovedPayload.oldAddress(in: presence, from: from.bare))
    }

    /// A presence to a contact's bare address, as all of them must be (RFC 6121 section 3.1.1).
    public static func presence(
        _ type: PresenceType, to contact: BareJID, id: String? = nil, extensions: [Element] = []
    ) -> Element {
        var attributes = [Element.Attribute("to", contact.description)]
        if let type = type.attribute { attributes.append(.init("type", type)) }
        if let id { attributes.append(.init("id", id)) }
        return Element(
            "presence", namespace: Namespace.client, attributes: attributes,
            children: extensions.map { .element($0) })
    }

    /// What somebody calls himself (XEP-0172): goes along with a request, never with what is broadcast.
    public static func nick(_ name: String) -> Element {
        Element("nick", namespace: Namespace.nick, children: [.text(name)])
    }

    /// An empty text is none.
    private static func present(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}
