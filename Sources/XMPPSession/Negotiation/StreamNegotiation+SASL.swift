import XMPPCore
import XMPPCrypto

// SASL (RFC 6120 section 6).
extension StreamNegotiation {
    mutating func chooseMechanism(_ features: Element) -> [NegotiationAction] {
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

    mutating func authenticating(
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
