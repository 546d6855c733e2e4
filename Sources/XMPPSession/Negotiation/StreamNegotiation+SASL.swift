import XMPPCore
import XMPPCrypto

// SASL by either of its dialects (RFC 6120 section 6, XEP-0388).
extension StreamNegotiation {
    private var rules: MechanismRules {
        MechanismRules(
            allowsPlain: configuration.allowsPlain, requiresChannelBinding: configuration.requiresChannelBinding,
            memory: configuration.memory, hasPassword: !configuration.password.isEmpty,
            hasCertificate: configuration.hasCertificate)
    }

    /// Begins with the features behind TLS: by a token where there is one that works here, else by what they offer.
    mutating func authenticate(_ features: Element) -> [NegotiationAction] {
        let offer = SASLOffer(features: features)
        do throws(SessionError) {
            try MechanismChoice.checkConsistency(of: offer, rules)
            if let mechanism = usableToken(offer, InlineOffer(features: features)) {
                try MechanismChoice.checkMemory(of: offer, security, rules)
                return try start(.token(mechanism), others: [], features)
            }
            return try choose(features)
        } catch {
            return fail(error)
        }
    }

    private mutating func choose(_ features: Element) throws(SessionError) -> [NegotiationAction] {
        let choices = try MechanismChoice.candidates(SASLOffer(features: features), security, rules)
        guard let first = choices.first else { throw .mechanismsUnsuitable(offered: []) }
        return try start(.chosen(first), others: Array(choices.dropFirst()), features)
    }

    /// What our token is for, where the server still takes that and nothing better could be had (XEP-0484 section 5:
    /// what binds the channel goes first).
    private func usableToken(_ offer: SASLOffer, _ inline: InlineOffer) -> HashedToken.Mechanism? {
        guard offer.usesSASL2, configuration.userAgent != nil, let token = configuration.token,
            let mechanism = HashedToken.Mechanism(token.mechanism), inline.tokenMechanisms?.contains(mechanism) == true
        else { return nil }
        if let binding = mechanism.binding { return security.usableBindings.contains(binding) ? mechanism : nil }
        return inline.bestTokenMechanism(security, needsBinding: rules.needsBinding) == mechanism ? mechanism : nil
    }

    private mutating func start(
        _ way: Authentication.Way, others: [MechanismChoice], _ features: Element
    ) throws(SessionError) -> [NegotiationAction] {
        let offer = SASLOffer(features: features)
        let inline = offer.usesSASL2 ? InlineOffer(features: features) : InlineOffer()
        var request = InlineRequest(inline, resumption: configuration.resumption)
        if configuration.leavesNothing { request.enablesStreamManagement = false }
        var children: [Element] = []
        if offer.usesSASL2, let agent = configuration.userAgent {
            children.append(agent.element)
            switch way {
            case .token(let mechanism):
                // The count is for 0-RTT only (XEP-0484 section 3.4), which nobody here does.
                children.append(Element("fast", namespace: Namespace.fast))
                request.tokenMechanism = mechanism
            case .chosen:
                if !configuration.leavesNothing,
                    let mechanism = inline.bestTokenMechanism(security, needsBinding: rules.needsBinding)
                {
                    children.append(
                        Element(
                            "request-token", namespace: Namespace.fast,
                            attributes: [.init("mechanism", mechanism.name)]))
                    request.tokenMechanism = mechanism
                }
            }
        }
        children += request.elements(tag: configuration.resource ?? configuration.userAgent?.software)
        var attempt = Authentication(
            exchange: try exchange(way, offer), way: way, others: others, request: request, features: features,
            sasl: SASL(isSASL2: offer.usesSASL2))
        if request.resumption != nil { hasAskedToResume = true }
        let initial = attempt.exchange.initialResponse()
        state = .authenticating(attempt)
        return [
            .observed(
                .chose(mechanism: attempt.name, binding: attempt.binding?.rawValue, sasl2: offer.usesSASL2)),
            .send(attempt.sasl.start(attempt.name, initial, children)),
        ]
    }

    private mutating func exchange(
        _ way: Authentication.Way, _ offer: SASLOffer
    ) throws(SessionError) -> SASLExchange {
        let username = configuration.account.local ?? ""
        switch way {
        case .token(let mechanism):
            return .token(
                HashedToken(
                    mechanism, username: username, token: configuration.token?.token ?? Secret([]),
                    bindingData: mechanism.binding.flatMap { security.bindings[$0] } ?? []))
        case .chosen(let choice):
            switch choice.mechanism {
            case .external(let namesAddress):
                return .external(namesAddress ? configuration.account.description : "")
            case .plain:
                // SASLprep is the server's part (RFC 4616 section 2), but what it forbids cannot be a password.
                guard let text = String(validating: configuration.password.bytes, as: UTF8.self),
                    SASLPrep.prepare(text)?.isEmpty == false
                else { throw .passwordUnusable }
                return .plain(username: username, password: configuration.password)
            case .scram(let hash):
                return .scram(
                    try SCRAM(
                        hash, username: username, password: configuration.password,
                        nonce: Base64.encode(nextNonce()), iterationBounds: configuration.iterationBounds,
                        binding: binding(choice.binding),
                        check: DowngradeCheck(
                            offer: offer, tlsVersion: security.tlsVersion, isRequired: choice.needsOfferHash)))
            }
        }
    }

