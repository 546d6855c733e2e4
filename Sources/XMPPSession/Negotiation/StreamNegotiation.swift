package import XMPPCore
package import XMPPCrypto

/// One connection from TCP up to a bound resource (RFC 6120 sections 4 to 7).
///
/// The plain stream carries the header, `<starttls/>`, and at most what is wrong with the server's XML, whatever the server
/// says: there is no way to go on without TLS, and nothing learned before it is kept.
package struct StreamNegotiation: Sendable {
    package struct Configuration: Sendable {
        package var account: BareJID
        package var password: Secret
        /// The resource to ask for; nil lets the server choose.
        package var resource: String?
        /// At least 16 random bytes, new for each connection.
        package var nonce: [UInt8]
        /// The SCRAM iterations that a server may ask for.
        package var iterationBounds: ClosedRange<Int>
        /// Whether PLAIN may be used where there is nothing better; never where `memory` says otherwise.
        package var allowsPlain = false
        /// Whether a login without channel binding is refused.
        package var requiresChannelBinding = false
        package var memory = LoginMemory()
        /// Used with SASL2.
        package var userAgent: UserAgent?
        /// Used where the server still takes its mechanism (XEP-0484).
        package var token: FASTToken?
        /// Whether a certificate of the account's own is shown where TLS asks for one.
        package var hasCertificate = false
        /// Whether nothing stays with the server: no token is asked for, and no session that outlives its link.
        package var leavesNothing = false
        /// A session to go on with, instead of a new one.
        package var resumption: ResumptionRequest?

        package init(
            account: BareJID, password: Secret, resource: String? = nil, nonce: [UInt8],
            iterationBounds: ClosedRange<Int> = 4096...100_000
        ) {
            self.account = account
            self.password = password
            self.resource = resource
            self.nonce = nonce
            self.iterationBounds = iterationBounds
        }
    }

    /// How far it is, for messages and timers.
    package enum Stage: String, Sendable, Hashable {
        case connecting, plain, securing, authenticating, binding, established, failed
    }

    enum State {
        case connecting
        case plain(Opening)
        case requestedTLS
        case securing
        case secure(Opening)
        case authenticating(Authentication)
        case loggedIn(Opening)
        case resuming(ResumptionRequest, features: Element)
        case binding(features: Element)
        case startingSession(EstablishedSession)
        case established
        case failed
    }

    /// What is awaited at the begin of a stream.
    enum Opening { case header, features }

    let configuration: Configuration
    var state = State.connecting
    /// What is known of TLS once it is up.
    var security = ChannelSecurity()
    /// How the login went, once it went well.
    var login = LoginReport()
    /// The token that came with it.
    var token: FASTToken?
    /// Set once a resumption was refused.
    var failedResumption: FailedResumption?
    /// Whether the server was asked to go on with a session: only since then can that be what a connection fails by.
    package internal(set) var hasAskedToResume = false
    /// Whether the server has said, within TLS, what it offers or why it ends the stream: before that it may be anybody.
    package private(set) var hasServerSpoken = false
    /// Tries so far on this connection: each has a nonce of its own.
    var attempts: UInt8 = 0

    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    package var stage: Stage {
        switch state {
        case .connecting: .connecting
        case .plain, .requestedTLS: .plain
        case .securing: .securing
        case .secure, .authenticating: .authenticating
        case .loggedIn, .resuming, .binding, .startingSession: .binding
        case .established: .established
        case .failed: .failed
        }
    }

    /// Whether the next element may end the login, and raise the limits of the parser within the same stream: after SASL
    /// of RFC 6120 there is a new one.
    package var maySoonRaiseLimits: Bool {
        if case .authenticating(let attempt) = state { attempt.sasl.isSASL2 } else { false }
    }

    /// TCP is up.
    package mutating func connected() -> [NegotiationAction] {
        if let error = obstacle { return fail(error) }
        state = .plain(.header)
        // No `from`: the address is not for everyone on the way (RFC 6120 section 4.7.1).
        return [.send(header(withFrom: false))]
    }

    /// TLS is up and the certificate verified.
    package mutating func secured(_ security: ChannelSecurity = ChannelSecurity()) -> [NegotiationAction] {
        guard case .securing = state else { return fail(.unexpected("TLS out of turn")) }
        return openSecured(security)
    }

    /// TCP and TLS are up in one, and the certificate verified (XEP-0368): there is no plain stream.
    package mutating func securedDirectly(_ security: ChannelSecurity) -> [NegotiationAction] {
        if let error = obstacle { return fail(error) }
        return openSecured(security)
    }

    /// Why it cannot even begin.
    private var obstacle: SessionError? {
        guard case .connecting = state else { return .unexpected("connected twice") }
        guard configuration.account.local != nil else {
            return .misconfigured("the account's address has no part before the @")
        }
        guard configuration.nonce.count >= 16 else { return .misconfigured("the login needs 16 random bytes") }
        return nil
    }

    private mutating func openSecured(_ security: ChannelSecurity) -> [NegotiationAction] {
        self.security = security
        state = .secure(.header)
        return [.send(header(withFrom: true))]
    }

    /// The keys are derived.
    package mutating func derived(_ keys: SCRAMKeys) -> [NegotiationAction] {
        // The connection may have failed meanwhile.
        guard case .authenticating(var attempt) = state, let message = attempt.exchange.derived(keys) else { return [] }
        state = .authenticating(attempt)
        return [.send(attempt.sasl.response(message))]
    }

    /// The stream's parser has read something.
    package mutating func received(_ event: XMLStreamEvent) -> [NegotiationAction] {
        switch state {
        case .failed: return []
        // Whatever it is: it came unprotected, behind the server's go-ahead.
        case .securing: return fail(.plaintextAfterStartTLS)
        case .connecting: return fail(.unexpected("data before the connection is up"))
        case .plain, .requestedTLS, .secure, .authenticating, .loggedIn, .resuming, .binding, .startingSession,
            .established:
            break
        }
        switch event {
        case .opened(let header): return opened(header)
        case .element(let element): return received(element)
        // Before the login every limit ends the stream; what is skipped after it is for the client.
        case .discarded: return []
        case .closed: return fail(.closedByServer)
        case .failed(let error): return fail(.malformedStream(error), saying: error)
        }
    }

    private mutating func opened(_ header: Element) -> [NegotiationAction] {
        guard header.matches("stream", Namespace.streams) else {
            let isOther = header.namespace.utf8.elementsEqual(Namespace.streams.utf8)
            return fail(
                .unexpected("a stream header that is none"),
                saying: StreamError(isOther ? .badFormat : .invalidNamespace))
        }
        guard isVersion1(header[attribute: "version"]) else {
            return fail(.unexpected("a stream that is not XMPP 1.0"), saying: StreamError(.unsupportedVersion))
        }
        switch state {
        case .plain(.header): state = .plain(.features)
        case .secure(.header): state = .secure(.features)
        case .loggedIn(.header): state = .loggedIn(.features)
        case .connecting, .plain(.features), .requestedTLS, .securing, .secure(.features), .authenticating,
            .loggedIn(.features), .resuming, .binding, .startingSession, .established, .failed:
            return fail(.unexpected("a second stream header"))
        }
        return []
    }

    /// Whether what arrives comes through TLS.
    var isSecured: Bool {
        switch state {
        case .connecting, .plain, .requestedTLS, .securing: false
        case .secure, .authenticating, .loggedIn, .resuming, .binding, .startingSession, .established, .failed: true
        }
    }

    private mutating func received(_ element: Element) -> [NegotiationAction] {
        if let error = StreamError(element) {
            hasServerSpoken = hasServerSpoken || isSecured
            return fail(.streamError(error, isSecured: isSecured))
        }
        switch state {
        case .plain(.features):
            guard element.matches("features", Namespace.streams) else { return fail(.unexpected("no features")) }
            // Also without <required/>: `required` is our rule.
            guard element.first("starttls", Namespace.tls) != nil else {
                return [offered(element)] + fail(.tlsNotOffered)
            }
            state = .requestedTLS
            let request = Element("starttls", namespace: Namespace.tls).serialized(inside: Namespace.client)
            return [offered(element), .send(request)]
        case .requestedTLS:
            if element.matches("proceed", Namespace.tls) {
                state = .securing
                return [.startTLS]
            }
            return fail(element.matches("failure", Namespace.tls) ? .tlsRefused : .unexpected("no answer to STARTTLS"))
        case .secure(.features):
            guard element.matches("features", Namespace.streams) else { return fail(.unexpected("no features")) }
            hasServerSpoken = true
            return [offered(element)] + authenticate(element)
        case .authenticating(let attempt):
            return authenticating(element, attempt)
        case .loggedIn(.features):
            guard element.matches("features", Namespace.streams) else { return fail(.unexpected("no features")) }
            return resumeOrBind(element)
        case .resuming(let request, let features):
            return resuming(element, request, features)
        case .binding(let features):
            return bound(element, features)
        case .startingSession(let session):
            return sessionStarted(element, session)
        case .plain(.header), .secure(.header), .loggedIn(.header):
            return fail(.unexpected("an element before the stream header"))
        case .established, .connecting, .securing, .failed:
            return []
        }
    }
}

/// RFC 6120 section 4.7.5: the numbers are compared as numbers, and a missing version is 0.9.
private func isVersion1(_ version: String?) -> Bool {
    guard let parts = version?.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false),
        parts.count == 2,
        parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } })
    else { return false }
    // Zeros in front mean nothing.
    return parts[0].contains { $0 != UInt8(ascii: "0") }
}
