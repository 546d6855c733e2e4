public import XMPPCore

/// Why a blocking command, or a stanza to somebody blocked, was refused.
public enum BlockingError: Error, Hashable, Sendable {
    /// The server does not announce blocking (XEP-0191).
    case notOffered
    /// The recipient is on the account's own block list (section 3.5): the stanza was not sent on.
    case blocked
    /// The server refused, and says why by a condition.
    case refused(StanzaError)
    /// No answer came: whether it was done shows the list at the next login.
    case noReply

    /// What a stanza error means, where the stanza was one of ours; nil where it holds none.
    ///
    /// - Parameter stanza: A stanza of type `error`.
    public init?(_ stanza: Element) {
        guard let error = stanza.first("error", Namespace.client) else { return nil }
        self = error.first("blocked", Namespace.blockingErrors) != nil ? .blocked : .refused(StanzaError(error))
    }
}

extension BlockingError: CustomStringConvertible {
    /// What happened and what to do.
    public var description: String {
        switch self {
        case .notOffered: "the server does not announce blocking (XEP-0191)"
        case .blocked: "the recipient is blocked by this account; unblock it first"
        case .refused(let error): "the server refused it: \(error)"
        case .noReply: "the server did not answer; the block list shows at the next login what was done"
        }
    }
}
