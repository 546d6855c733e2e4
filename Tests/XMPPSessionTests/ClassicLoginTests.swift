import Testing
import XMPPCore
import XMPPCrypto
import XMPPSession

private let sm = "<sm xmlns='urn:xmpp:sm:3'/>"
private let resume = "<resume xmlns='urn:xmpp:sm:3' h='4294967295' previd='old'/>"
private let bindRequest =
    "<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>r1</resource></bind></iq>"

@Suite("Resumption behind the login")
struct ResumptionTests {
    private func login(_ id: String? = "old") throws -> Login {
        var login = try Login { $0.resumption = id.map { ResumptionRequest(id: $0, inbound: .max) } }
        login.logIn()
        return login
    }

    @Test("a session of before goes on instead of a new one")
    func resumed() throws {
        var login = try login()
        #expect(login.server("<stream:features>\(bindFeature)\(sm)</stream:features>") == [send(resume)])
        #expect(login.negotiation.stage == .binding)
        let actions = login.server("<resumed xmlns='urn:xmpp:sm:3' h='3' previd='old'/>")
        #expect(
            actions == [
                .resumed(
                    ResumedSession(
                        handled: 3,
                        login: LoginReport(mechanism: "SCRAM-SHA-1", memory: LoginMemory(usedStrongMechanism: true))))
            ])
        #expect(login.negotiation.stage == .established)
    }

    @Test(
        "a refused resumption is followed by a binding on the same stream",
        arguments: [("", nil), (" h='5'", 5), (" h='x'", nil), (" h='4294967296'", nil), (" h=''", nil)]
            as [(String, UInt32?)]
    )
    func refused(attribute: String, handled: UInt32?) throws {
        var login = try login()
        _ = login.server("<stream:features>\(bindFeature)\(sm)</stream:features>")
        let condition = "<item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
        #expect(
            login.server("<failed xmlns='urn:xmpp:sm:3'\(attribute)>\(condition)</failed>") == [send(bindRequest)])
        #expect(login.server(bindResult).session?.failedResumption == FailedResumption(handled: handled))
    }

    @Test("nothing is resumed where the server does not do it or there is nothing to resume")
    func without() throws {
        for (id, features) in [
            ("old", bindFeature), ("old", bindFeature + "<sm xmlns='urn:xmpp:sm:2'/>"), (nil, bindFeature + sm),
        ] {
            var login = try login(id)
            #expect(login.server("<stream:features>\(features)</stream:features>") == [send(bindRequest)])
            let session = try #require(login.server(bindResult).session)
            #expect((session.failedResumption != nil) == (id != nil))
        }
    }

    @Test(
        "what is no answer to the resumption ends the login",
        arguments: [
            "<resumed xmlns='urn:xmpp:sm:3' h='3' previd='other'/>", "<resumed xmlns='urn:xmpp:sm:3' previd='old'/>",
            "<resumed xmlns='urn:xmpp:sm:2' h='3' previd='old'/>",
            "<resumed xmlns='urn:xmpp:sm:3' h='-3' previd='old'/>",
            "<message/>", "<enabled xmlns='urn:xmpp:sm:3'/>", "<iq type='result' id='bind'/>", "<stream:features/>",
        ]
    )
    func strange(xml: String) throws {
        var login = try login()
        _ = login.server("<stream:features>\(bindFeature)\(sm)</stream:features>")
        #expect(login.server(xml).error?.code == .unexpected)
    }

    @Test("a resumption refused with the login is not asked for again")
    func refusedInline() throws {
        var server = HonestServer(usesSASL2: true)
        server.inline = sm
        server.result = "<failed xmlns='urn:xmpp:sm:3' h='9'/>"
        var conversation = Conversation(
            server, try Login { $0.resumption = ResumptionRequest(id: "old", inbound: 1) })
        _ = conversation.run()
        #expect(
            conversation.login.server("<stream:features>\(bindFeature)\(sm)</stream:features>") == [send(bindRequest)])
        #expect(conversation.login.server(bindResult).session?.failedResumption?.handled == 9)
    }
}

@Suite("EXTERNAL, PLAIN and guessed bindings")
struct OtherMechanismTests {
    private func failure(_ condition: String) -> String { "<failure \(sasl)><\(condition)/></failure>" }

