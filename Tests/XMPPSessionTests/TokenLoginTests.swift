import Testing
import XMPPCore
import XMPPCrypto
import XMPPSession

private let known = "secret-token:fast--OnqWlFrBqnpemZajRhagiFiKG_uqGbQtWcS"

/// Features with these token mechanisms; the password mechanisms are SCRAM-SHA-1, and -PLUS where types are announced.
private func features(_ tokens: [String], types: [String] = []) -> String {
    let names = ["SCRAM-SHA-1"] + (types.isEmpty ? [] : ["SCRAM-SHA-1-PLUS"])
    let announced =
        types.isEmpty
        ? ""
        : "<sasl-channel-binding xmlns='urn:xmpp:sasl-cb:0'>" + types.map { "<channel-binding type='\($0)'/>" }.joined()
            + "</sasl-channel-binding>"
    return "<stream:features><authentication xmlns='urn:xmpp:sasl:2'>"
        + names.map { "<mechanism>\($0)</mechanism>" }.joined()
        + "<inline><bind xmlns='urn:xmpp:bind:0'/><fast xmlns='urn:xmpp:fast:0' tls-0rtt='true'>"
        + tokens.map { "<mechanism>\($0)</mechanism>" }.joined()
        + "</fast></inline></authentication>\(announced)</stream:features>"
}

@Suite("Login by token with SASL2 (FAST)")
struct TokenLoginTests {
    private let security = ChannelSecurity(
        tlsVersion: 0x0304, bindings: [.exporter: Array(0...31), .serverEndPoint: [2]])

    private func login(
        _ mechanism: String?, configure: (inout StreamNegotiation.Configuration) -> Void = { _ in }
    ) throws -> Login {
        var login = try Login { configuration in
            configuration.userAgent = UserAgent(id: "u")
            configuration.token = mechanism.map { FASTToken(mechanism: $0, token: Secret(known), expiry: "") }
            configure(&configuration)
        }
        login.secure(security)
        return login
    }

    private func success(_ proof: String, _ more: String = "") -> String {
        "<success xmlns='urn:xmpp:sasl:2'>\(more)<additional-data>\(proof)</additional-data>"
            + "<bound xmlns='urn:xmpp:bind:0'/>"
            + "<authorization-identifier>alice@gate.test/r~1</authorization-identifier></success>"
    }

    private let proofOfNone = "gkKdwaD9RDS6/1D3yA+BCZo6qYVbDJJ9o6VlD3JyC/k="

