public import XMPPCore

/// How an account and a contact stand to each other (RFC 6121 appendix A.1), as the account's server has it.
///
/// There are nine states: who sees whose presence, whether the account asked and waits ("pending out"), and whether the
/// contact asked and was not answered ("pending in", which no roster shows: only the request itself does).
///
/// ```swift
/// let state = SubscriptionState(roster.items[contact], isPendingIn: false)
/// switch state.received(.unsubscribed).meaning {
/// case .denial: print("\(contact) says no")
/// case .cancellation: print("\(contact) took it back")
/// default: break
/// }
/// ```
public enum SubscriptionState: UInt8, Hashable, Sendable, CaseIterable {
    /// Neither sees the other, and nobody asked; whoever is not in the roster is in this state.
    case none
    /// The account asked.
    case nonePendingOut
    /// The contact asked.
    case nonePendingIn
    /// Both asked.
    case nonePendingOutIn
    /// The account sees the contact.
    case to
    /// The account sees the contact, who asked to see the account.
    case toPendingIn
    /// The contact sees the account.
    case from
    /// The contact sees the account, which asked to see the contact.
    case fromPendingOut
    /// Each sees the other.
    case both

    /// The state that these say together.
    ///
    /// What cannot be is left out: whoever sees the other waits for nothing.
    ///
    /// - Parameters:
    ///   - subscription: Who sees whom.
    ///   - isPendingOut: Whether the account asked and waits (`ask='subscribe'`).
    ///   - isPendingIn: Whether the contact asked and was not answered.
    public init(_ subscription: RosterItem.Subscription, isPendingOut: Bool, isPendingIn: Bool) {
        self =
            switch (subscription, isPendingOut, isPendingIn) {
            case (.none, false, false): .none
            case (.none, true, false): .nonePendingOut
            case (.none, false, true): .nonePendingIn
            case (.none, true, true): .nonePendingOutIn
            case (.to, _, false): .to
            case (.to, _, true): .toPendingIn
            case (.from, false, _): .from
            case (.from, true, _): .fromPendingOut
            case (.both, _, _): .both
            }
    }

    /// The state of a contact.
    ///
    /// - Parameters:
    ///   - item: The contact's item; nil where the roster has none.
    ///   - isPendingIn: Whether the contact asked and was not answered.
    public init(_ item: RosterItem?, isPendingIn: Bool) {
        self.init(item?.subscription ?? .none, isPendingOut: item?.asked ?? false, isPendingIn: isPendingIn)
    }

    /// Who sees whom: what the roster's item says.
    public var subscription: RosterItem.Subscription {
        switch self {
        case .none, .nonePendingOut, .nonePendingIn, .nonePendingOutIn: .none
        case .to, .toPendingIn: .to
        case .from, .fromPendingOut: .from
        case .both: .both
        }
    }

    /// Whether the account asked and waits: what the roster's item says by `ask='subscribe'`.
    public var isPendingOut: Bool {
        switch self {
        case .nonePendingOut, .nonePendingOutIn, .fromPendingOut: true
        case .none, .nonePendingIn, .to, .toPendingIn, .from, .both: false
        }
    }

    /// Whether the contact asked and was not answered.
    public var isPendingIn: Bool {
        switch self {
        case .nonePendingIn, .nonePendingOutIn, .toPendingIn: true
        case .none, .nonePendingOut, .to, .from, .fromPendingOut, .both: false
        }
    }

    /// The state without what no roster shows.
    public var visible: SubscriptionState {
        SubscriptionState(subscription, isPendingOut: isPendingOut, isPendingIn: false)
    }

    /// The item as the server has it after a transition into this state: everything but the subscription stays.
    public func applied(to item: RosterItem) -> RosterItem {
        var item = item
        (item.subscription, item.asked) = (subscription, isPendingOut)
        return item
    }

    /// What the account's stanza does (RFC 6121 appendix A.2).
    public func sent(_ stanza: SubscriptionStanza) -> SubscriptionTransition {
        SubscriptionTable.sent(self)[stanza].transition(from: self, by: stanza)
    }

    /// What the contact's stanza does (RFC 6121 appendix A.3).
    ///
    /// - Parameters:
    ///   - stanza: What arrives at the account's server.
    ///   - isPreApproved: Whether the account approved the contact before it asked (RFC 6121 section 3.4): then the server
    ///     answers a request at once, and the account never hears of it.
    /// - Returns: What becomes of it.
    public func received(_ stanza: SubscriptionStanza, isPreApproved: Bool = false) -> SubscriptionTransition {
        let transition = SubscriptionTable.received(self)[stanza].transition(from: self, by: stanza)
        guard isPreApproved, stanza == .subscribe, transition.meaning == .request else { return transition }
        return SubscriptionTransition(
            state: transition.state.sent(.subscribed).state, passes: false, answer: .subscribed, meaning: .request)
    }
}

/// The four presences that manage subscriptions (RFC 6121 section 3).
public enum SubscriptionStanza: Hashable, Sendable, CaseIterable {
    /// Asks to see the other's presence.
    case subscribe
    /// Lets the other see one's presence.
    case subscribed
    /// Does not want to see the other's presence any longer.
    case unsubscribe
    /// Does not let the other see one's presence, or no longer.
    case unsubscribed

    /// The one of that type; nil for all other presences.
    public init?(_ type: PresenceType) {
        switch type {
        case .subscribe: self = .subscribe
        case .subscribed: self = .subscribed
        case .unsubscribe: self = .unsubscribe
        case .unsubscribed: self = .unsubscribed
        case .available, .unavailable, .probe, .error, .other: return nil
        }
    }

    /// Its type.
    public var type: PresenceType {
        switch self {
        case .subscribe: .subscribe
        case .subscribed: .subscribed
        case .unsubscribe: .unsubscribe
        case .unsubscribed: .unsubscribed
        }
    }
}
