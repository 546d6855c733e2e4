public import XMPPCore

/// The payloads of the blocking command (XEP-0191).
public enum BlockingPayload {
    /// Asks for the list; without it the server sends no pushes.
    public static func get() -> Element { Element("blocklist", namespace: Namespace.blocking) }

    /// Blocks one contact.
    public static func block(_ jid: BareJID) -> Element {
        Element("block", namespace: Namespace.blocking, children: [.element(item(jid))])
    }

    /// The addresses in a list or a push; what is no bare address is left out.
    public static func addresses(in element: Element) -> [BareJID] {
        element.elements.compactMap { child in
            guard child.matches("item", Namespace.blocking), let text = child[attribute: "jid"] else { return nil }
            guard let jid = try? JID(text), jid.resource == nil else { return nil }
            return jid.bare
        }
    }

    private static func item(_ jid: BareJID) -> Element {
        Element("item", namespace: Namespace.blocking, attributes: [.init("jid", jid.description)])
    }
}