    private func binding(_ choice: MechanismChoice.Binding) -> SCRAM.Binding {
        switch choice {
        case .unsupported: .unsupported
        case .notOffered: .notOffered
        case .bound(let type, _): .bound(type, security.bindings[type] ?? [])
        }
    }

    /// A second exchange on the same stream has a nonce of its own.
    private mutating func nextNonce() -> [UInt8] {
        defer { attempts &+= 1 }
        return attempts == 0 ? configuration.nonce : digest(.sha256, configuration.nonce + [attempts])
    }

    mutating func authenticating(_ element: Element, _ attempt: Authentication) -> [NegotiationAction] {
        var attempt = attempt
        do throws(SessionError) {
            if attempt.sasl.matches(element, "challenge") {
                let step = try attempt.exchange.received(challenge: SASL.data(of: element.text))
                state = .authenticating(attempt)
                return switch step {
                case .derive(let derivation): [.derive(derivation)]
                case .respond(let answer): [.send(attempt.sasl.response(answer))]
                }
            }
            if attempt.sasl.matches(element, "success") {
                do throws(SessionError) {
                    try attempt.exchange.succeeded(with: attempt.sasl.successText(element))
                } catch {
                    // Who let us in without knowing the token may have it from us: it is not shown again, and the next
                    // login asks for a proof by the password.
                    return (attempt.usesToken ? [.forgetToken] : []) + fail(error)
                }
                return try succeeded(element, attempt)
            }
            if attempt.sasl.matches(element, "failure") {
                return try failed(SASLCondition(failure: element), attempt)
            }
        } catch {
            return fail(error)
        }
        if attempt.sasl.isSASL2, attempt.sasl.matches(element, "continue") {
            return [.send(attempt.sasl.abort())] + fail(.tasksRequired)
        }
        return fail(.unexpected("no answer to the login"))
    }

    private mutating func succeeded(
        _ success: Element, _ attempt: Authentication
    ) throws(SessionError) -> [NegotiationAction] {
        login = LoginReport(
            mechanism: attempt.name, channelBinding: attempt.binding, usedSASL2: attempt.sasl.isSASL2,
            usedToken: attempt.usesToken,
            memory: attempt.remembered(configuration.memory))
        let told = NegotiationAction.observed(
            .authenticated(
                mechanism: attempt.name, binding: attempt.binding?.rawValue, sasl2: attempt.sasl.isSASL2))
        if attempt.sasl.isSASL2 { return [told, .raiseLimits] + (try loggedIn(success, attempt)) }
        state = .loggedIn(.header)
        return [told, .resetParser, .raiseLimits, .send(header(withFrom: true))]
    }

    private mutating func failed(
        _ condition: SASLCondition, _ attempt: Authentication
    ) throws(SessionError) -> [NegotiationAction] {
        switch attempt.way {
        case .token:
            // The server may only be unable to look just now.
            if condition == .temporaryAuthFailure { throw .authenticationFailed(condition) }
            do {
                return [.forgetToken] + (try choose(attempt.features))
            } catch {
                return [.forgetToken] + fail(error)
            }
        case .chosen(let choice):
            // Keys on their way for this try would be taken for the next one's.
            let others = attempt.exchange.isDeriving ? [] : choice.next(after: condition, of: attempt.others)
            guard let next = others.first else {
                if case .external = choice.mechanism { throw .externalFailed(condition) }
                throw .authenticationFailed(condition, isBound: attempt.binding != nil)
            }
            return try start(.chosen(next), others: Array(others.dropFirst()), attempt.features)
        }
    }

    /// What the server offers, for observers: names that are none are left out.
    func offered(_ features: Element) -> NegotiationAction {
        let offer = SASLOffer(features: features)
        let isName = { (name: String) in name.utf8.count <= 64 && name.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        return .observed(
            .offered(
                isSecured: isSecured, sasl2: offer.usesSASL2,
                mechanisms: Array(offer.mechanisms.filter(isMechanismName).prefix(32)),
                bindings: offer.bindings.map { Array($0.filter(isName).prefix(16)) },
                inline: Array(InlineOffer(features: features).names.filter(isName).prefix(16))))
    }
}
