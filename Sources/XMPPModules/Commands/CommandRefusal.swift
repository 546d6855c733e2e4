public import XMPPCore

/// Why a command goes on no further (XEP-0050 section 4.4).
public struct CommandRefusal: Error, Hashable, Sendable {
    /// What is wrong.
    public var error: StanzaError
    /// What the protocol of commands says of it; nil where the condition says it all.
    public var detail: String?

    /// A refusal.
    public init(_ error: StanzaError, detail: String? = nil) {
        self.error = error
        self.detail = detail
    }

    /// The word of the action is none.
    public static let malformedAction = CommandRefusal(StanzaError(.badRequest), detail: "malformed-action")
    /// That is not possible at this stage.
    public static let badAction = CommandRefusal(StanzaError(.badRequest), detail: "bad-action")
    /// No such run of the command, or not this one's.
    public static let badSession = CommandRefusal(StanzaError(.badRequest), detail: "bad-sessionid")
    /// The run was left alone for too long.
    public static let expired = CommandRefusal(StanzaError(.notAllowed), detail: "session-expired")
    /// There is no such command, for this one.
    public static let unknown = CommandRefusal(StanzaError(.itemNotFound))
    /// This one may not.
    public static let forbidden = CommandRefusal(StanzaError(.forbidden))
    /// This one runs enough at a time.
    public static let tooMany = CommandRefusal(StanzaError(.notAllowed))
    /// All together run enough.
    public static let busy = CommandRefusal(StanzaError(.resourceConstraint))

    /// What was filled in cannot be taken.
    ///
    /// - Parameter text: Why, for people.
    /// - Returns: The refusal.
    public static func badPayload(_ text: String? = nil) -> CommandRefusal {
        CommandRefusal(StanzaError(.badRequest, text: text), detail: "bad-payload")
    }

    /// The element beside the condition.
    var element: Element? { detail.map { Element($0, namespace: Namespace.commands) } }
}
