/// A message stanza (RFC 6121 section 5).
public struct Message: Hashable, Sendable {
    /// Its kind.
    public var type: MessageType
    /// Who sent it; nil where absent or invalid.
    public var from: JID?
    /// Whom it is for; nil where absent or invalid.
    public var to: JID? { StanzaHead.recipient(of: element) }
    /// Its id.
    public var id: String?
    /// Whether there is a `from` that is no address.
    public var fromIsInvalid: Bool
    /// The whole stanza.
    public var element: Element

    /// Reads a message; nil where the element is none.
    public init?(_ element: Element) {
        guard element.matches("message", Namespace.client) else { return nil }
        let head = StanzaHead(element)
        type = MessageType(element[attribute: "type"])
        (from, id) = (head.from, head.id)
        fromIsInvalid = head.fromIsInvalid
        self.element = element
    }

    /// A message to send.
    ///
    /// - Parameters:
    ///   - type: Its kind.
    ///   - to: Whom to.
    ///   - id: An id of our own.
    ///   - body: What to say.
    ///   - children: Further elements.
    public init(
        _ type: MessageType = .chat,
        to: JID,
        id: String? = nil,
        body: String? = nil,
        children: [Element] = []
    ) {
        self.type = type
        self.id = id
        fromIsInvalid = false
        var nodes: [Element.Node] = []
        if let body {
            nodes.append(.element(Element("body", namespace: Namespace.client, children: [.text(body)])))
        }
        element = Element(
            "message",
            namespace: Namespace.client,
            attributes: StanzaHead.attributes(type: type.attribute, to: to, id: id),
            children: nodes + children.map(Element.Node.element)
        )
    }

    /// The text of the first `<body/>`.
    public var body: String? { element.first("body", Namespace.client)?.text }
}

/// The kind of a message (RFC 6121 section 5.2.2).
public enum MessageType: Hashable, Sendable {
    /// Stands alone; also where there is no `type` or an unknown one.
    case normal
    /// Part of a conversation of two.
    case chat
    /// From a room.
    case groupchat
    /// News; no answer is expected.
    case headline
    /// One of our own messages failed.
    case error

    init(_ attribute: String?) {
        let known: [MessageType] = [.chat, .groupchat, .headline, .error]
        self = known.first { sameBytes($0.attribute, attribute) } ?? .normal
    }

    /// The value of the `type` attribute; nil for `normal`.
    public var attribute: String? {
        switch self {
        case .normal: nil
        case .chat: "chat"
        case .groupchat: "groupchat"
        case .headline: "headline"
        case .error: "error"
        }
    }
}
