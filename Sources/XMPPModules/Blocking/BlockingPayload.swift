public import XMPPCore

/// The payloads of the blocking command (XEP-0191).
public enum BlockingPayload {
    /// Most entries of one command of ours.
    public static let itemLimit = 100

    /// Asks for the list; without it the server sends no pushes.
    public static func get() -> Element { Element("blocklist", namespace: Namespace.blocking) }

    /// Blocks one contact.
    public static func block(_ jid: BareJID) -> Element { block([JID(jid)]) }

    /// Blocks contacts, resources or domains.
    ///
    /// - Parameters:
    ///   - items: At least one: a server refuses an empty block (section 3.3).
    ///   - report: Said of each of them; a server that knows no reports ignores it (RFC 6120 section 8.4).
    ///   - namespace: The version of the report.
    /// - Returns: The payload of a `set`.
    public static func block(
        _ items: [JID], report: SpamReport? = nil, reportingBy namespace: String = Namespace.reporting
    ) -> Element {
        let report = report?.element(namespace: namespace)
        return command("block", items) { report.map { [.element($0)] } ?? [] }
    }

    /// Lifts the blocks of these.
    ///
    /// - Parameter items: At least one; with none nothing is to be sent, since an empty unblock lifts every block.
    /// - Returns: The payload; nil with no items.
    public static func unblock(_ items: [JID]) -> Element? {
        items.isEmpty ? nil : command("unblock", items) { [] }
    }

    /// Lifts every block (section 3.4).
    public static func unblockAll() -> Element { Element("unblock", namespace: Namespace.blocking) }

    /// The entries in a list or a push; what is no address is left out.
    public static func items(in element: Element) -> [JID] {
        element.elements.compactMap { child in
            guard child.matches("item", Namespace.blocking), let text = child[attribute: "jid"] else { return nil }
            return try? JID(text)
        }
    }

    private static func command(_ name: String, _ items: [JID], _ children: () -> [Element.Node]) -> Element {
        let items = items.map { jid in
            Element.Node.element(
                Element(
                    "item", namespace: Namespace.blocking, attributes: [.init("jid", jid.description)],
                    children: children()))
        }
        return Element(name, namespace: Namespace.blocking, children: items)
    }
}
