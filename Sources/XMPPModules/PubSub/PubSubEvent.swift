public import XMPPCore

/// What an account's node tells those who listen (XEP-0163 section 4.3).
public struct PubSubEvent: Hashable, Sendable {
    /// What happened.
    public enum Change: Hashable, Sendable {
        /// These items are published; the last one is the newest.
        case published([PubSubItem])
        /// The items of these ids are gone.
        case retracted([String])
        /// All items are gone, or the node is.
        case emptied
    }

    /// Whose node it is: who sent the event, never what stands in it (XEP-0163 section 4.3.4).
    public let publisher: BareJID
    /// The node.
    public let node: String
    /// What happened.
    public let change: Change

    /// Reads an event.
    ///
    /// An account speaks for its nodes by its bare address; what comes from a full one is a client's word, and is not
    /// believed. No sender is the account itself.
    ///
    /// Nil where it is no event of an account, or an error.
    ///
    /// - Parameters:
    ///   - message: Any message.
    ///   - account: Ours.
    public init?(_ message: Message, to account: BareJID) {
        guard message.type != .error, !message.fromIsInvalid,
            let event = message.element.first("event", Namespace.pubSubEvent)
        else { return nil }
        let from = message.from ?? JID(account)
        guard from.resource == nil else { return nil }
        publisher = from.bare
        for element in event.elements where sameBytes(element.namespace, Namespace.pubSubEvent) {
            guard let node = element[attribute: "node"], let change = Self.change(element) else { continue }
            (self.node, self.change) = (node, change)
            return
        }
        return nil
    }

    private static func change(_ element: Element) -> Change? {
        if sameBytes(element.name, "purge") || sameBytes(element.name, "delete") { return .emptied }
        guard sameBytes(element.name, "items") else { return nil }
        let children = element.elements.prefix(PubSubPayload.limit)
        let items = children.filter { $0.matches("item", Namespace.pubSubEvent) }.map { PubSubItem(reading: $0) }
        guard items.isEmpty else { return .published(items) }
        let ids = children.filter { $0.matches("retract", Namespace.pubSubEvent) }.compactMap { $0[attribute: "id"] }
        return ids.isEmpty ? nil : .retracted(ids)
    }
}
