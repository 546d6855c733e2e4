/// What one stanza does to a ``SubscriptionState``.
public struct SubscriptionTransition: Hashable, Sendable {
    /// The state behind it.
    public let state: SubscriptionState
    /// Whether the server hands the stanza on: to the contact's server where the account sent it, to the account where the
    /// contact did.
    public let passes: Bool
    /// What the account's server answers to the contact by itself.
    public let answer: SubscriptionStanza?
    /// What it means.
    public let meaning: Meaning

    /// What a stanza means in the state in which it is said, for whoever hears it.
    public enum Meaning: Hashable, Sendable, CaseIterable {
        /// Asks to see the other.
        case request
        /// Takes the own request back before it was answered.
        case withdrawal
        /// Lets the other see one, who asked for it.
        case approval
        /// Refuses what the other asked for.
        case denial
        /// Takes back that the other sees one.
        case cancellation
        /// No longer wants to see the other.
        case unsubscription
        /// Approves a request that has not come (RFC 6121 section 3.4), where the server keeps such a thing.
        case preApproval
        /// Takes that back, as far as the server does.
        case endOfPreApproval
        /// Nothing that was not so before.
        case echo
    }

    /// Whether it would approve a request that has not come: by mistake, that lets somebody in whom nobody looked at.
    public var isPreApproval: Bool { meaning == .preApproval }
}
