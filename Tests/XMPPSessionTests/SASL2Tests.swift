import Testing
import XMPPCore
import XMPPCrypto
import XMPPSession

private let agent = UserAgent(id: "d4565fa7-4d72-4749-b3d3-740edbf87770", software: "Gate", device: "t")
private let bind2 =
    "<bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:carbons:2'/><feature var='urn:xmpp:csi:0'/>"
    + "<feature var='urn:xmpp:sm:3'/></inline></bind>"
private let fast =
    "<fast xmlns='urn:xmpp:fast:0'><mechanism>HT-SHA-256-EXPR</mechanism><mechanism>HT-SHA-256-NONE</mechanism></fast>"
private let inlineSM = "<sm xmlns='urn:xmpp:sm:3'/>"
private let identity = "<authorization-identifier>alice@gate.test/r1~x</authorization-identifier>"
private let bareIdentity = "<authorization-identifier>alice@gate.test</authorization-identifier>"
private let bound = "<bound xmlns='urn:xmpp:bind:0'/>"
private let boundWithSM =
    "<bound xmlns='urn:xmpp:bind:0'><enabled xmlns='urn:xmpp:sm:3' id='s1' resume='true' max='300' location='h:1'/></bound>"
private let token = "<token xmlns='urn:xmpp:fast:0' token='secret-token:1' expiry='2026-12-21T06:08:07Z'/>"

/// A login with an honest server that offers these things inline.
private func talk(
    inline: String, result: String, configure: (inout StreamNegotiation.Configuration) -> Void = { _ in }
) throws -> Conversation {
    var server = HonestServer(usesSASL2: true)
    (server.inline, server.result) = (inline, result)
    return Conversation(server, try Login(configure: configure))
}

@Suite("SASL2, Bind2 and stream management with the login")
struct SASL2Tests {
    @Test("everything that is listed is asked for, in one element, and nothing else")
    func request() throws {
        var all = try talk(inline: bind2 + fast + inlineSM, result: bound + identity) {
            $0.userAgent = agent
            $0.resumption = ResumptionRequest(id: "old", inbound: 7)
        }
        _ = all.run()
        #expect(
            all.sent.contains(
                "</initial-response><user-agent id='d4565fa7-4d72-4749-b3d3-740edbf87770'><software>Gate</software>"
                    + "<device>t</device></user-agent><request-token xmlns='urn:xmpp:fast:0' mechanism='HT-SHA-256-EXPR'/>"
                    + "<resume xmlns='urn:xmpp:sm:3' h='7' previd='old'/><bind xmlns='urn:xmpp:bind:0'><tag>r1</tag>"
                    + "<enable xmlns='urn:xmpp:sm:3' resume='true'/></bind></authenticate>"))
        #expect(!all.sent.contains("carbons") && !all.sent.contains("csi"))
        var none = try talk(inline: "", result: bareIdentity) {
            $0.userAgent = agent
            $0.resumption = ResumptionRequest(id: "old", inbound: 7)
        }
        _ = none.run()
        for word in ["<bind", "<resume", "<request-token", "<enable"] { #expect(!none.sent.contains(word)) }
        var anonymous = try talk(inline: fast, result: bareIdentity)
        _ = anonymous.run()
        #expect(!anonymous.sent.contains("user-agent"))
        #expect(!anonymous.sent.contains("request-token"), "a token needs the id of who uses it (XEP-0484)")
        var unnamed = try talk(inline: bind2, result: bound + identity) { $0.resource = nil }
        _ = unnamed.run()
        #expect(unnamed.sent.contains("<bind xmlns='urn:xmpp:bind:0'><enable "))
    }