    @Test("EXTERNAL sends an empty answer as an equals sign, and its success needs no word (B046)")
    func external() throws {
        for success in ["<success \(sasl)/>", "<success \(sasl)>=</success>", "<success \(sasl)> = </success>"] {
            var login = try Login(password: "")
            login.secure(ChannelSecurity(tlsVersion: 0x0304, showedCertificate: true))
            #expect(
                login.server(mechanisms("SCRAM-SHA-1", "EXTERNAL"))
                    == [send("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='EXTERNAL'>=</auth>")])
            #expect(login.server(success).contains(.resetParser))
        }
        var sasl2 = try Login(password: "")
        sasl2.secure(ChannelSecurity(tlsVersion: 0x0304, showedCertificate: true))
        let sent = sasl2.server(
            "<stream:features><authentication xmlns='urn:xmpp:sasl:2'><mechanism>EXTERNAL</mechanism></authentication>"
                + "</stream:features>"
        ).sent
        #expect(sent == "<authenticate xmlns='urn:xmpp:sasl:2' mechanism='EXTERNAL'><initial-response/></authenticate>")
    }

    @Test("a server that wants to know whose certificate it is is told, and the password follows where there is one")
    func externalRefused() throws {
        let shown = ChannelSecurity(tlsVersion: 0x0304, showedCertificate: true)
        var login = try Login()
        login.secure(shown)
        _ = login.server(mechanisms("SCRAM-SHA-1", "EXTERNAL"))
        let address = Base64.encode(Array("alice@gate.test".utf8))
        #expect(login.server(failure("invalid-authzid")).sent.hasSuffix("mechanism='EXTERNAL'>\(address)</auth>"))
        #expect(login.server(failure("not-authorized")).sent.contains("mechanism='SCRAM-SHA-1'"))
        var alone = try Login(password: "")
        alone.secure(shown)
        _ = alone.server(mechanisms("EXTERNAL"))
        let end = alone.server(failure("not-authorized"))
        #expect(end.error?.condition == "not-authorized" && end.error?.retry == .park)
    }

    @Test("PLAIN is sent only where it is allowed, and its success needs no word (B046)")
    func plain() throws {
        for (success, fine) in [("", true), ("=", true), (" = ", true), ("====", false), ("a=", false)] {
            var login = try Login { $0.allowsPlain = true }
            login.secure()
            #expect(
                login.server(mechanisms("PLAIN")).sent
                    == "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>AGFsaWNlAHB3</auth>")
            let actions = login.server("<success \(sasl)>\(success)</success>")
            #expect((actions.error == nil) == fine)
            #expect(fine || actions.error?.code == .malformedChallenge)
        }
        for password in ["", "a\u{0}b"] {
            var login = try Login(password: password) { $0.allowsPlain = true }
            login.secure()
            #expect(login.server(mechanisms("PLAIN")).error?.code == .passwordUnusable)
        }
        var asked = try Login { $0.allowsPlain = true }
        asked.secure()
        _ = asked.server(mechanisms("PLAIN"))
        #expect(asked.server("<challenge \(sasl)/>").error?.code == .unexpected)
    }

    @Test("what a login teaches is remembered: PLAIN nothing, EXTERNAL and SCRAM that they were used")
    func memory() throws {
        var plain = try Login { $0.allowsPlain = true }
        plain.secure()
        _ = plain.server(mechanisms("PLAIN"))
        _ = plain.server("<success \(sasl)/>")
        _ = plain.server(serverHeader + "<stream:features>\(bindFeature)</stream:features>")
        #expect(plain.server(bindResult).session?.login == LoginReport(mechanism: "PLAIN"))
        var external = try Login { $0.memory.usedAnnouncedBinding = false }
        external.secure(ChannelSecurity(showedCertificate: true))
        _ = external.server(mechanisms("EXTERNAL"))
        _ = external.server("<success \(sasl)/>")
        _ = external.server(serverHeader + "<stream:features>\(bindFeature)</stream:features>")
        let report = try #require(external.server(bindResult).session).login
        #expect(report.memory == LoginMemory(usedStrongMechanism: true))
    }

    @Test("a guessed tls-unique that is refused is followed by the plain form with n, once (ejabberd, Prosody)")
    func guess() throws {
        var login = try Login()
        login.secure(ChannelSecurity(tlsVersion: 0x0303, bindings: [.unique: [1, 2, 3]]))
        let first = login.server(mechanisms("PLAIN", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"))
        #expect(first.sent.contains("mechanism='SCRAM-SHA-1-PLUS'"))
        #expect(first.saslData?.starts(with: "p=tls-unique,,n=alice,r=".utf8) == true)
        let second = login.server(failure("not-authorized"))
        #expect(second.sent.contains("mechanism='SCRAM-SHA-1'"))
        #expect(second.saslData?.starts(with: "n,,n=alice,r=".utf8) == true)
        #expect(second.saslData?.suffix(20) != first.saslData?.suffix(20), "another nonce")
        let end = login.server(failure("not-authorized"))
        #expect(end.error?.condition == "not-authorized" && end.error?.retry == .park)
        var required = try Login { $0.requiresChannelBinding = true }
        required.secure(ChannelSecurity(tlsVersion: 0x0303, bindings: [.unique: [1, 2, 3]]))
        _ = required.server(mechanisms("SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"))
        #expect(required.server(failure("not-authorized")).error?.retry == .park)
    }

    @Test("a refusal while keys are derived is final: they would be taken for those of the next try")
    func refusedWhileDeriving() throws {
        var login = try Login()
        login.secure()
        _ = login.server(mechanisms("SCRAM-SHA-1", "SCRAM-SHA-256"))
        let nonce = Base64.encode(Base64.decode("6yoz5xYciZAEw4ZoKIJEzyqL") ?? [])
        let challenge = Base64.encode(Array("r=\(nonce)Z,s=QUJD,i=4096".utf8))
        guard case .derive = login.server("<challenge \(sasl)>\(challenge)</challenge>").first else {
            return #expect(Bool(false))
        }
        #expect(login.server(failure("mechanism-too-weak")).error?.condition == "mechanism-too-weak")
    }

    @Test("direct TLS begins with the header of a stream that is secured (XEP-0368)")
    func directTLS() throws {
        var login = try Login()
        let header = login.negotiation.securedDirectly(ChannelSecurity(tlsVersion: 0x0304, bindings: [.exporter: [1]]))
        #expect(header.sent.contains("from='alice@gate.test'"))
        let actions = login.server(serverHeader + mechanisms("SCRAM-SHA-1"))
        #expect(actions.saslData?.starts(with: "y,,".utf8) == true)
        #expect(login.negotiation.stage == .authenticating)
        #expect(login.negotiation.securedDirectly(ChannelSecurity()).error?.code == .unexpected)
        for var login in [try Login(account: "gate.test"), try Login(nonce: [])] {
            #expect(login.negotiation.securedDirectly(ChannelSecurity()).error?.code == .misconfigured)
        }
    }
}
