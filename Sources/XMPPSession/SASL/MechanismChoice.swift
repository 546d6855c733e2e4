import XMPPCore

/// One way to log in, out of those that a server offers.
package struct MechanismChoice: Sendable, Hashable {
    package enum Mechanism: Sendable, Hashable {
        /// The certificate that we showed (RFC 4422 appendix A), with or without the address to act as.
        case external(namesAddress: Bool)
        case scram(SCRAM.Mechanism)
        case plain
    }

    /// What is said of channel binding.
    package enum Binding: Sendable, Hashable {
        case unsupported
        case notOffered
        /// The -PLUS form. `isAnnounced` where the server lists the type (XEP-0440), so that it cannot be a wrong guess.
        case bound(ChannelBindingType, isAnnounced: Bool)
    }

    package let mechanism: Mechanism
    package let binding: Binding
    /// Whether the server must say what it offered (XEP-0474), since channel binding was left out trusting in that.
    package let needsOfferHash: Bool

    package init(_ mechanism: Mechanism, _ binding: Binding = .unsupported, needsOfferHash: Bool = false) {
        self.mechanism = mechanism
        self.binding = binding
        self.needsOfferHash = needsOfferHash
    }

    /// As the server knows it.
    package var name: String {
        switch (mechanism, binding) {
        case (.external, _): "EXTERNAL"
        case (.plain, _): "PLAIN"
        case (.scram(let scram), .bound): scram.plus
        case (.scram(let scram), .unsupported), (.scram(let scram), .notOffered): scram.rawValue
        }
    }
}

/// What an account allows, and what is remembered of it.
package struct MechanismRules: Sendable, Hashable {
    package var allowsPlain: Bool
    package var requiresChannelBinding: Bool
    package var memory: LoginMemory
    package var hasPassword: Bool
    /// Whether the account has a certificate to show, shown or not.
    package var hasCertificate: Bool

    package init(
        allowsPlain: Bool = false, requiresChannelBinding: Bool = false, memory: LoginMemory = LoginMemory(),
        hasPassword: Bool = true, hasCertificate: Bool = false
    ) {
        self.allowsPlain = allowsPlain
        self.requiresChannelBinding = requiresChannelBinding
        self.memory = memory
        self.hasPassword = hasPassword
        self.hasCertificate = hasCertificate
    }

    /// Whether a safe login was used before.
    fileprivate var hasMemory: Bool { memory.usedStrongMechanism || memory.usedAnnouncedBinding }

    /// Whether a login must be bound to its channel: EXTERNAL is not, and proves nothing of the server either.
    var needsBinding: Bool { requiresChannelBinding || memory.usedAnnouncedBinding }
}

extension MechanismChoice {
    /// The ways to log in that are safe, best first; `next` says which of them follows which failure.
    ///
    /// - Throws: Where there is none, or where the offer is one that no honest server makes.
    package static func candidates(
        _ offer: SASLOffer, _ security: ChannelSecurity, _ rules: MechanismRules
    ) throws(SessionError) -> [MechanismChoice] {
        try checkConsistency(of: offer, rules)
        guard security.showedCertificate, offer.has("EXTERNAL"), !rules.needsBinding else {
            return try byPassword(offer, security, rules)
        }
        // Without the address first: a certificate of one account says whose it is (XEP-0178 section 2).
        let external = [
            MechanismChoice(.external(namesAddress: false)), MechanismChoice(.external(namesAddress: true)),
        ]
        return external + ((try? byPassword(offer, security, rules)) ?? [])
    }

    /// What XEP-0440 section 3 forbids to go on with under SASL2, whichever mechanism would be used.
    static func checkConsistency(of offer: SASLOffer, _ rules: MechanismRules) throws(SessionError) {
        guard offer.usesSASL2 else { return }
        let plus = offered(offer, \.plus)
        if !plus.isEmpty && !offer.announcesBindings {
            throw inconsistent(rules, "the server offers channel binding and does not say of which types")
        }
        if plus.isEmpty && offer.announcesBindings {
            let isWeak = offered(offer, \.rawValue).isEmpty && !offer.has("EXTERNAL")
            if isWeak && rules.hasMemory { throw .loginWeakened(offered: offer.mechanisms) }
            throw inconsistent(rules, "the server announces channel binding and offers no login that uses it")
        }
    }

