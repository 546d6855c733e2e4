package import XMPPCore

/// Why a connection did not become, or is no longer, a session.
package struct SessionError: Error, Hashable, Sendable {
    /// What happened, as an open set: compare with the named values.
    package struct Code: Hashable, Sendable {
        package let name: String

        package static let tlsNotOffered = Code(name: "tls_not_offered")
        package static let tlsRefused = Code(name: "tls_refused")
        package static let plaintextAfterStartTLS = Code(name: "plaintext_after_starttls")
        package static let mechanismsUnsuitable = Code(name: "mechanisms_unsuitable")
        /// Nothing better than PLAIN, which the account does not allow.
        package static let plainNotAllowed = Code(name: "plain_not_allowed")
        /// The account has a certificate alone, and TLS did not ask for it.
        package static let certificateNotAskedFor = Code(name: "certificate_not_asked_for")
        /// TLS asked for it, and there is no login by it.
        package static let externalNotOffered = Code(name: "external_not_offered")
        /// There may be one, and it would not be bound to the channel, which the account requires.
        package static let externalNotBound = Code(name: "external_not_bound")
        /// The same, where logins were bound before.
        package static let externalAfterBinding = Code(name: "external_after_binding")
        /// The server does not take the certificate for this account.
        package static let externalRefused = Code(name: "external_refused")
        package static let authenticationFailed = Code(name: "authentication_failed")
        package static let serverNotAuthenticated = Code(name: "server_not_authenticated")
        package static let iterationsOutOfBounds = Code(name: "iterations_out_of_bounds")
        package static let malformedChallenge = Code(name: "malformed_challenge")
        package static let passwordUnusable = Code(name: "password_unusable")
        /// Only PLAIN, or nothing that is safe, where SCRAM or EXTERNAL was used before.
        package static let loginWeakened = Code(name: "login_weakened")
        /// No login that is bound to the channel by an announced type, where one was used before.
        package static let bindingLost = Code(name: "channel_binding_lost")
        /// Channel binding is required, and there is a login without it only.
        package static let channelBindingUnusable = Code(name: "channel_binding_unusable")
        /// Channel binding is offered in a way that cannot, or must not, be gone on with, required or not.
        package static let bindingOfferUnusable = Code(name: "channel_binding_offer_unusable")
        /// What the server offered is not what arrived (XEP-0474, XEP-0515).
        package static let downgradeDetected = Code(name: "downgrade_detected")
        /// The server wants more than a login (XEP-0388 section 2.6).
        package static let tasksRequired = Code(name: "tasks_required")
        package static let bindFailed = Code(name: "bind_failed")
        package static let streamError = Code(name: "stream_error")
        package static let malformedStream = Code(name: "malformed_stream")
        package static let closedByServer = Code(name: "closed_by_server")
        package static let unexpected = Code(name: "unexpected")
        package static let misconfigured = Code(name: "misconfigured")

        /// Those above: each has its word on what to do.
        package static let all: [Code] = [
            .tlsNotOffered, .tlsRefused, .plaintextAfterStartTLS, .mechanismsUnsuitable, .plainNotAllowed,
            .certificateNotAskedFor, .externalNotOffered, .externalNotBound, .externalAfterBinding, .externalRefused,
            .authenticationFailed, .serverNotAuthenticated, .iterationsOutOfBounds, .malformedChallenge,
            .passwordUnusable, .loginWeakened, .bindingLost, .channelBindingUnusable, .bindingOfferUnusable,
            .downgradeDetected, .tasksRequired, .bindFailed, .streamError, .malformedStream, .closedByServer,
            .unexpected, .misconfigured,
        ]
    }

    /// Whether to try again by oneself.
    package enum RetryAdvice: Hashable, Sendable {
        /// After a pause.
        case retry
        /// After a pause, and never with the same resource: another session has it, and the two would throw each other
        /// out for ever (RFC 6120 section 7.7.2.2).
        case retryWithNewResource
        /// Not before a person has changed something: trying again cannot help and may do harm.
        case park
    }

    package let code: Code
    package let retry: RetryAdvice
    /// The name of the condition that the server gave, where it is one that the RFCs know.
    package let condition: String?
    /// The stream error, where there was one.
    package let streamError: StreamError?
    /// Where the server wants to be called instead: then at once, for the same domain, and not without an end.
    package let redirect: Redirection?
    /// One sentence for a person; safe to show.
    package let description: String

    init(
        _ code: Code,
        _ retry: RetryAdvice,
        condition: String? = nil,
        streamError: StreamError? = nil,
        redirect: Redirection? = nil,
        _ description: String
    ) {
        self.code = code
        self.retry = retry
        self.condition = condition
        self.streamError = streamError
        self.redirect = redirect
        self.description = description
    }
}

