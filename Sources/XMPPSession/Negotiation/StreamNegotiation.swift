package import XMPPCore
package import XMPPCrypto

/// One connection from TCP up to a bound resource (RFC 6120 sections 4 to 7).
///
/// The plain stream carries the header and `<starttls/>` only, whatever the server says: there is no way to go on
/// without TLS, and nothing learned before it is kept.
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

        package init(
            account: BareJID,
            password: Secret,
            resource: String? = nil,
            nonce: [UInt8],
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

    private enum State {
        case connecting
        case plain(Opening)
        case requestedTLS
        case securing
        case secure(Opening)
        case authenticating(SCRAM, others: [SCRAM.Mechanism])
        case loggedIn(Opening)
        case binding(features: Element)
        case startingSession(EstablishedSession)
        case established
        case failed
    }

    /// What is awaited at the begin of a stream.
    private enum Opening { case header, features }

    private let configuration: Configuration
    private var state = State.connecting

    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    package var stage: Stage {
        switch state {
        case .connecting: .connecting
        case .plain, .requestedTLS: .plain
        case .securing: .securing
        case .secure, .authenticating: .authenticating
        case .loggedIn, .binding, .startingSession: .binding
        case .established: .established
        case .failed: .failed
        }
    }

    /// TCP is up.
    package mutating func connected() -> [NegotiationAction] {
        guard case .connecting = state else { return fail(.unexpected("connected twice")) }
        guard configuration.account.local != nil else {
            return fail(.misconfigured("the account's address has no part before the @"))
        }
        guard configuration.nonce.count >= 16 else {
            return fail(.misconfigured("the login needs 16 random bytes"))
        }
        state = .plain(.header)
        // No `from`: the address is not for everyone on the way (RFC 6120 section 4.7.1).
        return [.send(header(withFrom: false))]
    }

    /// TLS is up and the certificate verified.
    package mutating func secured() -> [NegotiationAction] {
        guard case .securing = state else { return fail(.unexpected("TLS out of turn")) }
        state = .secure(.header)
        return [.send(header(withFrom: true))]
    }

    /// The keys are derived.
    package mutating func derived(_ keys: SCRAMKeys) -> [NegotiationAction] {
        // The connection may have failed meanwhile.
        guard case .authenticating(var scram, let others) = state, let message = scram.derived(keys) else { return [] }
        state = .authenticating(scram, others: others)
        return [.send(SASL.response(message))]
    }

    /// The stream's parser has read something.
    package mutating func received(_ event: XMLStreamEvent) -> [NegotiationAction] {
        switch state {
        case .failed: return []
        // Whatever it is: it came unprotected, behind the server's go-ahead.
        case .securing: return fail(.plaintextAfterStartTLS)
        case .connecting: return fail(.unexpected("data before the connection is up"))
        case .plain, .requestedTLS, .secure, .authenticating, .loggedIn, .binding, .startingSession, .established:
            break
        }
        switch event {
        case .opened(let header): return opened(header)
        case .element(let element): return received(element)
        case .closed: return fail(.closedByServer)
        case .failed(let error): return fail(.malformedStream(error))
        }
    }

    private mutating func opened(_ header: Element) -> [NegotiationAction] {
        guard header.matches("stream", Namespace.streams) else {
            return fail(.unexpected("a stream header that is none"))
        }
        guard isVersion1(header[attribute: "version"]) else {
            return fail(.unexpected("a stream that is not XMPP 1.0"))
        }
        switch state {
        case .plain(.header): state = .plain(.features)
        case .secure(.header): state = .secure(.features)
        case .loggedIn(.header): state = .loggedIn(.features)
        case .connecting, .plain(.features), .requestedTLS, .securing, .secure(.features), .authenticating,
            .loggedIn(.features), .binding, .startingSession, .established, .failed:
            return fail(.unexpected("a second stream header"))
        }
        return []
    }

    private mutating func received(_ element: Element) -> [NegotiationAction] {
        if let error = StreamError(element) { return fail(.streamError(error)) }
        switch state {
        case .plain(.features):
            guard element.matches("features", Namespace.streams) else { return fail(.unexpected("no features")) }
            // Also without <required/>: `required` is our rule.
            guard element.first("starttls", Namespace.tls) != nil else { return fail(.tlsNotOffered) }
            state = .requestedTLS
            return [.send(Element("starttls", namespace: Namespace.tls).serialized(inside: Namespace.client))]
        case .requestedTLS:
            if element.matches("proceed", Namespace.tls) {
                state = .securing
                return [.startTLS]
            }
            return fail(element.matches("failure", Namespace.tls) ? .tlsRefused : .unexpected("no answer to STARTTLS"))
        case .secure(.features):
            guard element.matches("features", Namespace.streams) else { return fail(.unexpected("no features")) }
            return chooseMechanism(element)
        case .authenticating(let scram, let others):
            return authenticating(element, scram, others)
        case .loggedIn(.features):
            guard element.matches("features", Namespace.streams) else { return fail(.unexpected("no features")) }
            return bind(element)
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

    private mutating func fail(_ error: SessionError) -> [NegotiationAction] {
        let isProtected =
            switch state {
            case .secure, .authenticating, .loggedIn, .binding, .startingSession: true
            case .connecting, .plain, .requestedTLS, .securing, .established, .failed: false
            }
        state = .failed
        return (isProtected ? [.send(Array("</stream:stream>".utf8))] : []) + [.fail(error)]
    }

    private func header(withFrom: Bool) -> [UInt8] {
        var header = Element("stream:stream", namespace: Namespace.client)
        header[attribute: "to"] = configuration.account.domain
        if withFrom { header[attribute: "from"] = configuration.account.description }
        header[attribute: "version"] = "1.0"
        header.attributes.append(.init("lang", namespace: Namespace.xml, "en"))
        // The tag of an empty element, opened: there is no end tag until the stream ends.
        var bytes = Array("<?xml version='1.0'?>".utf8)
        bytes += header.serialized(inside: "").dropLast(2)
        bytes += " xmlns:stream='\(Namespace.streams)'>".utf8
        return bytes
    }
}

// SASL (RFC 6120 section 6).
extension StreamNegotiation {
    private mutating func chooseMechanism(_ features: Element) -> [NegotiationAction] {
        let offered = (features.first("mechanisms", Namespace.sasl)?.elements ?? [])
            .filter { $0.matches("mechanism", Namespace.sasl) }
            .map(\.text)
        let usable = SCRAM.Mechanism.allCases.filter { mechanism in
            offered.contains { $0.utf8.elementsEqual(mechanism.rawValue.utf8) }
        }
        guard let first = usable.first else { return fail(.mechanismsUnsuitable(offered: offered)) }
        return authenticate(first, nonce: configuration.nonce, others: Array(usable.dropFirst()))
    }

    private mutating func authenticate(
        _ mechanism: SCRAM.Mechanism,
        nonce: [UInt8],
        others: [SCRAM.Mechanism]
    ) -> [NegotiationAction] {
        do {
            var scram = try SCRAM(
                mechanism,
                username: configuration.account.local ?? "",
                password: configuration.password,
                nonce: Base64.encode(nonce),
                iterationBounds: configuration.iterationBounds
            )
            let message = scram.clientFirst()
            state = .authenticating(scram, others: others)
            return [.send(SASL.auth(mechanism, message))]
        } catch {
            return fail(error)
        }
    }

    private mutating func authenticating(
        _ element: Element,
        _ scram: SCRAM,
        _ others: [SCRAM.Mechanism]
    ) -> [NegotiationAction] {
        var scram = scram
        do throws(SessionError) {
            if element.matches("challenge", Namespace.sasl) {
                guard let data = SASL.data(of: element) else { throw .malformedChallenge("broken base64") }
                let step = try scram.received(challenge: data)
                state = .authenticating(scram, others: others)
                return switch step {
                case .derive(let derivation): [.derive(derivation)]
                case .respond(let answer): [.send(SASL.response(answer))]
                }
            }
            if element.matches("success", Namespace.sasl) {
                let data = element.text.isEmpty ? nil : SASL.data(of: element) ?? [0]
                try scram.succeeded(with: data)
                state = .loggedIn(.header)
                return [.resetParser, .raiseLimits, .send(header(withFrom: true))]
            }
        } catch {
            return fail(error)
        }
        guard element.matches("failure", Namespace.sasl) else { return fail(.unexpected("no answer to the login")) }
        let condition = SASLCondition(failure: element)
        if condition.isAboutMechanism, let next = others.first {
            // A second exchange has a nonce of its own.
            let nonce = digest(.sha256, configuration.nonce + Array(next.rawValue.utf8))
            return authenticate(next, nonce: nonce, others: Array(others.dropFirst()))
        }
        return fail(.authenticationFailed(condition))
    }
}

// Resource binding (RFC 6120 section 7).
extension StreamNegotiation {
    private static let bindID = "bind"
    private static let sessionID = "session"

    private mutating func bind(_ features: Element) -> [NegotiationAction] {
        guard features.first("bind", Namespace.bind) != nil else {
            return fail(.unexpected("no resource binding offered"))
        }
        var bind = Element("bind", namespace: Namespace.bind)
        if let resource = configuration.resource {
            bind.children = [
                .element(Element("resource", namespace: Namespace.bind, children: [.text(resource)]))
            ]
        }
        state = .binding(features: features)
        return [.send(IQ(.set, id: Self.bindID, payload: bind).element.serialized(inside: Namespace.client))]
    }

    private mutating func bound(_ element: Element, _ features: Element) -> [NegotiationAction] {
        guard let iq = IQ(element), isAnswer(iq, to: Self.bindID) else {
            return fail(.unexpected("no answer to the resource binding"))
        }
        if let error = iq.error { return fail(.bindFailed(error)) }
        // The address is what the server says, never a guess (RFC 6120 section 4.3.6); but the certificate was checked
        // for this domain and no other.
        guard let text = iq.element.first("bind", Namespace.bind)?.first("jid", Namespace.bind)?.text,
            let jid = try? JID(text), jid.resource != nil, jid.bare.local != nil,
            jid.bare.domain.utf8.elementsEqual(configuration.account.domain.utf8)
        else { return fail(.unexpected("a bound address that is not one of this account's")) }
        let session = EstablishedSession(jid: jid, features: features)
        // The request of RFC 3921 does nothing on newer servers, which say so by <optional/>.
        guard let old = features.first("session", Namespace.session), old.first("optional", Namespace.session) == nil
        else { return establish(session) }
        state = .startingSession(session)
        let request = IQ(.set, id: Self.sessionID, payload: Element("session", namespace: Namespace.session))
        return [.send(request.element.serialized(inside: Namespace.client))]
    }

    private mutating func sessionStarted(_ element: Element, _ session: EstablishedSession) -> [NegotiationAction] {
        guard let iq = IQ(element), isAnswer(iq, to: Self.sessionID) else {
            return fail(.unexpected("no answer to the session request"))
        }
        if let error = iq.error { return fail(.bindFailed(error)) }
        return establish(session)
    }

    private mutating func establish(_ session: EstablishedSession) -> [NegotiationAction] {
        state = .established
        return [.established(session)]
    }

    private func isAnswer(_ iq: IQ, to id: String) -> Bool {
        (iq.type == .result || iq.type == .error) && iq.id?.utf8.elementsEqual(id.utf8) == true
    }
}

/// RFC 6120 section 4.7.5: the numbers are compared as numbers, and a missing version is 0.9.
private func isVersion1(_ version: String?) -> Bool {
    guard let parts = version?.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false),
        parts.count == 2, let major = Int(Substring(parts[0])), let minor = Int(Substring(parts[1]))
    else { return false }
    return major >= 1 && minor >= 0
}
