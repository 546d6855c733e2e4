import XMPPCore

/// What the modules of bot authors may send by themselves: messages, requests, and presence to somebody.
///
/// Who sees the account is decided by its policy and its operators, and written down before it is sent: `subscribed` without
/// a request would be an approval ahead (RFC 6121 section 3.4), and whoever asks later would be let in. The account's own
/// presence is one for all its modules, and what is no stanza belongs to the stream.
enum ModuleStanza {
    /// Why these are not sent; nil where they may be.
    ///
    /// They are sent together or not at all.
    static func refusal(of stanzas: [Element]) -> ClientError? {
        for stanza in stanzas {
            if let refusal = refusal(of: stanza) { return refusal }
        }
        return nil
    }

    private static func refusal(of stanza: Element) -> ClientError? {
        guard let presence = Presence(stanza) else {
            let isStanza = stanza.matches("message", Namespace.client) || stanza.matches("iq", Namespace.client)
            return isStanza ? nil : .notStanza
        }
        switch presence.type {
        case .subscribe, .subscribed, .unsubscribe, .unsubscribed: return .subscription
        case .available, .unavailable, .probe, .error, .other: return presence.to == nil ? .undirected : nil
        }
    }
}

extension ClientError {
    fileprivate static let subscription = ClientError(
        .notAllowed, "a module does not decide who sees whom",
        advice: "leave requests to the account's policy and its operators, or use the library's SubscriptionModule")
    fileprivate static let undirected = ClientError(
        .notAllowed, "a presence for everybody is the account's own", advice: "send it to one address")
    fileprivate static let notStanza = ClientError(
        .notAllowed, "a module sends stanzas only", advice: "send a message, a presence or a request")
}