    /// What an account remembers holds for a login by token too: an offer that has lost it stops that as well.
    static func checkMemory(
        of offer: SASLOffer, _ security: ChannelSecurity, _ rules: MechanismRules
    ) throws(SessionError) {
        guard rules.hasMemory else { return }
        do throws(SessionError) {
            _ = try candidates(offer, security, rules)
        } catch {
            // Other obstacles, such as a password that is not there, concern the password only.
            if error.code == .loginWeakened || error.code == .bindingLost { throw error }
        }
    }

    private static func byPassword(
        _ offer: SASLOffer, _ security: ChannelSecurity, _ rules: MechanismRules
    ) throws(SessionError) -> [MechanismChoice] {
        let plain = offered(offer, \.rawValue)
        let plus = offered(offer, \.plus)
        if plain.isEmpty, plus.isEmpty, rules.hasMemory { throw .loginWeakened(offered: offer.mechanisms) }
        if rules.hasCertificate, !rules.hasPassword { throw certificateUnusable(offer, security, rules) }
        guard !plain.isEmpty || !plus.isEmpty else { return try withoutSCRAM(offer, rules) }
        guard rules.hasPassword else { throw .passwordUnusable }
        guard !plus.isEmpty else {
            if offer.announcesBindings {
                throw inconsistent(rules, "the server announces channel binding and offers no login that uses it")
            }
            if rules.needsBinding { throw missing(rules, "the server offers no login that is bound to the channel") }
            // Honest servers without channel binding do not mind the `y`, and others see that their offer was cut.
            let flag: Binding = security.usableBindings.isEmpty ? .unsupported : .notOffered
            return plain.map { MechanismChoice(.scram($0), flag) }
        }
        if offer.announcesBindings {
            if let type = security.usableBindings.first(where: offer.announces) {
                // No form without binding follows: whoever refuses the announced one may stand in between.
                return plus.map { MechanismChoice(.scram($0), .bound(type, isAnnounced: true)) }
            }
            let none = "no type of channel binding that the server announces can be made here"
            // Not to require a binding would not help where the server has no other login either.
            if plain.isEmpty { throw inconsistent(rules, none) }
            if rules.needsBinding { throw missing(rules, none) }
            return plain.map { MechanismChoice(.scram($0), needsOfferHash: true) }
        }
        if rules.memory.usedAnnouncedBinding {
            throw .bindingLost("the server no longer says which types of channel binding it takes")
        }
        // Nothing announced, before SASL2. tls-unique is what TLS 1.2 has always had (RFC 5802 section 6); on TLS 1.3 any
        // type is a guess, and ejabberd 23.01 answers a wrong one like a wrong password.
        var choices: [MechanismChoice] = []
        if security.usableBindings.contains(.unique) {
            choices = plus.map { MechanismChoice(.scram($0), .bound(.unique, isAnnounced: false)) }
        }
        if !rules.requiresChannelBinding { choices += plain.map { MechanismChoice(.scram($0)) } }
        guard choices.isEmpty else { return choices }
        if plain.isEmpty {
            throw inconsistent(
                rules, "the server offers channel binding alone and does not say of which types (\(names(plus)))")
        }
        throw missing(rules, "the server does not say which types of channel binding it takes")
    }

