public import XMPPCore

/// One item of a roster (RFC 6121 section 2.1.2).
public struct RosterItem: Hashable, Sendable {
    /// Who may see whose presence.
    public enum Subscription: String, Hashable, Sendable, CaseIterable {
        /// Neither.
        case none
        /// The account sees the contact.
        case to
        /// The contact sees the account.
        case from
        /// Both.
        case both
    }

    /// The contact; the key of the item.
    public var jid: BareJID
    /// The name the account gave it; nil where there is none or it is empty.
    public var name: String?
    /// Who may see whom.
    public var subscription: Subscription
    /// Whether the account asked the contact and waits (`ask='subscribe'`).
    public var asked: Bool
    /// The groups, each once, in the server's order.
    public var groups: [String]
    /// Whether the contact is approved before it asked (RFC 6121 section 3.4); few servers say so.
    public var isApproved: Bool

    /// An item.
    public init(
        jid: BareJID, name: String? = nil, subscription: Subscription = .none, asked: Bool = false,
        groups: [String] = [], isApproved: Bool = false
    ) {
        self.jid = jid
        self.name = name
        self.subscription = subscription
        self.asked = asked
        self.groups = groups
        self.isApproved = isApproved
    }

    /// What a person reads: the name, else the part before the `@`, else the domain.
    public var displayName: String { name ?? jid.local ?? jid.domain }

    /// Whether the account sees the contact's presence.
    public var isSeen: Bool { subscription == .to || subscription == .both }

    /// Whether the contact sees the account's presence.
    public var seesAccount: Bool { subscription == .from || subscription == .both }

    public static func == (left: RosterItem, right: RosterItem) -> Bool {
        left.jid == right.jid && left.subscription == right.subscription && left.asked == right.asked
            && left.isApproved == right.isApproved && sameBytes(left.name, right.name)
            && left.groups.count == right.groups.count
            && zip(left.groups, right.groups).allSatisfy { sameBytes($0, $1) }
    }

    public func hash(into hasher: inout Hasher) {
        jid.hash(into: &hasher)
        hasher.combine(subscription)
    }
}
