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
                    case .send, .resetParser, .raiseLimits, .established, .resumed, .forgetToken, .observed, .fail:
                        break
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

    /// What a server may say at any time; nothing in it proves that it knows the password or the token.
    private static let pieces: [String] = [
        "<stream:features><authentication xmlns='urn:xmpp:sasl:2'><mechanism>SCRAM-SHA-1</mechanism><inline>"
            + "<bind xmlns='urn:xmpp:bind:0'/><sm xmlns='urn:xmpp:sm:3'/><fast xmlns='urn:xmpp:fast:0'><mechanism>"
            + "HT-SHA-256-NONE</mechanism></fast></inline></authentication></stream:features>",
        mechanisms("SCRAM-SHA-1", "PLAIN", "EXTERNAL", "SCRAM-SHA-1-PLUS"), BindingTests.bindFeatures,
        "<challenge \(sasl)>\(prosodyChallenge)</challenge>",
        "<challenge xmlns='urn:xmpp:sasl:2'>\(prosodyChallenge)</challenge>",
        "<success \(sasl)>dj0zUUZ0WVNLVzhIblpLWUJ4ZGl3QjlQM3JxR1g9</success>", "<success \(sasl)/>",
        "<success xmlns='urn:xmpp:sasl:2'><additional-data>dj1A</additional-data><bound xmlns='urn:xmpp:bind:0'/>"
            + "<authorization-identifier>alice@gate.test/r</authorization-identifier></success>",
        "<success xmlns='urn:xmpp:sasl:2'><resumed xmlns='urn:xmpp:sm:3' previd='old' h='1'/></success>",
        "<failure xmlns='urn:xmpp:sasl:2'><not-authorized \(sasl)/></failure>",
        "<failure \(sasl)><invalid-mechanism/></failure>", "<failure \(sasl)><not-authorized/></failure>",
        "<resumed xmlns='urn:xmpp:sm:3' previd='old' h='1'/>", "<failed xmlns='urn:xmpp:sm:3' h='1'/>", bindResult,
        "<continue xmlns='urn:xmpp:sasl:2'/>", "<iq type='result' id='session'/>", "<message/>", serverHeader,
        "<token xmlns='urn:xmpp:fast:0' token='x'/>", "<bound xmlns='urn:xmpp:bind:0'/>", "<proceed \(tls)/>",
    ]

    @Test("whatever comes in whatever order, without a proof there is no session, and PLAIN is not sent")
    func randomOrders() throws {
        var generator = SplitMix(seed: 5802)
        var reached: Set<String> = []
        for _ in 0..<6000 {
            var login = try Login {
                $0.userAgent = Bool.random(using: &generator) ? UserAgent(id: "u") : nil
                $0.token = FASTToken(mechanism: "HT-SHA-256-NONE", token: Secret("t"), expiry: "")
                $0.resumption = ResumptionRequest(id: "old", inbound: 1)
                $0.memory.usedStrongMechanism = Bool.random(using: &generator)
            }
            login.secure(ChannelSecurity(tlsVersion: 0x0303, bindings: [.unique: [1]]))
            for _ in 0..<7 {
                let actions = login.server(Self.pieces.randomElement(using: &generator) ?? "")
                for action in actions {
                    switch action {
                    case .established, .resumed, .resetParser: Issue.record("in without a proof")
                    case .derive:
                        // The keys of another password: the proofs above are for nobody.
                        let sent = login.negotiation.derived(
                            SCRAMKeys(clientKey: Secret("a"), serverKey: Secret("b"))
                        ).sent
                        #expect(sent.contains("<response"))
                    case .send, .startTLS, .raiseLimits, .forgetToken, .observed, .fail: break
                    }
                }
                #expect(!actions.sent.contains("'PLAIN'"))
                reached.insert(login.negotiation.stage.rawValue)
            }
            for case .chose(let mechanism, _, _) in login.steps { reached.insert(mechanism) }
        }
        #expect(reached == ["authenticating", "failed", "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "HT-SHA-256-NONE"])
    }

    @Test("no mutation of a login by SASL2 traps, and none gets in but by the server's own words")
    func mutationsOfSASL2() throws {
        let result =
            "<resumed xmlns='urn:xmpp:sm:3' previd='old' h='1'/><token xmlns='urn:xmpp:fast:0' token='x'/>"
            + "<authorization-identifier>alice@gate.test</authorization-identifier>"
        var generator = SplitMix(seed: 388)
        var sessions = 0
        for round in 0..<600 {
            var server = HonestServer(usesSASL2: true)
            server.mechanisms = ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"]
            server.inline += "<sm xmlns='urn:xmpp:sm:3'/>"
            if round.isMultiple(of: 2) { server.result = result }
            let login = try Login { $0.resumption = ResumptionRequest(id: "old", inbound: 1) }
            var conversation = Conversation(server, login)
            let seed = generator.next()
            let victim = round == 0 ? -1 : Int.random(in: 0..<3, using: &generator)
            let count = Counter()
            conversation.toClient = { text in
                defer { count.value += 1 }
                guard count.value == victim else { return text }
                var inner = SplitMix(seed: seed)
                var bytes = Array(text.utf8)
                mutate(&bytes, &inner)
                return String(decoding: bytes, as: UTF8.self)
            }
            let actions = conversation.run()
            if let session = actions.session {
                sessions += 1
                #expect(session.jid.bare.domain == "gate.test")
                #expect(session.login.mechanism == "SCRAM-SHA-1-PLUS")
            }
            if case .resumed(let session) = actions.last {
                sessions += 1
                #expect(session.login.mechanism == "SCRAM-SHA-1-PLUS")
            }
        }
        #expect(sessions > 0)
    }

    private final class Counter {
        var value = 0
    }

    private func feed(_ bytes: [UInt8], to login: inout Login) -> [NegotiationAction] {
        var actions: [NegotiationAction] = []
        for event in login.parser.feed(bytes) { actions += login.negotiation.received(event) }
        if actions.contains(.startTLS) || actions.contains(.resetParser) { login.parser.reset() }
        return actions
    }
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
