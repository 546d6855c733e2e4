package import XMPPCore
package import XMPPModules

/// What a guest lived through, in its order.
package enum GuestEvent: Hashable, Sendable {
    /// A presence that manages subscriptions.
    package enum Word: Hashable, Sendable { case subscribe, subscribed, unsubscribe, unsubscribed }

    /// Logged in, roster there, initial presence sent.
    case online
    case received(Word, from: BareJID)
    case sent(Word, to: BareJID)
    case rosterChanged(RosterPayload.Change)
    /// The connection is over; why in words.
    case ended(String)
}

extension GuestEvent.Word {
    /// Nil for every presence that does not manage subscriptions.
    init?(_ type: PresenceType) {
        switch type {
        case .subscribe: self = .subscribe
        case .subscribed: self = .subscribed
        case .unsubscribe: self = .unsubscribe
        case .unsubscribed: self = .unsubscribed
        case .available, .unavailable, .probe, .error, .other: return nil
        }
    }

    var type: PresenceType {
        switch self {
        case .subscribe: .subscribe
        case .subscribed: .subscribed
        case .unsubscribe: .unsubscribe
        case .unsubscribed: .unsubscribed
        }
    }
}
