import Testing
import XMPPCore
import XMPPCrypto
import XMPPSession

@Suite("Mutated logins")
struct LoginMutationTests {
    /// What the server sends, one part before each answer of ours.
    private static let parts = [
        serverHeader + "<stream:features><starttls \(tls)><required/></starttls></stream:features>",
        "<proceed \(tls)/>",
        serverHeader + mechanisms("PLAIN", "SCRAM-SHA-1"), "<challenge \(sasl)>\(prosodyChallenge)</challenge>",
        "<success \(sasl)>\(prosodySuccess)</success>", serverHeader + BindingTests.bindFeatures,
        "<iq id='bind' type='result'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>alice@gate.test/r1</jid></bind></iq>",
    ]

    @Test("no mutation of a login traps, and none gets in without the server's proof")
    func mutations() throws {
        // Derived once: it is the slow part, and the server's wishes do not change it in what gets through.
        let challenge = try #require(Base64.decode(prosodyChallenge))
        var exchange = try SCRAM(.sha1, username: "alice", password: Secret("pw"), nonce: "6yoz5xYciZAEw4ZoKIJEzyqL")
        _ = exchange.clientFirst()
        guard case .derive(let derivation) = try exchange.received(challenge: challenge) else {
            return #expect(Bool(false))
        }
        let keys = derivation.deriveKeys()

        var generator = SplitMix(seed: 6120)
        var established = 0
        for round in 0..<4000 {
            var parts = Self.parts.map { Array($0.utf8) }
            if round > 0 {
                let part = Int.random(in: 0..<parts.count, using: &generator)
                for _ in 0..<Int.random(in: 1...2, using: &generator) { mutate(&parts[part], &generator) }
            }
            var login = try Login()
            var actions = login.negotiation.connected()
            for part in parts {
                actions = feed(part, to: &login)
                for action in actions {
                    switch action {
                    case .startTLS: actions = login.negotiation.secured()
                    case .derive: actions = login.negotiation.derived(keys)
                    case .send, .resetParser, .raiseLimits, .established, .resumed, .forgetToken, .observed, .fail: break
                    }
                }
            }
            if case .established(let session) = actions.last {
                established += 1
                #expect(session.jid.bare.domain == "gate.test")
            }
        }
        #expect(established > 0)
    }

    private func feed(_ bytes: [UInt8], to login: inout Login) -> [NegotiationAction] {
        var actions: [NegotiationAction] = []
        for event in login.parser.feed(bytes) { actions += login.negotiation.received(event) }
        if actions.contains(.startTLS) || actions.contains(.resetParser) { login.parser.reset() }
        return actions
    }

    private func mutate(_ bytes: inout [UInt8], _ generator: inout SplitMix) {
        guard !bytes.isEmpty else { return }
        let at = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[at] = UInt8.random(in: .min ... .max, using: &generator)
        case 1: bytes.remove(at: at)
        case 2: bytes.insert(Array("<>&'\"/=!?[] :\0A9".utf8).randomElement(using: &generator) ?? 0, at: at)
        case 3: bytes.insert(contentsOf: bytes[at...], at: at)
        case _: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...30, using: &generator)))
        }
    }
}
