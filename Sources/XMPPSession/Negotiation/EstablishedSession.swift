package import XMPPCore

/// A bound session.
package struct EstablishedSession: Sendable, Equatable {
    /// Our address as the server bound it.
    package let jid: JID
    /// The last `<stream:features/>`; with SASL2 they come behind `<success/>`, and this has those of the login.
    package var features: Element
    package var login: LoginReport
    /// A new token for the next login.
    package var token: FASTToken?
    /// Set where stream management was enabled with the login (Bind2); otherwise it can be enabled now.
    package var streamManagement: StreamManagementStart?
    /// Set where a session of before was to go on and does not: refused, or the server does not do it any more.
    package var failedResumption: FailedResumption?
    /// Whether the server's `<stream:features/>` are still to come, as the next first-level element (XEP-0388): whoever
    /// reads the stream takes them; where they list `<sm/>` and `streamManagement` is nil, it can be enabled then.
    package var awaitsFeatures = false

    package init(
        jid: JID, features: Element, login: LoginReport = LoginReport(), token: FASTToken? = nil,
        streamManagement: StreamManagementStart? = nil, failedResumption: FailedResumption? = nil
    ) {
        self.jid = jid
        self.features = features
        self.login = login
        self.token = token
        self.streamManagement = streamManagement
        self.failedResumption = failedResumption
    }

    /// Whether the server keeps an approval for a request that has not come yet (RFC 6121 section 3.4).
    package var keepsPreApprovals: Bool { features.first("sub", Namespace.preApproval) != nil }
}

/// A session of before that goes on.
package struct ResumedSession: Sendable, Equatable {
    /// Stanzas of ours that the server has handled, modulo 2^32.
    package var handled: UInt32
    package var login: LoginReport
    package var token: FASTToken?

    package init(handled: UInt32, login: LoginReport = LoginReport(), token: FASTToken? = nil) {
        self.handled = handled
        self.login = login
        self.token = token
    }
}
