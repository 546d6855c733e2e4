public import XMPPCore
import XMPPSession

/// Why something could not be done, and what to do about it.
public struct ClientError: Error, Hashable, Sendable {
    /// What kind it is, as an open set: compare with the named values.
    public struct Code: Hashable, Sendable {
        /// Stable, for logs and scripts, in snake_case.
        public let name: String

        /// There is no session at the moment.
        public static let offline = Code(name: "offline")
        /// Too many requests wait for their answers; this one was not sent.
        public static let busy = Code(name: "busy")
        /// The task that waited was cancelled.
        public static let cancelled = Code(name: "cancelled")
        /// The client was stopped: it has no session any more.
        public static let ended = Code(name: "ended")
        /// The other side did not answer in time, or the connection ended first.
        public static let noReply = Code(name: "no_reply")
        /// The other side refused a request (RFC 6120 section 8.3).
        public static let refused = Code(name: "refused")
        /// The other side answered, and the answer holds nothing that can be used.
        public static let uselessReply = Code(name: "useless_reply")
        /// The server could not be reached: name, network or TLS.
        public static let unreachable = Code(name: "unreachable")
        /// The connection broke.
        public static let connectionLost = Code(name: "connection_lost")
        /// The login failed, or the server ended the stream with an error (RFC 6120 sections 4.9 and 6.5).
        public static let session = Code(name: "session")
        /// A module of a bot author may not send it.
        public static let notAllowed = Code(name: "not_allowed")
        /// It could not even begin.
        public static let unusable = Code(name: "unusable")
    }

    /// What kind it is.
    public let code: Code
    /// The condition that the other side named, where it is one that the RFCs know, such as `not-authorized`.
    public let condition: String?
    /// Of a `session` error, what it was more closely: stable, in snake_case, such as `authentication_failed`,
    /// `login_weakened` or `stream_error`.
    public let reason: String?
    /// What happened, in one sentence; safe to show: it holds no secret and no words of the other side.
    public let text: String
    /// What a person can do about it.
    public let advice: String
    /// The error of the stanza, where a request was refused.
    public let stanzaError: StanzaError?

    init(
        _ code: Code, reason: String? = nil, condition: String? = nil, _ text: String, advice: String,
        stanzaError: StanzaError? = nil
    ) {
        self.code = code
        self.reason = reason
        self.condition = condition
        self.text = text
        self.advice = advice
        self.stanzaError = stanzaError
    }
}

extension ClientError: CustomStringConvertible {
    /// What happened and what to do.
    public var description: String { "\(text); \(advice)" }
}

extension ClientError {
    package static let offline = ClientError(
        .offline, "there is no session", advice: "wait for online(), and try again")

    package static let busy = ClientError(
        .busy, "too many requests wait for their answers", advice: "wait for some of them, and try again")

    package static let accessNotAssured = ClientError(
        .refused, "the server does not make the node visible to those only who shall see it",
        advice: "publish it at a server that heeds the options of a publication (XEP-0060, publish-options)")

    package static let pictureNotTaken = ClientError(
        .uselessReply, "a picture is announced, and what came is none that is taken",
        advice: "let it publish a PNG, JPEG, GIF or WebP of at most \(AvatarImage.limit) bytes")

    static let cancelled = ClientError(
        .cancelled, "the task was cancelled",
        advice: "nothing is to be done; a request may have been handled all the same")

    static let ended = ClientError(.ended, "the client was stopped", advice: "make a new one")

    static let noReply = ClientError(
        .noReply, "no reply came", advice: "try again; a request may have been handled all the same")

    static func refused(_ error: StanzaError) -> ClientError {
        let advice =
            switch error.kind {
            case .auth: "try again with the rights that it needs"
            case .cancel, .continue: "do not try again"
            case .modify: "change the request and try again"
            case .wait: "try again later"
            }
        return ClientError(
            .refused, condition: error.condition.name, "the request was refused (\(error.condition.name))",
            advice: advice, stanzaError: error)
    }

    /// What ended a connection; nil where we did.
    init?(_ end: SessionEnd) {
        switch end.cause {
        case .stopped, .abandoned:
            return nil
        case .lost(let text):
            self.init(.connectionLost, text, advice: "try again after a pause")
        case .unreachable(let text):
            self.init(.unreachable, text, advice: "check the name and the network, and try again after a pause")
        case .notOffered(let text):
            self.init(.unreachable, text, advice: "check the address, or name the server's host, and try again later")
        case .unusable(let text):
            self.init(.unusable, text, advice: "correct it, and try again")
        case .session(let error):
            self.init(
                .session, reason: error.code.name, condition: error.condition, error.description,
                advice: Self.advice(error))
        }
    }

    private static func advice(_ error: SessionError) -> String {
        switch error.retry {
        case .retry where error.saysWhatToDo: "try again after a pause, and do that where it does not help"
        case .retry: "try again after a pause"
        case .retryWithNewResource: "try again after a pause with another resource"
        case .park where error.code == .streamError && !error.saysWhatToDo:
            "trying again does not help: the server's log may say why"
        case .park: advice(error.code)
        }
    }

    /// What to do where trying again does not help.
    static func advice(_ code: SessionError.Code) -> String {
        switch code {
        // Each wrong password counts where a server locks accounts.
        case .authenticationFailed: "correct it first: trying again with the same does not help"
        case .passwordUnusable: "give another password"
        case .mechanismsUnsuitable: "let the server offer SCRAM"
        case .plainNotAllowed: "let the server offer SCRAM, or allow PLAIN (allowsPlain)"
        case .certificateNotAskedFor:
            "let the server ask clients for certificates and offer EXTERNAL, or give the client a password"
        case .externalNotOffered, .externalRefused:
            "check that the certificate is for this address and of an authority that the server trusts"
        case .externalNotBound: "give the client a password too, or do not require channel binding"
        case .externalAfterBinding: "give the client a password too; if it is meant so, use Memory.trustAgain()"
        case .iterationsOutOfBounds: "change the bounds (iterations), or the server"
        case .loginWeakened, .bindingLost: "if the server was changed so, use Memory.trustAgain()"
        case .channelBindingUnusable: "do not require channel binding, or let the server announce its types"
        case .bindingOfferUnusable:
            "let the server announce its channel bindings (XEP-0440) with the -PLUS forms, or offer SCRAM without channel "
                + "binding"
        case .serverNotAuthenticated, .downgradeDetected:
            "ask the server's operator what it offers, and do not try again before that is known"
        case .tasksRequired: "let the server's operator switch the second factor off for this account"
        case .streamError: "mend what it names first: trying again does not help"
        case .bindFailed: "ask the server's operator why the account gets no session"
        case .misconfigured: "correct the options"
        case _: "trying again does not help: the server's log may say why"
        }
    }
}