    @Test("one round trip from the features to the session, as recorded with Prosody")
    func recorded() throws {
        var login = try login("HT-SHA-256-NONE")
        #expect(
            login.server(features(["HT-SHA-256-NONE"])).sent
                == "<authenticate xmlns='urn:xmpp:sasl:2' mechanism='HT-SHA-256-NONE'><initial-response>"
                + "YWxpY2UAbXT/xGxNN2IXZ9yFe0r0v2RaWCvKDlQPgLNyl9es9ZI=</initial-response><user-agent id='u'><software>"
                + "Doorward</software></user-agent><fast xmlns='urn:xmpp:fast:0'/><bind xmlns='urn:xmpp:bind:0'>"
                + "<tag>r1</tag></bind></authenticate>")
        let session = try #require(login.server(success(proofOfNone)).session)
        #expect(session.login == LoginReport(mechanism: "HT-SHA-256-NONE", usedSASL2: true, usedToken: true))
        #expect(session.token == nil)
    }

    @Test("a token that comes with the login is for the mechanism of the one that was used")
    func rotated() throws {
        var login = try login("HT-SHA-256-NONE")
        _ = login.server(features(["HT-SHA-256-NONE"]))
        let token = "<token xmlns='urn:xmpp:fast:0' token='next' expiry='2027-01-01T00:00:00Z'/>"
        let session = try #require(login.server(success(proofOfNone, token)).session)
        #expect(session.token?.mechanism == "HT-SHA-256-NONE")
        #expect(session.token?.token.bytes == Array("next".utf8))
    }

    @Test(
        "a server that does not prove that it knows the token is not believed",
        arguments: [
            "", "=", "AAAA", "gkKdwaD9RDS6/1D3yA+BCZo6qYVbDJJ9o6VlD3JyC/g=",
            "bXT/xGxNN2IXZ9yFe0r0v2RaWCvKDlQPgLNyl9es9ZI=",
            "?",
        ]
    )
    func noProof(data: String) throws {
        var login = try login("HT-SHA-256-NONE")
        _ = login.server(features(["HT-SHA-256-NONE"]))
        let actions = login.server(success(data))
        #expect(actions.error == .tokenNotProved)
        #expect(actions.error?.code == .serverNotAuthenticated)
        // It may have the token from us: it is not shown again.
        #expect(actions.contains(.forgetToken))
        var silent = try self.login("HT-SHA-256-NONE")
        _ = silent.server(features(["HT-SHA-256-NONE"]))
        let silence = silent.server("<success xmlns='urn:xmpp:sasl:2'/>")
        #expect(silence.error == .tokenNotProved)
        #expect(silence.contains(.forgetToken))
    }

    @Test(
        "a token is used where the server takes it, it can be bound here, and nothing better could be had",
        arguments: [
            ("HT-SHA-256-EXPR", ["HT-SHA-256-EXPR"], true),
            ("HT-SHA-256-ENDP", ["HT-SHA-256-EXPR", "HT-SHA-256-ENDP"], true),
            ("HT-SHA-256-UNIQ", ["HT-SHA-256-UNIQ"], false), ("HT-SHA-256-NONE", ["HT-SHA-256-NONE"], true),
            ("HT-SHA-256-NONE", ["HT-SHA-256-EXPR", "HT-SHA-256-NONE"], false),
            ("HT-SHA-256-NONE", ["HT-SHA-256-UNIQ", "HT-SHA-256-NONE"], true),
            ("HT-SHA-256-EXPR", ["HT-SHA-256-NONE"], false), ("HT-SHA-256-EXPR", [], false), ("X", ["X"], false),
        ]
    )
    func use(mechanism: String, offered: [String], used: Bool) throws {
        var login = try login(mechanism)
        let sent = login.server(features(offered)).sent
        #expect(sent.contains("mechanism='\(mechanism)'><initial-response>") == used)
        #expect(sent.contains("<fast ") == used)
        #expect(sent.contains("mechanism='SCRAM-SHA-1'") != used)
        // Without the id of who got it, it is no use.
        var nobody = try self.login(mechanism) { $0.userAgent = nil }
        #expect(nobody.server(features(offered)).sent.contains("mechanism='SCRAM-SHA-1'"))
    }

    @Test(
        "a token is asked for with the best mechanism that can be bound here",
        arguments: [
            (["HT-SHA-256-NONE", "HT-SHA-256-ENDP", "HT-SHA-256-EXPR"], false, "HT-SHA-256-EXPR"),
            (["HT-SHA-256-EXPR", "HT-SHA-512-EXPR"], false, "HT-SHA-512-EXPR"),
            (["HT-SHA-512-NONE", "HT-SHA-256-ENDP"], false, "HT-SHA-256-ENDP"),
            (["HT-SHA-256-UNIQ", "HT-SHA-256-NONE"], false, "HT-SHA-256-NONE"), (["HT-SHA-256-UNIQ"], false, nil),
            (["HT-SHA-256-NONE"], true, nil), (["HT-SHA3-512-EXPR"], false, nil), ([], false, nil),
        ] as [([String], Bool, String?)]
    )
    func request(offered: [String], needsBinding: Bool, asked: String?) throws {
        var login = try login(nil) { $0.memory.usedAnnouncedBinding = needsBinding }
        let sent = login.server(features(offered, types: ["tls-exporter"])).sent
        #expect(sent.contains("mechanism='SCRAM-SHA-1-PLUS'"))
        #expect(sent.contains("<request-token") == (asked != nil))
        if let asked { #expect(sent.contains("<request-token xmlns='urn:xmpp:fast:0' mechanism='\(asked)'/>")) }
    }

    @Test("an account that has been bound to its channel uses no token that is not")
    func boundAccount() throws {
        for required in [false, true] {
            var login = try login("HT-SHA-256-NONE") {
                $0.requiresChannelBinding = required
                $0.memory.usedAnnouncedBinding = !required
            }
            let sent = login.server(features(["HT-SHA-256-NONE"], types: ["tls-exporter"])).sent
            #expect(sent.contains("mechanism='SCRAM-SHA-1-PLUS'"))
        }
    }

    @Test("what an account remembers of its server holds for a login by token too")
    func memory() throws {
        let weak =
            "<stream:features><authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism><inline>"
            + "<fast xmlns='urn:xmpp:fast:0'><mechanism>HT-SHA-256-NONE</mechanism></fast></inline></authentication>"
            + "</stream:features>"
        var weakened = try login("HT-SHA-256-NONE") { $0.memory.usedStrongMechanism = true }
        let first = weakened.server(weak)
        #expect(first.error?.code == .loginWeakened)
        #expect(!first.sent.contains("authenticate"))
        // Bound by itself, but the server has lost what it announced.
        var lost = try login("HT-SHA-256-EXPR") { $0.memory.usedAnnouncedBinding = true }
        let second = lost.server(features(["HT-SHA-256-EXPR"]))
        #expect(second.error?.code == .bindingLost)
        #expect(!second.sent.contains("authenticate"))
        // Who logs in by token only has no password to fall back to, and needs none.
        var alone = try login("HT-SHA-256-NONE") {
            $0.memory.usedStrongMechanism = true
            $0.password = Secret([])
        }
        #expect(alone.server(features(["HT-SHA-256-NONE"])).sent.contains("mechanism='HT-SHA-256-NONE'"))
    }

    @Test("a login that is only tried asks for nothing that stays with the server")
    func trial() throws {
        var login = try login(nil) { $0.leavesNothing = true }
        let all = features(["HT-SHA-256-EXPR"], types: ["tls-exporter"]).replacing(
            "<bind xmlns='urn:xmpp:bind:0'/>",
            with: "<bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:sm:3'/></inline></bind>")
        let sent = login.server(all).sent
        #expect(sent.contains("<bind "))
        #expect(!sent.contains("request-token") && !sent.contains("<enable"))
    }

    @Test(
        "a token that is refused is forgotten, and the password does it on the same stream",
        arguments: [
            "not-authorized", "credentials-expired", "invalid-mechanism", "account-disabled", "malformed-request",
        ]
    )
    func refused(condition: String) throws {
        var login = try login("HT-SHA-256-EXPR")
        _ = login.server(features(["HT-SHA-256-EXPR"], types: ["tls-exporter"]))
        let actions = login.server(
            "<failure xmlns='urn:xmpp:sasl:2'><\(condition) \(sasl)/></failure>")
        #expect(actions.first == .forgetToken)
        #expect(actions.sent.contains("mechanism='SCRAM-SHA-1-PLUS'"))
        #expect(actions.sent.contains("<request-token"))
        #expect(!actions.sent.contains("<fast "))
        let end = login.server("<failure xmlns='urn:xmpp:sasl:2'><not-authorized \(sasl)/></failure>")
        #expect(end.error?.condition == "not-authorized")
        #expect(!end.contains(.forgetToken))
    }

    @Test("a token is kept where the server cannot look just now, and forgotten also where nothing else works")
    func kept() throws {
        var busy = try login("HT-SHA-256-EXPR")
        _ = busy.server(features(["HT-SHA-256-EXPR"]))
        let later = busy.server("<failure xmlns='urn:xmpp:sasl:2'><temporary-auth-failure \(sasl)/></failure>")
        #expect(later.error?.retry == .retry && !later.contains(.forgetToken))
        var lost = try login("HT-SHA-256-EXPR") { $0.requiresChannelBinding = true }
        _ = lost.server(features(["HT-SHA-256-EXPR"]))
        let end = lost.server("<failure xmlns='urn:xmpp:sasl:2'><not-authorized \(sasl)/></failure>")
        #expect(end.first == .forgetToken)
        #expect(end.error?.code == .channelBindingUnusable)
    }

    @Test("a token too long to keep, without an end, or not asked for is none")
    func strangeTokens() throws {
        for (agent, token, fine) in [
            (true, "a", true), (true, "", false), (true, String(repeating: "a", count: 1024), true),
            (true, String(repeating: "a", count: 1025), false), (false, "a", false),
        ] {
            var server = HonestServer(usesSASL2: true)
            server.inline =
                "<fast xmlns='urn:xmpp:fast:0'><mechanism>HT-SHA-256-EXPR</mechanism></fast><bind xmlns='urn:xmpp:bind:0'/>"
            server.result += "<token xmlns='urn:xmpp:fast:0' token='\(token)'/>"
            var conversation = Conversation(server, try Login { $0.userAgent = agent ? UserAgent(id: "u") : nil })
            let session = try #require(conversation.run().session)
            #expect((session.token != nil) == fine)
        }
    }

    @Test("a token login is shown nowhere")
    func secrecy() throws {
        var login = try login("HT-SHA-256-NONE")
        let actions = login.server(features(["HT-SHA-256-NONE"]))
        var dumped = "\(login.negotiation)\(actions)"
        dump(login.negotiation, to: &dumped)
        #expect(!dumped.contains("secret-token"))
    }
}
