public import XMPPCore

extension SubscriptionModule {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// Someone asked, or the server delivered the request again.
        ///
        /// ``SubscriptionModule/pending`` has it once, and it is answered once.
        case requested(SubscriptionRequest)
        /// Someone took a request back, or no longer wants to see the account.
        case unsubscribed(BareJID)
        /// A contact lets the account see it, which had asked.
        case approved(BareJID)
        /// A contact refused what the account asked for.
        case denied(BareJID)
        /// A contact takes back that the account sees it.
        case cancelled(BareJID)
        /// A `subscribed` or `unsubscribed` that changes nothing: it was known, or nobody had asked.
        case repeated(BareJID, SubscriptionStanza)
        /// A request of the account came back as an error: it was not refused, it did not arrive.
        case failed(BareJID, StanzaError)
    }
}
