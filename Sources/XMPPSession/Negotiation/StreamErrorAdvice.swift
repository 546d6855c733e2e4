import XMPPCore

/// What to do after a stream error: one row for each condition of RFC 6120 section 4.9.3.
struct StreamErrorAdvice: Sendable {
    let retry: SessionError.RetryAdvice
    /// What it means.
    let hint: String
    /// What to do, where somebody must do something and it is known what.
    let remedy: String
    /// Whether it comes of how the server is, and not of this one session.
    let concernsServer: Bool

    /// The row of a condition; one that nobody knows is `undefined-condition` (section 4.9.3.21).
    static func of(_ condition: StreamError.Condition) -> StreamErrorAdvice {
        table[condition] ?? StreamErrorAdvice(.retry, "")
    }

    static let table: [StreamError.Condition: StreamErrorAdvice] = [
        // Another session has the resource, or there are too many.
        .conflict: .init(.retryWithNewResource, "another session took this one's place"),
        // Passes by itself.
        .connectionTimeout: .init(.retry, "it heard nothing from here for too long", concernsServer: true),
        .internalServerError: .init(.retry, "something broke at the server", concernsServer: true),
        .policyViolation: .init(.retry, "too much was sent, or too fast"),
        .remoteConnectionFailed: .init(
            .retry, "the server cannot reach another that it needs", concernsServer: true),
        .reset: .init(.retry, "it wants a new stream", concernsServer: true),
        .resourceConstraint: .init(.retry, "the server is too busy", concernsServer: true),
        .seeOtherHost: .init(.retry, "it is to be found elsewhere"),
        .systemShutdown: .init(.retry, "the server stops", concernsServer: true),
        .undefinedCondition: .init(.retry, ""),
        // Ours, and perhaps not to come again.
        .badFormat: .init(.retry, "it could not process what was sent"),
        .badNamespacePrefix: .init(.retry, "it could not process what was sent"),
        .invalidXML: .init(.retry, "it could not process what was sent"),
        .notWellFormed: .init(.retry, "it could not process what was sent"),
        .restrictedXML: .init(.retry, "it could not process what was sent"),
        .unsupportedStanzaType: .init(.retry, "it could not process what was sent"),
        // To be fixed by a person.
        .hostGone: .init(
            .park, "the server no longer serves this domain",
            remedy: "check the address and the host of the account"),
        .hostUnknown: .init(
            .park, "the server does not serve this domain",
            remedy: "check the address and the host of the account"),
        .improperAddressing: .init(.park, "it does not take the address of this account", remedy: "check the address"),
        .invalidFrom: .init(.park, "it does not take the address of this account", remedy: "check the address"),
        .invalidNamespace: .init(
            .park, "what answers there is no server for clients", remedy: "check the host and the port"),
        .notAuthorized: .init(.park, "the account may be gone", remedy: "check that it still exists"),
        .unsupportedEncoding: .init(
            .park, "what answers there does not speak UTF-8", remedy: "check the host and the port"),
        .unsupportedFeature: .init(.park, "it needs something that this client does not have"),
        .unsupportedVersion: .init(
            .park, "what answers there does not speak XMPP 1.0", remedy: "check the host and the port"),
    ]

    private init(
        _ retry: SessionError.RetryAdvice, _ hint: String, remedy: String = "", concernsServer: Bool = false
    ) {
        self.retry = retry
        self.hint = hint
        self.remedy = remedy
        self.concernsServer = concernsServer
    }
}
