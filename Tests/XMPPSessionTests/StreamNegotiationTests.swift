import Testing
import XMPPCore
import XMPPCrypto

@testable import XMPPSession

@Suite("Stream negotiation")
struct StreamNegotiationTests {
    @Test("a whole login with Prosody, from the recorded transcript")
    func prosody() throws {
        var login = try Login()
        #expect(login.negotiation.stage == .connecting)
        #expect(
            login.negotiation.connected() == [
                send(
                    "<?xml version='1.0'?><stream:stream xmlns='jabber:client' to='gate.test' version='1.0' "
                        + "xml:lang='en' xmlns:stream='http://etherx.jabber.org/streams'>"
                )
            ]
        )
        #expect(login.negotiation.stage == .plain)
        #expect(login.server(serverHeader) == [])
        #expect(
            login.server("<stream:features><starttls \(tls)><required/></starttls></stream:features>")
                == [send("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")]
        )
        #expect(login.server("<proceed \(tls)/>") == [.startTLS])
        #expect(login.negotiation.stage == .securing)
        let header =
            "<?xml version='1.0'?><stream:stream xmlns='jabber:client' to='gate.test' from='alice@gate.test' "
            + "version='1.0' xml:lang='en' xmlns:stream='http://etherx.jabber.org/streams'>"
        #expect(login.negotiation.secured() == [send(header)])
        #expect(login.negotiation.stage == .authenticating)
        #expect(login.server(serverHeader) == [])
        #expect(
            login.server(
                "<stream:features><mechanisms \(sasl)><mechanism>PLAIN</mechanism><mechanism>SCRAM-SHA-1</mechanism>"
                    + "</mechanisms><register xmlns='urn:xmpp:invite'/></stream:features>"
            )
                == [
                    send(
                        "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='SCRAM-SHA-1'>"
                            + "biwsbj1hbGljZSxyPTZ5b3o1eFljaVpBRXc0Wm9LSUpFenlxTA==</auth>"
                    )
                ]
        )
        let actions = login.server("<challenge \(sasl)>\(prosodyChallenge)</challenge>")
        guard case .derive(let derivation) = actions.first, actions.count == 1 else { return #expect(Bool(false)) }
        #expect(derivation.algorithm == .sha1)
        #expect(derivation.iterations == 10_000)
        #expect(String(decoding: derivation.salt, as: UTF8.self) == "7bef7871-acf1-4b08-b6e5-63a909e1169e")
        #expect(
            login.negotiation.derived(derivation.deriveKeys()) == [
                send(
                    "<response xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>Yz1iaXdzLHI9NnlvejV4WWNpWkFFdzRab0tJSkV6eXFMMDhh"
                        + "NzNjMWQtYTViOC00MDBjLWExMDUtNDgxNmM5ZjNiN2MyLHA9dHdjTXJmNURza2xUOXhtY0wyQnRBVTVUdklBPQ==</response>"
                )
            ]
        )
        #expect(
            login.server("<success \(sasl)>\(prosodySuccess)</success>") == [.resetParser, .raiseLimits, send(header)]
        )
        #expect(login.negotiation.stage == .binding)
        let features =
            "<stream:features><c ver='aFSB' node='http://prosody.im' xmlns='http://jabber.org/protocol/caps' hash='sha-1'/>"
            + "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><required/></bind>"
            + "<session xmlns='urn:ietf:params:xml:ns:xmpp-session'><optional/></session>"
            + "<sm xmlns='urn:xmpp:sm:2'><optional/></sm><sm xmlns='urn:xmpp:sm:3'><optional/></sm>"
            + "<sub xmlns='urn:xmpp:features:pre-approval'/><ver xmlns='urn:xmpp:features:rosterver'/></stream:features>"
        #expect(
            login.server(serverHeader + " " + features)
                == [
                    send(
                        "<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                            + "<resource>r1</resource></bind></iq>"
                    )
                ]
        )
        let end = login.server(
            "<iq id='bind' type='result'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                + "<jid>alice@gate.test/r1</jid></bind></iq>"
        )
        guard case .established(let session) = end.first, end.count == 1 else { return #expect(Bool(false)) }
        #expect(session.jid == (try JID("alice@gate.test/r1")))
        #expect(session.features.first("sub", Namespace.preApproval) != nil)
        #expect(login.negotiation.stage == .established)
        #expect(login.server("<message/>") == [])
    }

    @Test(
        "without an offer of STARTTLS nothing more is sent (B051)",
        arguments: [
            mechanisms("PLAIN", "SCRAM-SHA-1"), "<stream:features/>",
            "<stream:features><starttls xmlns='urn:x'/></stream:features>",
            "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></stream:features>",
        ]
    )
    func startTLSStripped(features: String) throws {
        var login = try Login()
        _ = login.negotiation.connected()
        let actions = login.server(serverHeader + features)
        #expect(actions == [.fail(.tlsNotOffered)])
        #expect(actions.error?.retry == .retry)
        #expect(actions.error?.description.contains("TLS required, not offered") == true)
        #expect(login.negotiation.stage == .failed)
        #expect(login.server("<proceed \(tls)/>") == [])
    }

    @Test(
        "a refused STARTTLS, and anything else out of turn, ends the plain stream without a word",
        arguments: [
            ("<failure \(tls)/>", SessionError.Code.tlsRefused), ("<success \(sasl)/>", .unexpected),
            ("<stream:features/>", .unexpected), ("<proceed/>", .unexpected), ("<message/>", .unexpected),
            ("</stream:stream>", .closedByServer), ("<x", nil),
            ("<stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>", .streamError),
        ] as [(String, SessionError.Code?)]
    )
    func plainStream(text: String, code: SessionError.Code?) throws {
        var login = try Login()
        _ = login.negotiation.connected()
        _ = login.server(serverHeader + "<stream:features><starttls \(tls)/></stream:features>")
        let actions = login.server(text)
        #expect(actions.error?.code == code)
        #expect(actions.sent.isEmpty)
    }

    @Test(
        "whatever comes behind <proceed/> in plain text ends the connection (security B2)",
        arguments: [
            "<stream:features/>", "<success \(sasl)/>", "</stream:stream>", "<!-", "x", " ", "<", "<succ",
            "<proceed \(tls)/>",
        ]
    )
    func injection(text: String) throws {
        var login = try Login()
        _ = login.negotiation.connected()
        _ = login.server(serverHeader + "<stream:features><starttls \(tls)/></stream:features>")
        // In one chunk with <proceed/>, so the driver has not dropped its parser yet.
        let actions = login.server("<proceed \(tls)/>" + text)
        #expect(actions == [.startTLS, .fail(.plaintextAfterStartTLS)])
    }

    @Test("in random order a server gets nothing before TLS but header, <starttls/> and its faults (security B1)")
    func nothingInClear() throws {
        let pieces = [
            serverHeader, "<stream:features><starttls \(tls)/></stream:features>", mechanisms("PLAIN", "SCRAM-SHA-1"),
            "<challenge \(sasl)>\(prosodyChallenge)</challenge>", "<success \(sasl)>\(prosodySuccess)</success>",
            "<failure \(tls)/>", "<iq type='result' id='bind'/>", "<message/>", " ",
        ]
        var generator = SplitMix(seed: 1)
        for _ in 0..<1000 {
            var login = try Login()
            _ = login.negotiation.connected()
            var sent = ""
            for _ in 0..<6 {
                let piece = pieces.randomElement(using: &generator) ?? ""
                sent += login.server(piece).sent
                sent += login.negotiation.derived(SCRAMKeys(clientKey: Secret("a"), serverKey: Secret("b"))).sent
            }
            #expect(["", "<starttls \(tls)/>"].contains(StreamFaultTests.withoutFault(sent)))
        }
    }

    @Test(
        "the strongest mechanism is taken whatever the server's order, and PLAIN never",
        arguments: [
            (["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256"], "SCRAM-SHA-256"),
            (["SCRAM-SHA-256", "SCRAM-SHA-1"], "SCRAM-SHA-256"),
            (["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"], "SCRAM-SHA-1"), (["PLAIN"], nil), ([], nil), (["scram-sha-1"], nil),
            (["SCRAM-SHA-1-PLUS", "EXTERNAL", "X-OAUTH2", "<b/>"], nil),
        ] as [([String], String?)]
    )
    func mechanismChoice(offered: [String], chosen: String?) throws {
        var login = try Login()
        login.secure()
        let names = offered.map { "<mechanism>\($0)</mechanism>" }.joined()
        let actions = login.server("<stream:features><mechanisms \(sasl)>\(names)</mechanisms></stream:features>")
        if let chosen {
            #expect(actions.sent.contains("mechanism='\(chosen)'"))
        } else {
            let codes: [SessionError.Code] = [.mechanismsUnsuitable, .plainNotAllowed, .bindingOfferUnusable]
            #expect(actions.error.map { codes.contains($0.code) } == true)
            #expect(actions.error?.retry == .park)
            #expect(actions.sent == "</stream:stream>")
        }
    }

    @Test("mechanisms offered before TLS are forgotten (B050 d)")
    func mechanismsBeforeTLS() throws {
        var login = try Login()
        _ = login.negotiation.connected()
        _ = login.server(
            serverHeader + "<stream:features><starttls \(tls)/><mechanisms \(sasl)><mechanism>SCRAM-SHA-256</mechanism>"
                + "</mechanisms></stream:features>"
        )
        _ = login.server("<proceed \(tls)/>")
        _ = login.negotiation.secured()
        #expect(login.server(serverHeader + mechanisms("SCRAM-SHA-1")).sent.contains("mechanism='SCRAM-SHA-1'"))
    }

    @Test("names that a server offers are shown only where they are mechanism names")
    func offeredNames() {
        let error = SessionError.mechanismsUnsuitable(offered: [
            "PLAIN", "evil\n[31m", String(repeating: "A", count: 21), "X-1_",
        ])
        #expect(error.description.hasSuffix("offered PLAIN, X-1_"))
    }

    @Test(
        "a refused login is retried or not, as its condition says",
        arguments: [
            ("<not-authorized/>", "not-authorized", SessionError.RetryAdvice.park),
            ("<account-disabled/>", "account-disabled", .park),
            ("<credentials-expired/>", "credentials-expired", .park),
            ("<invalid-authzid/>", "invalid-authzid", .park),
            ("<temporary-auth-failure/>", "temporary-auth-failure", .retry),
            ("<aborted/>", "aborted", .retry), ("<malformed-request/>", "malformed-request", .retry),
            ("<incorrect-encoding/>", "incorrect-encoding", .retry),
            ("<encryption-required/>", "encryption-required", .park),
            ("<mechanism-too-weak/>", "mechanism-too-weak", .park),
            ("<invalid-mechanism/>", "invalid-mechanism", .park),
            ("<something-new/>", "not-authorized", .park), ("", "not-authorized", .park),
            ("<not-authorized/><text>Invalid username or password</text>", "not-authorized", .park),
            ("<text xml:lang='en'>temporary-auth-failure</text>", "not-authorized", .park),
            ("<temporary-auth-failure xmlns='urn:x'/>", "not-authorized", .park),
        ]
    )
    func failures(xml: String, condition: String, retry: SessionError.RetryAdvice) throws {
        for stage in 0..<2 {
            var login = try Login()
            if stage == 0 {
                login.secure()
                _ = login.server(mechanisms("SCRAM-SHA-1"))
            } else {
                login.prove()
            }
            let actions = login.server("<failure \(sasl)>\(xml)</failure>")
            #expect(actions.error?.code == .authenticationFailed)
            #expect(actions.error?.condition == condition)
            #expect(actions.error?.retry == retry)
            #expect(actions.sent == "</stream:stream>")
        }
    }

    @Test("a mechanism that the server does not want after all gives way to the next, with another nonce")
    func nextMechanism() throws {
        var login = try Login()
        login.secure()
        let first = login.server(mechanisms("SCRAM-SHA-1", "SCRAM-SHA-256")).sent
        #expect(first.contains("SCRAM-SHA-256"))
        let second = login.server("<failure \(sasl)><mechanism-too-weak/></failure>").sent
        #expect(second.contains("mechanism='SCRAM-SHA-1'"))
        #expect(!second.contains("biwsbj1hbGljZSxyPTZ5b3o1eFljaVpBRXc0Wm9LSUpFenlxTA=="))
        #expect(login.server("<failure \(sasl)><invalid-mechanism/></failure>").error?.condition == "invalid-mechanism")
        var refused = try Login()
        refused.secure()
        _ = refused.server(mechanisms("SCRAM-SHA-1", "SCRAM-SHA-256"))
        #expect(refused.server("<failure \(sasl)><not-authorized/></failure>").error?.condition == "not-authorized")
    }

    @Test(
        "a server that reports success without its proof is not believed (B046, B047, security B8)",
        arguments: [
            "<success \(sasl)/>", "<success \(sasl)>=</success>", "<success \(sasl)>====</success>",
            "<success \(sasl)>a=</success>", "<success \(sasl)> \(prosodySuccess)</success>",
            "<success \(sasl)>dj0yUUZ0WVNLVzhIblpLWUJ4ZGl3QjlQM3JxR1k9</success>", "<success \(sasl)>dj0=</success>",
            "<success \(sasl)>ZT1vdGhlci1lcnJvcg==</success>", "<success \(sasl)>dj0zUUZ0</success>",
            "<success \(sasl)>\(Base64.encode(Array("x=1,v=3QFtYSKW8HnZKYBxdiwB9P3rqGY=".utf8)))</success>",
        ]
    )
    func noProof(xml: String) throws {
        var login = try Login()
        login.prove()
        let actions = login.server(xml)
        #expect(actions == [send("</stream:stream>"), .fail(.serverNotAuthenticated)])
        #expect(actions.error?.retry == .park)
    }

    @Test("success before the challenge, and before the proof, is not believed")
    func earlySuccess() throws {
        var before = try Login()
        before.secure()
        _ = before.server(mechanisms("SCRAM-SHA-1"))
        #expect(before.server("<success \(sasl)>\(prosodySuccess)</success>").error == .serverNotAuthenticated)
        var deriving = try Login()
        deriving.secure()
        _ = deriving.server(mechanisms("SCRAM-SHA-1"))
        let actions = deriving.server("<challenge \(sasl)>\(prosodyChallenge)</challenge>")
        #expect(deriving.server("<success \(sasl)>\(prosodySuccess)</success>").error == .serverNotAuthenticated)
        guard case .derive(let derivation) = actions.first else { return #expect(Bool(false)) }
        #expect(deriving.negotiation.derived(derivation.deriveKeys()) == [], "keys come too late")
    }

    @Test("the proof may come in a challenge, which is answered by nothing (B047 f)")
    func proofInChallenge() throws {
        var login = try Login()
        login.prove()
        #expect(
            login.server("<challenge \(sasl)>\(prosodySuccess)</challenge>")
                == [send("<response xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>")]
        )
        #expect(login.server("<success \(sasl)/>").count == 3)
        #expect(login.negotiation.stage == .binding)
        for wrong in [
            "<challenge \(sasl)>\(prosodySuccess)</challenge>", "<success \(sasl)>\(prosodySuccess)</success>",
            "<message/>",
        ] {
            var other = try Login()
            other.prove()
            _ = other.server("<challenge \(sasl)>\(prosodySuccess)</challenge>")
            #expect(other.server(wrong).error != nil)
        }
        var equals = try Login()
        equals.prove()
        _ = equals.server("<challenge \(sasl)>\(prosodySuccess)</challenge>")
        #expect(equals.server("<success \(sasl)>=</success>").error == nil)
    }

    @Test(
        "a broken challenge ends the login without a proof",
        arguments: [
            "", "=", "====", "a=", "?", " \(prosodyChallenge)", "cj0=", Base64.encode([0xFF, 0xFE]),
        ]
    )
    func brokenChallenges(text: String) throws {
        var login = try Login()
        login.secure()
        _ = login.server(mechanisms("SCRAM-SHA-1"))
        let actions = login.server("<challenge \(sasl)>\(text)</challenge>")
        #expect(actions.error?.code == .malformedChallenge)
        #expect(actions.sent == "</stream:stream>")
        #expect(login.negotiation.derived(SCRAMKeys(clientKey: Secret("a"), serverKey: Secret("b"))) == [])
    }

    @Test("data behind <success/> in one chunk is no new stream")
    func afterSuccess() throws {
        var login = try Login()
        login.prove()
        let actions = login.server("<success \(sasl)>\(prosodySuccess)</success><stream:features/>")
        #expect(actions.error?.code == .unexpected)
        #expect(login.negotiation.stage == .failed)
    }

    @Test("what cannot be a login is told before anything is sent")
    func misconfigured() throws {
        for var login in [
            try Login(account: "gate.test"), try Login(nonce: []), try Login(nonce: [UInt8](repeating: 1, count: 15)),
        ] {
            let actions = login.negotiation.connected()
            #expect(actions.count == 1)
            #expect(actions.error?.code == .misconfigured)
            #expect(actions.error?.retry == .park)
        }
        for password in ["", "a\u{7}b", "\u{627}1"] {
            var login = try Login(password: password)
            login.secure()
            #expect(login.server(mechanisms("SCRAM-SHA-1")).error?.code == .passwordUnusable)
        }
    }

    @Test("no error shows the password, whatever happens")
    func noSecretShown() throws {
        var login = try Login(password: "hunter2")
        login.prove()
        let actions = login.server("<success \(sasl)/>")
        #expect(!"\(login.negotiation)\(actions)".contains("hunter2"))
        var dumped = ""
        dump(login.negotiation, to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }
}
