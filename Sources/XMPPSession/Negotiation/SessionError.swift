package import XMPPCore

/// Why a connection did not become, or is no longer, a session.
package struct SessionError: Error, Hashable, Sendable {
    /// What happened, as an open set: compare with the named values.
    package struct Code: Hashable, Sendable {
        let name: String

        package static let tlsNotOffered = Code(name: "tls_not_offered")
        package static let tlsRefused = Code(name: "tls_refused")
        package static let plaintextAfterStartTLS = Code(name: "plaintext_after_starttls")
        package static let mechanismsUnsuitable = Code(name: "mechanisms_unsuitable")
        /// Only PLAIN, or nothing that is safe, where SCRAM or EXTERNAL was used before.
        package static let loginWeakened = Code(name: "login_weakened")
        /// No login that is bound to the channel by an announced type, where one was used before.
        package static let bindingLost = Code(name: "channel_binding_lost")
        package static let authenticationFailed = Code(name: "authentication_failed")
        package static let serverNotAuthenticated = Code(name: "server_not_authenticated")
        package static let iterationsOutOfBounds = Code(name: "iterations_out_of_bounds")
        package static let malformedChallenge = Code(name: "malformed_challenge")
        package static let passwordUnusable = Code(name: "password_unusable")
        package static let bindFailed = Code(name: "bind_failed")
        package static let streamError = Code(name: "stream_error")
        package static let malformedStream = Code(name: "malformed_stream")
        package static let closedByServer = Code(name: "closed_by_server")
        package static let unexpected = Code(name: "unexpected")
        package static let misconfigured = Code(name: "misconfigured")
    }

    /// Whether to try again by oneself.
    package enum RetryAdvice: Hashable, Sendable {
        /// After a pause.
        case retry
        /// Not before a person has changed something: trying again cannot help and may do harm.
        case park
    }

    package let code: Code
    package let retry: RetryAdvice
    /// The name of the condition that the server gave, where it is one that the RFCs know.
    package let condition: String?
    /// The stream error, where there was one.
    package let streamError: StreamError?
    /// One sentence for a person; safe to show.
    package let description: String

    init(
        _ code: Code,
        _ retry: RetryAdvice,
        condition: String? = nil,
        streamError: StreamError? = nil,
        _ description: String
    ) {
        self.code = code
        self.retry = retry
        self.condition = condition
        self.streamError = streamError
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

    package static func mechanismsUnsuitable(offered: [String]) -> SessionError {
        let names = offered.filter(isMechanismName).prefix(16).joined(separator: ", ")
        return SessionError(
            .mechanismsUnsuitable,
            .park,
            "the server offers no login that is safe: need SCRAM-SHA-256 or SCRAM-SHA-1, offered "
                + (names.isEmpty ? "none" : names)
        )
    }

    package static func authenticationFailed(_ condition: SASLCondition) -> SessionError {
        SessionError(
            .authenticationFailed,
            condition.retry,
            condition: condition.rawValue,
            "login refused (\(condition.rawValue)): \(condition.explanation)"
        )
    }

    package static let serverNotAuthenticated = SessionError(
        .serverNotAuthenticated,
        .park,
        "the server did not prove that it knows the password: it may not be the right server"
    )

    static func iterationsOutOfBounds(_ bounds: ClosedRange<Int>) -> SessionError {
        SessionError(
            .iterationsOutOfBounds,
            .park,
            "the server's SCRAM iteration count is not a number from \(bounds.lowerBound) to \(bounds.upperBound)"
        )
    }

    static func malformedChallenge(_ what: String) -> SessionError {
        SessionError(.malformedChallenge, .retry, "the server's SCRAM message is malformed: \(what)")
    }

    static let passwordUnusable = SessionError(
        .passwordUnusable,
        .park,
        "the password is empty, not UTF-8, or holds a character that SASLprep (RFC 4013) forbids"
    )

    static func bindFailed(_ error: StanzaError) -> SessionError {
        // Only what passes by itself is worth another try; `conflict` means that another session has the resource, and
        // the two would throw each other out for ever (RFC 6120 section 7.7.2.2).
        let retry: RetryAdvice = error.kind == .wait ? .retry : .park
        let hint = error.condition == .conflict ? ": another session uses this resource" : ""
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
    ///   - isSecured: False before TLS: then anybody on the way may have said it, so it parks nothing.
    /// - Returns: The error.
    package static func streamError(_ error: StreamError, isSecured: Bool = true) -> SessionError {
        let parked: [StreamError.Condition] = [
            .conflict, .hostGone, .hostUnknown, .notAuthorized, .invalidFrom, .improperAddressing, .invalidNamespace,
            .unsupportedVersion, .unsupportedEncoding, .unsupportedFeature,
        ]
        let hint =
            switch error.condition {
            case .conflict: ": another session took this one's place"
            case .hostUnknown, .hostGone: ": the server does not serve this domain"
            case .notAuthorized: ": the account may be gone"
            case _: ""
            }
        return SessionError(
            .streamError,
            isSecured && parked.contains(error.condition) ? .park : .retry,
            condition: error.condition.name,
            streamError: error,
            "the server ended the stream (\(error.condition.name))\(hint)"
        )
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

/// RFC 4422 section 3.1: up to 20 capital letters, digits, hyphens and underscores.
private func isMechanismName(_ name: String) -> Bool {
    (1...20).contains(name.utf8.count)
        && name.utf8.allSatisfy { byte in
            (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x5F
        }
}
