/// One of the three kinds of stanzas (RFC 6120 section 8).
public enum Stanza: Hashable, Sendable {
    /// News about someone's availability, or a step of a subscription.
    case presence(Presence)
    /// Something said.
    case message(Message)
    /// A request or its answer.
    case iq(IQ)

    /// Reads a first-level element of a stream.
    ///
    /// - Parameter element: The element; nil comes back where it is no stanza.
    public init?(_ element: Element) {
        guard sameBytes(element.namespace, Namespace.client) else { return nil }
        if sameBytes(element.name, "presence") {
            self = .presence(Presence(matching: element))
        } else if sameBytes(element.name, "message") {
            self = .message(Message(matching: element))
        } else if sameBytes(element.name, "iq") {
            self = .iq(IQ(matching: element))
        } else {
            return nil
        }
    }

    /// The whole stanza.
    public var element: Element {
        switch self {
        case .presence(let presence): presence.element
        case .message(let message): message.element
        case .iq(let iq): iq.element
        }
    }

    /// Who sent it; nil means our own account by way of its server (RFC 6120 section 8.1.2.1), but see
    /// `fromIsInvalid`.
    public var from: JID? {
        switch self {
        case .presence(let presence): presence.from
        case .message(let message): message.from
        case .iq(let iq): iq.from
        }
    }

    /// Whether there is a `from` that is no address: such a stanza comes from nobody we can name and is dropped.
    public var fromIsInvalid: Bool {
        switch self {
        case .presence(let presence): presence.fromIsInvalid
        case .message(let message): message.fromIsInvalid
        case .iq(let iq): iq.fromIsInvalid
        }
    }
}
