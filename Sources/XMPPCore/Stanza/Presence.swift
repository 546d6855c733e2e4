/// A presence stanza (RFC 6121 sections 3 and 4).
public struct Presence: Hashable, Sendable {
    /// What it says.
    public var type: PresenceType
    /// Who sent it; nil where absent or invalid.
    public var from: JID? {
        get { head.from }
        set { head.from = newValue }
    }
    /// Whom it is for; nil where absent or invalid.
    public var to: JID? { StanzaHead.recipient(of: element) }
    /// Its id.
    public var id: String? {
        get { head.id }
        set { head.id = newValue }
    }
    /// Whether there is a `from` that is no address.
    public var fromIsInvalid: Bool {
        get { head.fromIsInvalid }
        set { head.fromIsInvalid = newValue }
    }
    /// The whole stanza.
    public var element: Element
    private var head: StanzaHead

    /// Reads a presence; nil where the element is none.
    public init?(_ element: Element) {
        guard element.matches("presence", Namespace.client) else { return nil }
        self.init(matching: element)
    }

    /// Reads an element of that name.
    init(matching element: Element) {
        var type: String?
        head = StanzaHead(element, type: &type)
        self.type = PresenceType(type)
        self.element = element
    }

    /// A presence to send.
    ///
    /// - Parameters:
    ///   - type: What to say.
    ///   - to: Whom to; nil for everyone subscribed.
    ///   - id: An id of our own.
    ///   - children: Such as `<status/>` or `<priority/>`.
    public init(_ type: PresenceType, to: JID? = nil, id: String? = nil, children: [Element] = []) {
        self.type = type
        head = StanzaHead(id: id)
        element = Element(
            "presence",
            namespace: Namespace.client,
            attributes: StanzaHead.attributes(type: type.attribute, to: to, id: id),
            children: children.map(Element.Node.element)
        )
    }

    /// The text of the first `<status/>`: on a request, what its sender says about himself.
    public var status: String? { element.first("status", Namespace.client)?.text }

    /// The nickname that the sender gives himself (XEP-0172).
    public var nickname: String? { element.first("nick", Namespace.nick)?.text }
}

/// What a presence says (RFC 6121 section 4.7.1).
public enum PresenceType: Hashable, Sendable {
    /// No `type`: the sender is there.
    case available
    /// The sender is gone.
    case unavailable
    /// Asks to see our presence.
    case subscribe
    /// Lets us see the sender's presence.
    case subscribed
    /// Does not want to see our presence any longer.
    case unsubscribe
    /// Does not let us see the sender's presence, or no longer.
    case unsubscribed
    /// A server asks for presence.
    case probe
    /// One of our own presences failed.
    case error
    /// Nothing that RFC 6121 knows.
    case other(String)

    init(_ attribute: String?) {
        guard let attribute else {
            self = .available
            return
        }
        self =
            if sameBytes(attribute, "unavailable") {
                .unavailable
            } else if sameBytes(attribute, "subscribe") {
                .subscribe
            } else if sameBytes(attribute, "subscribed") {
                .subscribed
            } else if sameBytes(attribute, "unsubscribe") {
                .unsubscribe
            } else if sameBytes(attribute, "unsubscribed") {
                .unsubscribed
            } else if sameBytes(attribute, "probe") {
                .probe
            } else if sameBytes(attribute, "error") {
                .error
            } else {
                .other(attribute)
            }
    }

    /// The value of the `type` attribute; nil for `available`.
    public var attribute: String? {
        switch self {
        case .available: nil
        case .unavailable: "unavailable"
        case .subscribe: "subscribe"
        case .subscribed: "subscribed"
        case .unsubscribe: "unsubscribe"
        case .unsubscribed: "unsubscribed"
        case .probe: "probe"
        case .error: "error"
        case .other(let name): name
        }
    }
}
