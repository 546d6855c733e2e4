public import XMPPCore

extension Message {
    /// Replies (XEP-0461).
    private static let replies = "urn:xmpp:reply:0"

    /// An answer to a message: to its sender, of its kind, in its thread, and with its id named (XEP-0461).
    ///
    /// Nil for errors, which are never answered (RFC 6120 section 8.3.1), and where there is no sender.
    ///
    /// - Parameters:
    ///   - message: What is answered; in a room the answer goes to the whole room.
    ///   - body: What to say.
    ///   - id: The id of the answer itself.
    public init?(replyTo message: Message, body: String, id: String? = nil) {
        guard let sender = message.from, message.type != .error else { return nil }
        let isInRoom = message.type == .groupchat
        var children: [Element] = []
        if let thread = message.element.first("thread", Namespace.client)?.text, thread.utf8.count <= 1024 {
            children.append(Element("thread", namespace: Namespace.client, children: [.text(thread)]))
        }
        if let answered = message.replyID {
            children.append(
                Element(
                    "reply", namespace: Self.replies,
                    attributes: [.init("to", sender.description), .init("id", answered)]))
        }
        self.init(
            message.type, to: isInRoom ? JID(sender.bare) : sender, id: id, body: body, children: children)
    }

    /// Whether it says that it is an answer to another message (XEP-0461).
    public var isReply: Bool { element.first("reply", Self.replies) != nil }

    /// By which id others refer to it: in a room the room's own (XEP-0359), else its sender's.
    private var replyID: String? {
        let id: String?
        if type == .groupchat {
            let stanza = element.elements.first { stanza in
                stanza.matches("stanza-id", "urn:xmpp:sid:0")
                    && stanza[attribute: "by"].flatMap { try? BareJID($0) } == from?.bare
            }
            id = stanza?[attribute: "id"]
        } else {
            id = self.id
        }
        return id.flatMap { $0.isEmpty || $0.utf8.count > 1024 ? nil : $0 }
    }
}
