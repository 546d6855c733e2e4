public import XMPPClient
public import XMPPCore

/// Sorts the presences that manage subscriptions out of the stream.
///
/// It answers nothing itself: `subscribed` is never met with `subscribe`, nor `unsubscribed` with `unsubscribe`, so no
/// two automata can keep each other busy.
public final class SubscriptionModule: SessionModule {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// Someone asked, or the server delivered the request again.
        case requested(SubscriptionRequest)
        /// Someone took a request back, or no longer wants to see the account.
        case unsubscribed(BareJID)
    }

    private let onEvent: (Event) -> Void

    /// A module.
    ///
    /// - Parameter onEvent: Told each event, in the order of the stream.
    public init(onEvent: @escaping (Event) -> Void) {
        self.onEvent = onEvent
    }

    /// It answers no requests.
    public var namespaces: [String] { [] }

    /// Looks at a presence.
    public func received(presence: Presence) {
        switch presence.type {
        case .subscribe:
            if let request = SubscriptionPayload.request(in: presence) { onEvent(.requested(request)) }
        case .unsubscribe:
            if let from = presence.from { onEvent(.unsubscribed(from.bare)) }
        case .available, .unavailable, .subscribed, .unsubscribed, .probe, .error, .other:
            break
        }
    }
}
