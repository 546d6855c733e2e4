import XMPPSession

extension ConnectReport {
    private static let again = "try again; if it stays so, the server's log says why"

    /// What to do where the session failed; nil where the error says so itself.
    func remedy(for error: SessionError) -> String? {
        if error.saysWhatToDo { return nil }
        // Another resource is another try too.
        let isPassing = error.retry != .park
        return switch error.code {
        case .authenticationFailed where !isPassing: refusedLogin(error.condition)
        case .mechanismsUnsuitable: "let the server offer SCRAM"
        case .plainNotAllowed:
            "let the server offer SCRAM; the check never sends the password itself, the service does with login: { "
                + "plain: allowed } where it has not seen better of the server"
        case .certificateNotAskedFor:
            "let the server ask clients for certificates and offer EXTERNAL, or give the account a password"
        case .externalNotOffered, .externalRefused:
            "check that the certificate is for this address and of an authority that the server trusts (login: { "
                + "certificate: … })"
        case .externalNotBound:
            "give the account a password too, for a login that is bound, or do not ask for that: login: { "
                + "channel_binding: preferred }"
        case .externalAfterBinding:
            "the service makes no such login either; give the account a password too, or if it is meant so, doorward "
                + "account trust-again ACCOUNT forgets"
        case .iterationsOutOfBounds: "the bounds are those of login: { iterations: … }"
        case .channelBindingUnusable:
            "let the server offer -PLUS and announce its bindings (XEP-0440), or do not ask for it: login: { "
                + "channel_binding: preferred }"
        case .bindingOfferUnusable:
            "let the server announce its channel bindings (XEP-0440), tls-exporter among them, with the -PLUS forms, or "
                + "offer SCRAM without channel binding"
        case .tlsNotOffered, .tlsRefused: "let the server offer STARTTLS, or use connect: { tls: direct }"
        case .loginWeakened, .bindingLost:
            "the service makes no such login either, and nothing was sent; ask the server's operator, and if it is meant "
                + "so, doorward account trust-again ACCOUNT forgets"
        case .downgradeDetected, .plaintextAfterStartTLS, .serverNotAuthenticated:
            "ask the server's operator what it offers, and try from another network; no login before that is known"
        case .passwordUnusable: "put another password where password: of the account points to"
        case .tasksRequired: "let the server's operator switch the second factor off for this account"
        case .misconfigured: "mend the account's configuration"
        // Behind the features it is a server, whatever else is wrong with it.
        case .malformedStream where hasHeardServer, .unexpected where hasHeardServer: Self.again
        case .malformedStream, .unexpected:
            isConfiguredHost
                ? "check host and port of connect: what answers there may be no XMPP server"
                : "what answers there may be no XMPP server for clients; name one: connect: { host: … }"
        case .streamError where !isPassing: "the server's log says what it wants"
        case .bindFailed where !isPassing: "the server's log says why it gives this account no session"
        // What passes by itself.
        case _: Self.again
        }
    }

    /// What to do where the server refuses the login, by its condition.
    private func refusedLogin(_ condition: String?) -> String {
        switch condition.flatMap({ SASLCondition(rawValue: $0) }) {
        case .accountDisabled: "let the server's operator enable it"
        case .credentialsExpired: "set a new one at the server, and where password: of the account points to"
        case .encryptionRequired, .invalidMechanism, .mechanismTooWeak:
            "let the server's operator offer what this account may use"
        case .invalidAuthzid, .aborted, .incorrectEncoding, .malformedRequest, .temporaryAuthFailure:
            "the server's log says why"
        case .notAuthorized, nil: "check the password, and that the account is there and not disabled"
        }
    }
}
