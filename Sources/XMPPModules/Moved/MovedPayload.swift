public import XMPPCore

/// Contacts that have moved to another address (XEP-0283): the claim in a request, and what the old account says of it.
public enum MovedPayload {
    /// The node where the old account says where it is now.
    public static let node = Namespace.moved

    /// The address that a request says its sender had before.
    ///
    /// - Parameters:
    ///   - presence: A `subscribe`.
    ///   - sender: Who sent it.
    /// - Returns: Nil where there is no claim, or none that could be true.
    public static func oldAddress(in presence: Presence, from sender: BareJID) -> BareJID? {
        guard let moved = presence.element.first("moved", Namespace.moved),
            let text = moved.first("old-jid", Namespace.moved)?.text, let old = try? JID(text), old.bare != sender
        else { return nil }
        return old.bare
    }

    /// Asks the old account: a `get`, to its bare address.
    public static func query() -> Element {
        let item = Element("item", namespace: Namespace.pubsub, attributes: [.init("id", "current")])
        let items = Element(
            "items", namespace: Namespace.pubsub, attributes: [.init("node", node)], children: [.element(item)])
        return Element("pubsub", namespace: Namespace.pubsub, children: [.element(items)])
    }

    /// Where the old account says that it is now.
    ///
    /// - Parameter result: What its answer holds.
    /// - Returns: Nil where it says nothing of the kind.
    public static func newAddress(in result: Element?) -> BareJID? {
        guard let items = result?.first("items", Namespace.pubsub), sameBytes(items[attribute: "node"], node),
            let item = items.elements.first(where: {
                $0.matches("item", Namespace.pubsub) && sameBytes($0[attribute: "id"], "current")
            }),
            let text = item.first("moved", Namespace.moved)?.first("new-jid", Namespace.moved)?.text
        else { return nil }
        return (try? JID(text))?.bare
    }

    /// The same where the account is gone and its server says where to (RFC 6120 section 8.3.3.5).
    public static func newAddress(in error: StanzaError) -> BareJID? {
        error.condition == .gone ? address(in: error) : nil
    }

    /// Where an error sends to, for good or for a while: `gone` and `redirect` (RFC 6120 sections 8.3.3.5 and 8.3.3.14).
    public static func address(in error: StanzaError) -> BareJID? {
        guard error.condition == .gone || error.condition == .redirect, let uri = error.address else { return nil }
        let prefix = "xmpp:"
        guard uri.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = uri.dropFirst(prefix.count).prefix { $0 != "?" && $0 != "#" }
        guard let text = PercentEncoding.decoded(rest) else { return nil }
        return (try? JID(text))?.bare
    }
}