    private static func withoutSCRAM(
        _ offer: SASLOffer, _ rules: MechanismRules
    ) throws(SessionError) -> [MechanismChoice] {
        // To allow PLAIN helps only where it is offered and no binding is asked for.
        guard offer.has("PLAIN"), rules.allowsPlain || !rules.requiresChannelBinding else {
            throw .mechanismsUnsuitable(offered: offer.mechanisms)
        }
        guard rules.allowsPlain else { throw .plainNotAllowed }
        if rules.requiresChannelBinding {
            throw missing(rules, "the server offers no login that is bound to the channel")
        }
        guard rules.hasPassword else { throw .passwordUnusable }
        return [MechanismChoice(.plain)]
    }

    /// Why an account that has nothing but a certificate cannot log in.
    private static func certificateUnusable(
        _ offer: SASLOffer, _ security: ChannelSecurity, _ rules: MechanismRules
    ) -> SessionError {
        // Whatever the server does, EXTERNAL is not bound.
        if rules.requiresChannelBinding { return .externalNotBound }
        if !security.showedCertificate { return .certificateNotAskedFor }
        return offer.has("EXTERNAL") ? .externalAfterBinding : .externalNotOffered(offered: offer.mechanisms)
    }

    private static func offered(
        _ offer: SASLOffer, _ name: KeyPath<SCRAM.Mechanism, String>
    ) -> [SCRAM.Mechanism] {
        SCRAM.Mechanism.allCases.filter { offer.has($0[keyPath: name]) }
    }

    private static func names(_ plus: [SCRAM.Mechanism]) -> String { plus.map(\.plus).joined(separator: ", ") }

    /// What nobody could log in by, whatever an account asks for.
    private static func inconsistent(_ rules: MechanismRules, _ what: String) -> SessionError {
        rules.memory.usedAnnouncedBinding ? .bindingLost(what) : .bindingOfferUnusable(what)
    }

    private static func missing(_ rules: MechanismRules, _ what: String) -> SessionError {
        rules.memory.usedAnnouncedBinding ? .bindingLost(what) : .channelBindingUnusable(what)
    }

    /// What follows after this one failed, out of the candidates behind it.
    ///
    /// - Returns: The candidates from the next one on; empty where the failure is the end.
    package func next(after condition: SASLCondition, of others: [MechanismChoice]) -> [MechanismChoice] {
        if condition.isAboutMechanism { return Array(others.drop { $0.name.utf8.elementsEqual(name.utf8) }) }
        switch (mechanism, binding) {
        case (.external(let namesAddress), _):
            switch condition {
            // It wants to be told whose account it is (RFC 6120 section 6.3.8).
            case .invalidAuthzid where !namesAddress: return others
            case .invalidAuthzid, .notAuthorized: return Array(others.drop { $0.name.utf8.elementsEqual(name.utf8) })
            case .aborted, .accountDisabled, .credentialsExpired, .encryptionRequired, .incorrectEncoding,
                .invalidMechanism, .malformedRequest, .mechanismTooWeak, .temporaryAuthFailure:
                return []
            }
        case (.scram, .bound(_, isAnnounced: false)):
            // The type may have been a wrong guess: ejabberd answers one like a wrong password, Prosody as malformed (also
            // tls-unique on a resumed session, which it takes from the wrong side). Once, and never where it is announced.
            guard condition == .notAuthorized || condition == .malformedRequest else { return [] }
            return others.first { $0.binding == .unsupported }.map { [$0] } ?? []
        case (.scram, .bound(_, isAnnounced: true)), (.scram, .unsupported), (.scram, .notOffered), (.plain, _):
            return []
        }
    }
}

extension SASLOffer {
    /// Whether any type is announced: an empty list is none.
    fileprivate var announcesBindings: Bool { bindings?.isEmpty == false }
}

extension ChannelSecurity {
    /// The types that this connection can make, best first.
    var usableBindings: [ChannelBindingType] {
        ChannelBindingType.allCases.filter { type in
            guard bindings[type]?.isEmpty == false else { return false }
            // RFC 9266 section 3: TLS 1.3 has no tls-unique, whatever somebody says it is.
            return type != .unique || tlsVersion.map { $0 <= 0x0303 } == true
        }
    }
}