extension SessionError: CustomStringConvertible {}

extension SessionError {
    package static let tlsNotOffered = SessionError(
        .tlsNotOffered,
        .retry,
        "TLS required, not offered: the server does not offer STARTTLS, or somebody on the way removed the offer; "
            + "no password was sent"
    )

    package static let tlsRefused = SessionError(
        .tlsRefused,
        .retry,
        "the server offered STARTTLS and then refused it; no password was sent"
    )

    package static let plaintextAfterStartTLS = SessionError(
        .plaintextAfterStartTLS,
        .retry,
        "plain text came after the server's go-ahead for TLS: somebody on the way may have put it there"
    )

    static func bindFailed(_ error: StanzaError) -> SessionError {
        // Beside a taken resource only what passes by itself is worth another try.
        let isTaken = error.condition == .conflict
        // What broke at the server passes too, though its usual type is `cancel` (RFC 6120 section 8.3.3.6).
        let passes = error.kind == .wait || [.internalServerError, .resourceConstraint].contains(error.condition)
        let retry: RetryAdvice = isTaken ? .retryWithNewResource : passes ? .retry : .park
        let hint = isTaken ? ": another session uses this resource" : ""
        return SessionError(
            .bindFailed,
            retry,
            condition: error.condition.name,
            "the server did not bind a resource (\(error.condition.name))\(hint)"
        )
    }

    /// The server ended the stream with an error, at any stage and also long after the login.
    ///
    /// - Parameters:
    ///   - error: What it said.
    ///   - isSecured: False before TLS: then anybody on the way may have said it, so it parks nothing and leads nowhere.
    /// - Returns: The error.
    package static func streamError(_ error: StreamError, isSecured: Bool = true) -> SessionError {
        let advice = StreamErrorAdvice.of(error.condition)
        return SessionError(
            .streamError,
            isSecured ? advice.retry : .retry,
            condition: error.condition.name,
            streamError: error,
            redirect: isSecured ? error.otherHost.flatMap(Redirection.init) : nil,
            "the server ended the stream (\(error.condition.name))" + (advice.hint.isEmpty ? "" : ": \(advice.hint)")
                + (advice.remedy.isEmpty ? "" : "; \(advice.remedy)")
        )
    }

    /// Whether the description says what a person is to do: then no other advice is put behind it.
    package var saysWhatToDo: Bool {
        streamError.map { code == .streamError && !StreamErrorAdvice.of($0.condition).remedy.isEmpty } ?? false
    }

    /// What the server sent is not the XML of a stream.
    package static func malformedStream(_ error: StreamError) -> SessionError {
        SessionError(
            .malformedStream,
            .retry,
            condition: error.condition.name,
            streamError: error,
            "the server sent what is not a valid XMPP stream (\(error.condition.name))"
        )
    }

    package static let closedByServer = SessionError(.closedByServer, .retry, "the server closed the stream")

    static func unexpected(_ what: String) -> SessionError {
        SessionError(.unexpected, .retry, "unexpected from the server: \(what)")
    }

    static func misconfigured(_ what: String) -> SessionError {
        SessionError(.misconfigured, .park, what)
    }
}
