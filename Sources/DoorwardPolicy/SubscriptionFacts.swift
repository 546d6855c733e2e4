package import XMPPCore

/// What is known of one subscription request when a policy is asked about it.
///
/// Most of it is at hand when the request arrives; what costs a round trip is asked for where a rule needs it.
package struct SubscriptionFacts: Hashable, Sendable {
    /// The account that is asked.
    package var account: BareJID
    /// Who asks.
    package var contact: BareJID
    /// The text of the request; nil where it has none.
    ///
    /// An empty text counts as none.
    package var message: String?
    /// The nickname in the request (XEP-0172); never an identity.
    package var nickname: String?
    /// The contact's roster item; nil where the contact is not in the roster.
    package var rosterItem: RosterFact?
    /// What its invitation token is worth.
    package var token: TokenFact
    /// Whether it comes from a contact who has moved.
    package var moved: CostlyFact<MoveFact>
    /// Whether the requester is behind a gateway that is a contact of ours (XEP-0100): its domain is one.
    package var gateway: Bool

    package init(
        account: BareJID,
        contact: BareJID,
        message: String? = nil,
        nickname: String? = nil,
        rosterItem: RosterFact? = nil,
        token: TokenFact = .absent,
        moved: CostlyFact<MoveFact> = .known(.absent),
        gateway: Bool = false
    ) {
        self.account = account
        self.contact = contact
        self.message = message
        self.nickname = nickname
        self.rosterItem = rosterItem
        self.token = token
        self.moved = moved
        self.gateway = gateway
    }
}

/// What the roster says of a contact.
package struct RosterFact: Hashable, Sendable {
    /// The four subscription states of a roster item (RFC 6121 section 2.1.2.5).
    package enum Subscription: String, Hashable, Sendable, CaseIterable {
        case none, to, from, both
    }

    package var subscription: Subscription
    /// Whether we asked the contact and wait for the answer (`ask='subscribe'`).
    package var asked: Bool
    package var name: String?
    package var groups: [String]

    package init(subscription: Subscription, asked: Bool = false, name: String? = nil, groups: [String] = []) {
        self.subscription = subscription
        self.asked = asked
        self.name = name
        self.groups = groups
    }
}
