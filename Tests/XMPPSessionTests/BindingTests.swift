import Testing
import XMPPCore
import XMPPSession

@Suite("Resource binding and the end of streams")
struct BindingTests {
    static let bindFeatures = "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></stream:features>"

    private func result(_ jid: String, id: String = "bind") -> String {
        "<iq id='\(id)' type='result'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>\(jid)</jid></bind></iq>"
    }

    @Test("without a resource the server chooses, and its word counts")
    func serverChooses() throws {
        var login = try Login(resource: nil)
        login.logIn()
        #expect(
            login.server(Self.bindFeatures).sent
                == "<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>"
        )
        guard case .established(let session) = login.server(result("Alice2@gate.test/x/y")).last else {
            return #expect(Bool(false))
        }
        #expect(session.jid.description == "alice2@gate.test/x/y")
        #expect(session.features.first("sub", Namespace.preApproval) == nil)
    }

    @Test(
        "an address that is not one of ours is refused",
        arguments: [
            "alice@gate.test", "gate.test/x", "alice@evil.test/x", "", "@", "alice@gate.test/",
        ]
    )
    func foreignAddress(jid: String) throws {
        var login = try Login()
        login.logIn()
        _ = login.server(Self.bindFeatures)
        #expect(login.server(result(jid)).error?.code == .unexpected)
    }

    @Test(
        "no answer to the binding but its own is taken",
        arguments: [
            "<iq id='bind' type='result'/>", "<iq id='bind' type='get'><a/></iq>", "<iq id='other' type='result'/>",
            "<iq type='result'/>", "<message/>", "<presence/>", "<stream:features/>", "<success \(sasl)/>",
        ]
    )
    func otherAnswers(xml: String) throws {
        var login = try Login()
        login.logIn()
        _ = login.server(Self.bindFeatures)
        #expect(login.server(xml).error?.code == .unexpected)
    }

    @Test(
        "a refused binding is retried or not (B056)",
        arguments: [
            (
                "<error type='modify'><conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>", "conflict",
                SessionError.RetryAdvice.retryWithNewResource
            ),
            (
                "<error type='wait'><resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
                "resource-constraint", .retry
            ),
            (
                "<error type='cancel'><not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
                "not-allowed", .park
            ),
            (
                "<error type='modify'><bad-request xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
                "bad-request", .park
            ),
            (
                "<error type='cancel'><internal-server-error xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
                "internal-server-error", .retry
            ),
            (
                "<error type='cancel'><resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
                "resource-constraint", .retry
            ),
            ("", "undefined-condition", .park),
        ]
    )
    func refused(xml: String, condition: String, retry: SessionError.RetryAdvice) throws {
        var login = try Login()
        login.logIn()
        _ = login.server(Self.bindFeatures)
        let actions = login.server("<iq type='error' id='bind'>\(xml)</iq>")
        #expect(actions.error?.code == .bindFailed)
        #expect(actions.error?.condition == condition)
        #expect(actions.error?.retry == retry)
    }

    @Test("features without binding end the login")
    func noBinding() throws {
        var login = try Login()
        login.logIn()
        #expect(login.server("<stream:features/>").error?.code == .unexpected)
    }

    @Test("the old session request is made only where it is asked for without <optional/>")
    func oldSession() throws {
        let features =
            "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
            + "<session xmlns='urn:ietf:params:xml:ns:xmpp-session'/></stream:features>"
        var login = try Login()
        login.logIn()
        _ = login.server(features)
        #expect(
            login.server(result("alice@gate.test/r1"))
                == [send("<iq type='set' id='session'><session xmlns='urn:ietf:params:xml:ns:xmpp-session'/></iq>")]
        )
        guard case .established(let session) = login.server("<iq type='result' id='session'/>").first else {
            return #expect(Bool(false))
        }
        #expect(session.jid.resource == "r1")
        var refused = try Login()
        refused.logIn()
        _ = refused.server(features)
        _ = refused.server(result("alice@gate.test/r1"))
        #expect(refused.server("<iq type='error' id='session'/>").error?.code == .bindFailed)
    }

    @Test(
        "a stream error is retried or not, at any stage",
        arguments: [
            ("conflict", SessionError.RetryAdvice.retryWithNewResource), ("host-unknown", .park), ("host-gone", .park),
            ("not-authorized", .park), ("see-other-host", .retry), ("system-shutdown", .retry), ("reset", .retry),
            ("connection-timeout", .retry), ("resource-constraint", .retry), ("internal-server-error", .retry),
            ("policy-violation", .retry), ("undefined-condition", .retry), ("unsupported-version", .park),
            ("invalid-from", .park), ("not-well-formed", .retry),
        ]
    )
    func streamErrors(condition: String, retry: SessionError.RetryAdvice) throws {
        let xml =
            "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
            + "<text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>do not show</text></stream:error>"
        for stage in 0..<6 {
            var login = try Login()
            switch stage {
            case 0:
                _ = login.negotiation.connected()
                _ = login.server(serverHeader)
            case 1: login.secure()
            case 2: login.prove()
            case 3: login.logIn()
            case 4:
                login.logIn()
                _ = login.server(Self.bindFeatures)
            case _:
                login.logIn()
                _ = login.server(Self.bindFeatures)
                _ = login.server(result("alice@gate.test/r1"))
            }
            let error = login.server(xml).error
            #expect(error?.code == .streamError, "stage \(stage)")
            // In clear anybody on the way could park an account with one packet.
            #expect(error?.retry == (stage == 0 ? .retry : retry))
            #expect(error?.condition == condition)
            #expect(error?.streamError?.condition.name == condition)
            #expect(error?.description.contains("do not show") == false)
            #expect(login.negotiation.stage == .failed)
            #expect(login.server("</stream:stream>") == [])
        }
    }

    @Test("a stream that ends or breaks during the login says so (B045)")
    func ends() throws {
        for text in ["</stream:stream>", "<!-"] {
            var login = try Login()
            login.prove()
            let actions = login.server(text)
            #expect(actions.error?.code == (text == "<!-" ? .malformedStream : .closedByServer))
            #expect(actions.error?.retry == .retry)
            let told = text == "<!-" ? StreamFaultTests.told(.restrictedXML) : "</stream:stream>"
            #expect(actions.sent == told)
        }
    }

    @Test(
        "a header must be one of XMPP 1.0, by two numbers and nothing that only reads as such",
        arguments: [
            ("1.0", true), ("1.1", true), ("2.0", true), ("01.0", true), ("0.9", false), (nil, false), ("1", false),
            ("", false), ("1.x", false), ("1.0.0", false), ("-1.0", false), ("99999999999999999999.0", true),
            ("1.99999999999999999999", true), ("01.00", true), ("10.0", true), ("+1.+0", false), ("1.+0", false),
            ("1.-0", false), ("00.9", false), ("1.", false), (".0", false), (" 1.0", false), ("1.0 ", false),
            ("1,0", false), ("0x1.0", false), ("1e1.0", false), ("\u{661}.\u{660}", false), ("\u{FF11}.0", false),
        ] as [(String?, Bool)]
    )
    func versions(version: String?, fine: Bool) throws {
        var login = try Login()
        _ = login.negotiation.connected()
        let attribute = version.map { " version='\($0)'" } ?? ""
        let actions = login.server(
            "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'\(attribute)>"
        )
        #expect((actions.error == nil) == fine)
    }

    @Test(
        "a root that is no stream ends the connection",
        arguments: [
            "<html>", "<stream>", "<stream xmlns='jabber:client'>",
            "<stream:features xmlns:stream='http://etherx.jabber.org/streams'>",
        ]
    )
    func foreignRoots(xml: String) throws {
        var login = try Login()
        _ = login.negotiation.connected()
        #expect(login.server(xml).error?.code == .unexpected)
    }
}