    @Test(
        "the children of success come in any order",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func order(indices: [Int]) throws {
        let parts = [boundWithSM, token, identity]
        var conversation = try talk(
            inline: bind2 + fast, result: indices.map { parts[$0] }.joined()
        ) { $0.userAgent = agent }
        let actions = conversation.run()
        let session = try #require(actions.session)
        #expect(session.jid.description == "alice@gate.test/r1~x")
        #expect(
            session.streamManagement == StreamManagementStart(id: "s1", location: "h:1", maximum: 300))
        #expect(session.token?.mechanism == "HT-SHA-256-EXPR")
        #expect(session.token?.token.bytes == Array("secret-token:1".utf8))
        #expect(session.token?.expiry == "2026-12-21T06:08:07Z")
        #expect(session.awaitsFeatures)
        #expect(session.failedResumption == nil)
        #expect(
            session.login
                == LoginReport(
                    mechanism: "SCRAM-SHA-512-PLUS", channelBinding: .exporter, usedSASL2: true,
                    memory: LoginMemory(usedStrongMechanism: true, usedAnnouncedBinding: true)))
        // No new stream, no second binding: the features that follow are for whoever reads the stream.
        #expect(!conversation.sent.contains("<iq") && !conversation.sent.contains("stream:stream"))
        #expect(actions.contains(.raiseLimits) && !actions.contains(.resetParser))
        #expect(conversation.login.server("<stream:features>\(bindFeature)</stream:features>") == [])
        #expect(conversation.login.negotiation.stage == .established)
    }

    @Test("observers are told what was offered, chosen and reached")
    func steps() throws {
        var conversation = try talk(inline: bind2 + fast, result: bound + identity)
        _ = conversation.run()
        #expect(
            conversation.login.steps == [
                .offered(isSecured: false, sasl2: false, mechanisms: [], bindings: nil, inline: []),
                .offered(
                    isSecured: true, sasl2: true, mechanisms: conversation.server.mechanisms,
                    bindings: ["tls-server-end-point", "tls-exporter"], inline: ["urn:xmpp:bind:0", "urn:xmpp:fast:0"]),
                .chose(mechanism: "SCRAM-SHA-512-PLUS", binding: "tls-exporter", sasl2: true),
                .authenticated(mechanism: "SCRAM-SHA-512-PLUS", binding: "tls-exporter", sasl2: true),
            ])
    }

    @Test("without stream management in the answer it can be enabled afterwards")
    func notEnabled() throws {
        for answer in [bound, "<bound xmlns='urn:xmpp:bind:0'><failed xmlns='urn:xmpp:sm:3'/></bound>"] {
            var conversation = try talk(inline: bind2, result: answer + identity)
            let session = try #require(conversation.run().session)
            #expect(session.streamManagement == nil)
            #expect(session.awaitsFeatures)
        }
        let answer = "<bound xmlns='urn:xmpp:bind:0'><enabled xmlns='urn:xmpp:sm:3' id='x'/></bound>"
        var short = try talk(inline: bind2, result: answer + identity)
        #expect(short.run().session?.streamManagement == StreamManagementStart(), "not to be resumed")
    }

    @Test("what the server does not do with the login is done behind it, without a new stream")
    func withoutInline() throws {
        for inline in ["", bind2] {
            // A request that is not known is ignored.
            var conversation = try talk(inline: inline, result: bareIdentity)
            let actions = conversation.run()
            #expect(actions.error == nil && actions.session == nil)
            #expect(conversation.login.negotiation.stage == .binding)
            let more = conversation.login.server("<stream:features>\(bindFeature)</stream:features>")
            #expect(more.sent.contains("<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>r1</resource></bind>"))
            let end = conversation.login.server(bindResult)
            #expect(end.session?.jid.resource == "r1")
            #expect(end.session?.awaitsFeatures == false)
            #expect(end.session?.login.usedSASL2 == true)
        }
    }

    @Test("a session of before goes on with the login (XEP-0198 section 9)")
    func resumed() throws {
        var conversation = try talk(
            inline: bind2 + inlineSM + fast,
            result: "<resumed xmlns='urn:xmpp:sm:3' h='4294967295' previd='old'/>" + token + bareIdentity
        ) {
            $0.resumption = ResumptionRequest(id: "old", inbound: 7)
            $0.userAgent = agent
        }
        let actions = conversation.run()
        guard case .resumed(let session) = actions.last else { return #expect(Bool(false)) }
        #expect(session.handled == 4_294_967_295)
        #expect(session.token?.mechanism == "HT-SHA-256-EXPR")
        #expect(session.login.mechanism == "SCRAM-SHA-512-PLUS")
        #expect(conversation.login.negotiation.stage == .established)
    }

    @Test(
        "a resumption that is refused, ignored or impossible leaves a new session",
        arguments: [
            (inlineSM, "<failed xmlns='urn:xmpp:sm:3' h='12'><item-not-found/></failed>", 12),
            (inlineSM, "<failed xmlns='urn:xmpp:sm:3'/>", nil),
            (inlineSM, "<failed xmlns='urn:xmpp:sm:3' h='-1'/>", nil),
            (inlineSM, "", nil), ("", "", nil),
        ] as [(String, String, UInt32?)]
    )
    func failedResumption(offer: String, answer: String, handled: UInt32?) throws {
        var conversation = try talk(inline: bind2 + offer, result: answer + bound + identity) {
            $0.resumption = ResumptionRequest(id: "old", inbound: 7)
        }
        let session = try #require(conversation.run().session)
        #expect(session.failedResumption == FailedResumption(handled: handled))
    }

    @Test(
        "a resumption that is not the one asked for is none",
        arguments: [
            "<resumed xmlns='urn:xmpp:sm:3' h='1' previd='other'/>", "<resumed xmlns='urn:xmpp:sm:3' h='1'/>",
            "<resumed xmlns='urn:xmpp:sm:3' previd='old'/>", "<resumed xmlns='urn:xmpp:sm:3' h='x' previd='old'/>",
            "<resumed xmlns='urn:xmpp:sm:3' h='4294967296' previd='old'/>",
            "<resumed xmlns='urn:xmpp:sm:3' h='1' previd='old'/>" + bound,
        ]
    )
    func wrongResumption(answer: String) throws {
        var conversation = try talk(inline: bind2 + inlineSM, result: answer + identity) {
            $0.resumption = ResumptionRequest(id: "old", inbound: 7)
        }
        let actions = conversation.run()
        #expect(actions.error?.code == .unexpected)
    }

    @Test("conditions are read with and without their own namespace")
    func conditions() throws {
        for namespace in [" \(sasl)", ""] {
            var login = try Login()
            login.secure()
            _ = login.server(
                "<stream:features><authentication xmlns='urn:xmpp:sasl:2'><mechanism>SCRAM-SHA-1</mechanism>"
                    + "</authentication></stream:features>")
            let actions = login.server(
                "<failure xmlns='urn:xmpp:sasl:2'><account-disabled\(namespace)/><text>x</text></failure>")
            #expect(actions.error?.condition == "account-disabled")
            #expect(actions.sent == "</stream:stream>")
        }
    }

    @Test("an empty list of SASL2 gives way to the other list")
    func emptyList() throws {
        var login = try Login()
        login.secure()
        let sent = login.server(
            "<stream:features><authentication xmlns='urn:xmpp:sasl:2'/><mechanisms \(sasl)><mechanism>SCRAM-SHA-1"
                + "</mechanism></mechanisms></stream:features>"
        ).sent
        #expect(sent.hasPrefix("<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='SCRAM-SHA-1'>"))
    }
}

let bindFeature = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
let bindResult =
    "<iq id='bind' type='result'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>alice@gate.test/r1</jid></bind></iq>"
