import XMPPCore

/// Why a login failed (RFC 6120 section 6.5).
package enum SASLCondition: String, Hashable, Sendable, CaseIterable {
    case aborted
    case accountDisabled = "account-disabled"
    case credentialsExpired = "credentials-expired"
    case encryptionRequired = "encryption-required"
    case incorrectEncoding = "incorrect-encoding"
    case invalidAuthzid = "invalid-authzid"
    case invalidMechanism = "invalid-mechanism"
    case malformedRequest = "malformed-request"
    case mechanismTooWeak = "mechanism-too-weak"
    case notAuthorized = "not-authorized"
    case temporaryAuthFailure = "temporary-auth-failure"

    /// Reads a `<failure/>`; an unknown condition, or none, counts as `not-authorized`.
    init(failure: Element) {
        // Some servers forget the inner namespace under SASL2, so that the condition has that of the failure.
        let namespaces = [Namespace.sasl, failure.namespace]
        let names = failure.elements.filter { child in
            namespaces.contains { $0.utf8.elementsEqual(child.namespace.utf8) }
        }.map(\.name)
        self =
            Self.allCases.first { condition in
                names.contains { $0.utf8.elementsEqual(condition.rawValue.utf8) }
            } ?? .notAuthorized
    }

    /// Whether another mechanism may do.
    var isAboutMechanism: Bool {
        switch self {
        case .invalidMechanism, .mechanismTooWeak, .encryptionRequired: true
        case .aborted, .accountDisabled, .credentialsExpired, .incorrectEncoding, .invalidAuthzid, .malformedRequest,
            .notAuthorized, .temporaryAuthFailure:
            false
        }
    }

    var retry: SessionError.RetryAdvice {
        switch self {
        case .temporaryAuthFailure, .aborted, .incorrectEncoding, .malformedRequest: .retry
        case .accountDisabled, .credentialsExpired, .encryptionRequired, .invalidAuthzid, .invalidMechanism,
            .mechanismTooWeak, .notAuthorized:
            .park
        }
    }

    var explanation: String {
        switch self {
        case .aborted: "the exchange was broken off"
        case .accountDisabled: "the account is disabled"
        case .credentialsExpired: "the password has expired"
        case .encryptionRequired: "the server wants encryption for this mechanism"
        case .incorrectEncoding: "the server did not understand the encoding"
        case .invalidAuthzid: "the server does not let this account act for that address"
        case .invalidMechanism: "the server does not know the mechanism that it offered"
        case .malformedRequest: "the server did not understand the request"
        case .mechanismTooWeak: "the server wants a stronger mechanism for this account"
        case .notAuthorized: "wrong user name or password"
        case .temporaryAuthFailure: "the server cannot check passwords just now"
        }
    }
}
