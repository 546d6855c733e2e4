import XMPPCore

// What may go wrong with the login by a certificate (SASL EXTERNAL, RFC 4422 appendix A).
extension SessionError {
    static let certificateNotAskedFor = SessionError(
        .certificateNotAskedFor,
        .park,
        "the account has a certificate alone, and the server did not ask for a certificate within TLS"
    )

    static func externalNotOffered(offered: [String]) -> SessionError {
        SessionError(
            .externalNotOffered,
            .park,
            "the server asked for the account's certificate and does not offer the login by it (EXTERNAL), offered "
                + shown(offered)
        )
    }

    static let externalNotBound = SessionError(
        .externalNotBound,
        .park,
        "the account has a certificate alone: the login by it (EXTERNAL) is not bound to the TLS connection, and the "
            + "account requires that"
    )

    static let externalAfterBinding = SessionError(
        .externalAfterBinding,
        .park,
        "the account has a certificate alone: the login by it (EXTERNAL) is not bound to the TLS connection, and logins of "
            + "this account were bound before"
    )

    /// The server does not log us in by our certificate.
    ///
    /// - Parameter condition: What it said.
    /// - Returns: The error; that of any login where the condition is not of the certificate.
    static func externalFailed(_ condition: SASLCondition) -> SessionError {
        let explanation: String
        switch condition {
        case .notAuthorized: explanation = "the server does not take it for this account"
        case .invalidAuthzid: explanation = condition.explanation
        case .credentialsExpired: explanation = "it has expired"
        case .aborted, .accountDisabled, .encryptionRequired, .incorrectEncoding, .invalidMechanism, .malformedRequest,
            .mechanismTooWeak, .temporaryAuthFailure:
            return .authenticationFailed(condition)
        }
        return SessionError(
            .externalRefused,
            .park,
            condition: condition.rawValue,
            "login by the certificate refused (\(condition.rawValue)): \(explanation)"
        )
    }
}
