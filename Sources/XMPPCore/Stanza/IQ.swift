/// A request or the answer to one (RFC 6120 section 8.2.3).
public struct IQ: Hashable, Sendable {
    /// Request or answer.
    public var type: IQType
    /// Its id; an answer has that of its request.
    public var id: String? {
        get { head.id }
        set { head.id = newValue }
    }
    /// Who sent it; nil where absent or invalid.
    public var from: JID? {
        get { head.from }
        set { head.from = newValue }
    }
    /// Whom it is for; nil where absent or invalid.
    public var to: JID? { StanzaHead.recipient(of: element) }
    /// What is asked or answered: the only child of a request (nil where there is none or more than one), the first of
    /// a result, the first beside `<error/>` of an error.
    public var payload: Element? {
        guard let payloadIndex, case .element(let payload) = element.children[payloadIndex] else { return nil }
        return payload
    }
    /// Whether there is a `from` that is no address.
    public var fromIsInvalid: Bool {
        get { head.fromIsInvalid }
        set { head.fromIsInvalid = newValue }
    }
    /// The whole stanza.
    public let element: Element
    private var head: StanzaHead
    /// Where the payload is among the children; nil where there is none.
    private let payloadIndex: Int?

    /// Reads an iq; nil where the element is none.
    public init?(_ element: Element) {
        guard element.matches("iq", Namespace.client) else { return nil }
        self.init(matching: element)
    }

    /// Reads an element of that name.
    init(matching element: Element) {
        var type: String?
        head = StanzaHead(element, type: &type)
        self.type = IQType(type)
        var payloads = 0
        var first: Int?
        for index in element.children.indices {
            guard case .element(let child) = element.children[index] else { continue }
            if self.type == .error, child.matches("error", Namespace.client), first == nil { continue }
            payloads += 1
            if first == nil { first = index }
        }
        payloadIndex =
            switch self.type {
            case .get, .set, .other: payloads == 1 ? first : nil
            case .result, .error: first
            }
        self.element = element
    }

    /// An iq to send.
    ///
    /// - Parameters:
    ///   - type: Request or answer.
    ///   - to: Whom to; nil for our own account.
    ///   - id: An id of our own, or that of the request which this answers.
    ///   - payload: What is asked or answered.
    public init(_ type: IQType, to: JID? = nil, id: String, payload: Element? = nil) {
        self.type = type
        payloadIndex = payload == nil ? nil : 0
        head = StanzaHead(id: id)
        element = Element(
            "iq",
            namespace: Namespace.client,
            attributes: StanzaHead.attributes(type: type.attribute, to: to, id: id),
            children: payload.map { [.element($0)] } ?? []
        )
    }

    /// Whether it answers a request.
    package var isAnswer: Bool {
        switch type {
        case .result, .error: true
        case .get, .set, .other: false
        }
    }

    /// What the other side says went wrong; nil unless this is an error.
    public var error: StanzaError? {
        guard type == .error else { return nil }
        return element.first("error", Namespace.client).map(StanzaError.init) ?? StanzaError(.undefinedCondition)
    }

    /// The result that answers this request: same id, back to its sender as that was written.
    ///
    /// - Parameter payload: What is answered.
    /// - Returns: The whole stanza.
    public func result(_ payload: Element? = nil) -> Element {
        answer(type: "result", children: payload.map { [$0] } ?? [])
    }

    func answer(type: String, children: [Element]) -> Element {
        var attributes = [Element.Attribute("type", type)]
        if let from = element[attribute: "from"] { attributes.append(.init("to", from)) }
        if let id { attributes.append(.init("id", id)) }
        return Element(
            "iq",
            namespace: Namespace.client,
            attributes: attributes,
            children: children.map(Element.Node.element)
        )
    }
}

/// What an iq is.
public enum IQType: Hashable, Sendable {
    /// Asks.
    case get
    /// Orders.
    case set
    /// Answers.
    case result
    /// Answers that it cannot be done.
    case error
    /// Nothing that RFC 6120 knows; empty where the attribute is missing.
    case other(String)

    init(_ attribute: String?) {
        let attribute = attribute ?? ""
        self =
            if sameBytes(attribute, "get") {
                .get
            } else if sameBytes(attribute, "set") {
                .set
            } else if sameBytes(attribute, "result") {
                .result
            } else if sameBytes(attribute, "error") {
                .error
            } else {
                .other(attribute)
            }
    }

    /// The value of the `type` attribute.
    public var attribute: String {
        switch self {
        case .get: "get"
        case .set: "set"
        case .result: "result"
        case .error: "error"
        case .other(let name): name
        }
    }
}
