public import XMPPCore

/// The roster's payloads (RFC 6121 section 2).
public enum RosterPayload {
    /// What an `<item/>` says.
    public enum Change: Hashable, Sendable {
        /// The item is now this.
        case set(RosterItem)
        /// The item is gone.
        case remove(BareJID)
    }

    /// Asks for the roster.
    ///
    /// - Parameter version: That of the items at hand, or empty where there are none; only for a server that announces
    ///   versions (RFC 6121 section 2.6). Nil asks for the whole of it.
    /// - Returns: The payload.
    public static func get(version: String? = nil) -> Element {
        var query = Element("query", namespace: Namespace.roster)
        query[attribute: "ver"] = version
        return query
    }

    /// Sets an item as a whole: what is left out, the server forgets (RFC 6121 section 2.3).
    public static func set(_ jid: BareJID, name: String?, groups: [String]) -> Element {
        var item = Element("item", namespace: Namespace.roster, attributes: [.init("jid", jid.description)])
        if let name { item[attribute: "name"] = name }
        // An empty or repeated group would make the server refuse the whole item (RFC 6121 section 2.3.3).
        var seen: Set<[UInt8]> = []
        for group in groups where !group.isEmpty && seen.insert(Array(group.utf8)).inserted {
            item.children.append(.element(Element("group", namespace: Namespace.roster, children: [.text(group)])))
        }
        return Element("query", namespace: Namespace.roster, children: [.element(item)])
    }

    /// Removes an item, and with it both subscriptions (RFC 6121 section 2.5).
    public static func remove(_ jid: BareJID) -> Element {
        let item = Element(
            "item", namespace: Namespace.roster,
            attributes: [.init("jid", jid.description), .init("subscription", "remove")])
        return Element("query", namespace: Namespace.roster, children: [.element(item)])
    }

    /// The version that a roster or a push has (RFC 6121 section 2.6); nil where there is none, or one that no server makes.
    static func version(of query: Element) -> String? {
        query[attribute: "ver"].flatMap { $0.utf8.count <= versionLimit ? $0 : nil }
    }

    /// Bytes of a version; it is kept, and sent at each login.
    private static let versionLimit = 1024

    /// Reads what a push changes.
    ///
    /// Items whose address is none, or has a resource, are left out; one with an unknown `subscription` too, since nothing is known of what
    /// it means, and what was known before stays (RFC 6121 section 2.1.2.5).
    public static func changes(in query: Element) -> [Change] {
        var changes: [Change] = []
        for case .element(let element) in query.children where element.matches("item", Namespace.roster) {
            if let change = change(in: element) { changes.append(change) }
        }
        return changes
    }

    /// What one `<item/>` changes.
    static func change(in element: Element) -> Change? {
        let attributes = ItemAttributes(element)
        guard let jid = attributes.address else { return nil }
        let word = attributes.subscription ?? "none"
        if sameBytes(word, "remove") { return .remove(jid) }
        guard let subscription = subscription(word) else { return nil }
        return .set(item(element, attributes, jid, subscription))
    }

    /// Reads a whole roster.
    ///
    /// Here an item with an unknown `subscription` is kept as one with none: it is in the roster, and a rule that prunes
    /// what is missing must not be misled.
    public static func items(in query: Element) -> [RosterItem] {
        var items: [RosterItem] = []
        forEachItem(in: query) { items.append($0) }
        return items
    }

    /// As `items`, without a list of them.
    static func forEachItem(in query: Element, _ body: (RosterItem) -> Void) {
        for case .element(let element) in query.children where element.matches("item", Namespace.roster) {
            let attributes = ItemAttributes(element)
            guard let jid = attributes.address else { continue }
            body(item(element, attributes, jid, subscription(attributes.subscription ?? "none") ?? .none))
        }
    }

    /// What an item says of itself, read in one pass.
    private struct ItemAttributes {
        var jid: String?
        var subscription: String?
        var name: String?
        var ask: String?
        var approved: String?

        init(_ item: Element) {
            for attribute in item.attributes where attribute.namespace == nil {
                switch attribute.name.utf8.count {
                case 3 where jid == nil && sameBytes(attribute.name, "jid"): jid = attribute.value
                case 3 where ask == nil && sameBytes(attribute.name, "ask"): ask = attribute.value
                case 4 where name == nil && sameBytes(attribute.name, "name"): name = attribute.value
                case 8 where approved == nil && sameBytes(attribute.name, "approved"): approved = attribute.value
                case 12 where subscription == nil && sameBytes(attribute.name, "subscription"):
                    subscription = attribute.value
                case _: break
                }
            }
        }

        /// The address; nil where it is none, or has a resource.
        ///
        /// That is another item than the one of the bare address, which it must not overwrite or remove. ejabberd keeps
        /// such items, Prosody refuses them.
        var address: BareJID? {
            jid.flatMap { $0.utf8.contains(UInt8(ascii: "/")) ? nil : try? BareJID($0) }
        }
    }

    private static func subscription(_ word: String) -> RosterItem.Subscription? {
        if sameBytes(word, "both") {
            .both
        } else if sameBytes(word, "from") {
            .from
        } else if sameBytes(word, "to") {
            .to
        } else if sameBytes(word, "none") {
            RosterItem.Subscription.none
        } else {
            nil
        }
    }

    /// Empty and repeated groups mean nothing (RFC 6121 section 2.1.2.6).
    private static func groups(of element: Element) -> [String] {
        var groups: [String] = []
        // Only where there are so many that looking at each would cost more.
        var seen: Set<ByteText> = []
        for case .element(let group) in element.children where group.matches("group", Namespace.roster) {
            let text = group.text
            if text.isEmpty { continue }
            if groups.count < 8 {
                if groups.contains(where: { sameBytes($0, text) }) { continue }
            } else {
                if seen.isEmpty { seen = Set(groups.map(ByteText.init)) }
                guard seen.insert(ByteText(text)).inserted else { continue }
            }
            groups.append(text)
        }
        return groups
    }

    private static func item(
        _ element: Element, _ attributes: ItemAttributes, _ jid: BareJID, _ subscription: RosterItem.Subscription
    ) -> RosterItem {
        let groups = groups(of: element)
        let name = attributes.name.flatMap { $0.isEmpty ? nil : $0 }
        let asked = attributes.ask.map { sameBytes($0, "subscribe") } ?? false
        let isApproved = attributes.approved.map { sameBytes($0, "true") || sameBytes($0, "1") } ?? false
        return RosterItem(
            jid: jid, name: name, subscription: subscription, asked: asked, groups: groups, isApproved: isApproved)
    }
}
