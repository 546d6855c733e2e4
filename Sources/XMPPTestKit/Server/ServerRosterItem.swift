public import XMPPCore

/// One item of a roster that a `ScriptedServer` keeps.
public struct ServerRosterItem: Hashable, Sendable {
    /// The contact.
    public var jid: BareJID
    /// The name the account gave it.
    public var name: String?
    /// `none`, `to`, `from` or `both`.
    public var subscription: String
    /// Whether the account asked the contact and waits.
    public var asked: Bool
    /// Whether the contact is approved before it asks (RFC 6121 section 3.4).
    public var approved: Bool
    /// The groups.
    public var groups: [String]

    /// An item.
    public init(
        _ jid: BareJID,
        subscription: String = "none",
        name: String? = nil,
        asked: Bool = false,
        approved: Bool = false,
        groups: [String] = []
    ) {
        self.jid = jid
        self.name = name
        self.subscription = subscription
        self.asked = asked
        self.approved = approved
        self.groups = groups
    }

    var seesAccount: Bool { subscription == "from" || subscription == "both" }
    var isSeen: Bool { subscription == "to" || subscription == "both" }

    mutating func set(from: Bool? = nil, to: Bool? = nil) {
        switch (from ?? seesAccount, to ?? isSeen) {
        case (true, true): subscription = "both"
        case (true, false): subscription = "from"
        case (false, true): subscription = "to"
        case (false, false): subscription = "none"
        }
    }

    var element: Element {
        var item = Element(
            "item",
            namespace: Namespace.roster,
            attributes: [.init("jid", jid.description), .init("subscription", subscription)],
            children: groups.map { .element(Element("group", namespace: Namespace.roster, children: [.text($0)])) }
        )
        item[attribute: "name"] = name
        if asked { item[attribute: "ask"] = "subscribe" }
        if approved { item[attribute: "approved"] = "true" }
        return item
    }
}
