public import XMPPCore

/// The payloads of receipts (XEP-0184).
public enum ReceiptPayload {
    /// Asks for a receipt.
    public static func request() -> Element { Element("request", namespace: Namespace.receipts) }

    /// Says that a message has arrived.
    public static func received(_ id: String) -> Element {
        Element("received", namespace: Namespace.receipts, attributes: [.init("id", id)])
    }

    /// The id of the message that a message says has arrived; nil where it says nothing of the kind.
    public static func confirmed(by message: Message) -> String? {
        message.element.first("received", Namespace.receipts)?[attribute: "id"]
    }

    /// The receipt that a message asks for.
    ///
    /// Nothing answers what is no message of its own (section 5): an error, a receipt, something said in a room, a message
    /// without an id or a body.
    ///
    /// - Returns: The message to send; nil where none is to be.
    public static func receipt(for message: Message) -> Message? {
        switch message.type {
        case .chat, .normal, .headline: break
        case .groupchat, .error: return nil
        }
        guard message.element.first("request", Namespace.receipts) != nil,
            message.element.first("received", Namespace.receipts) == nil, message.body != nil,
            let id = message.id, !id.isEmpty, let from = message.from
        else { return nil }
        // A body would be something said: there is none, and nothing that asks for a receipt in turn.
        return Message(message.type, to: from, children: [received(id)])
    }
}
