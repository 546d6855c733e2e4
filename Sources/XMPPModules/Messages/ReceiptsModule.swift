public import XMPPClient
public import XMPPCore

/// Says that messages have arrived, and hears whether the account's own have (XEP-0184).
///
/// Only those hear it who may know that the account is online (``RosterModule/mayKnow(_:)``): a receipt tells when it is.
public final class ReceiptsModule: SessionModule {
    /// How many messages are remembered that no receipt has come for; the oldest is forgotten.
    public static let limit = 1_000

    /// What became of a message of ours.
    public enum Event: Hashable, Sendable {
        /// It has arrived at that client.
        case delivered(id: String, at: JID)
        /// It came back from there.
        case failed(id: String, at: JID, StanzaError)
    }

    private let mayKnow: (BareJID) -> Bool
    private let onEvent: (Event) -> Void
    private var session: ModuleSession?
    /// In the order they were sent.
    private var sent: [(id: String, to: BareJID)] = []

    /// A module.
    ///
    /// - Parameters:
    ///   - mayKnow: Whether the sender may know that the account is online.
    ///   - onEvent: Told what became of own messages.
    public init(mayKnow: @escaping (BareJID) -> Bool, onEvent: @escaping (Event) -> Void = { _ in }) {
        self.mayKnow = mayKnow
        self.onEvent = onEvent
    }

    /// It answers no requests.
    public var namespaces: [String] { [] }
    /// That of receipts.
    public var features: [String] { [Namespace.receipts] }

    /// By it receipts are sent.
    public func began(_ session: ModuleSession) { self.session = session }

    /// A message of ours that asks for a receipt: with the element that asks.
    ///
    /// - Parameters:
    ///   - message: Not to a room.
    ///   - id: Its id.
    /// - Returns: The message to send; what becomes of it is told.
    public func asking(_ message: Message, id: String) -> Message {
        guard let to = message.to?.bare, message.type != .groupchat, message.type != .error else { return message }
        if sent.count == Self.limit { sent.removeFirst() }
        sent.append((id, to))
        var message = message
        message.element.children.append(.element(ReceiptPayload.request()))
        return message
    }

    /// A message.
    public func received(message: Message) {
        if case .error = message.type {
            guard let from = message.from, let id = take(message.id, from: from) else { return }
            let error = message.element.first("error", Namespace.client).map(StanzaError.init)
            return onEvent(.failed(id: id, at: from, error ?? StanzaError(.undefinedCondition)))
        }
        if let confirmed = ReceiptPayload.confirmed(by: message) {
            guard message.type != .groupchat, let from = message.from, let id = take(confirmed, from: from) else {
                return
            }
            return onEvent(.delivered(id: id, at: from))
        }
        guard let from = message.from?.bare, let receipt = ReceiptPayload.receipt(for: message), mayKnow(from) else {
            return
        }
        try? session?.send([receipt.element])
    }

    /// Only whom it was sent to can say what became of it.
    private func take(_ id: String?, from sender: JID?) -> String? {
        guard let sender, let index = sent.firstIndex(where: { sameBytes($0.id, id) && $0.to == sender.bare }) else {
            return nil
        }
        return sent.remove(at: index).id
    }
}
