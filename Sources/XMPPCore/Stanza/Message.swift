/// A message stanza (RFC 6121 section 5).
public struct Message: Hashable, Sendable {
    /// Its kind.
    public var type: MessageType
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

    /// Reads a message; nil where the element is none.
    public init?(_ element: Element) {
        guard element.matches("message", Namespace.client) else { return nil }
        self.init(matching: element)
    }

    /// Reads an element of that name.
    init(matching element: Element) {
        var type: String?
        head = StanzaHead(element, type: &type)
        self.type = MessageType(type)
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
        head = StanzaHead(id: id)
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
