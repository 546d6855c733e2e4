import Testing
import XMPPCore

@testable import XMPPSession

@Suite("Redirections and stream errors")
struct RedirectionTests {
    @Test(
        "what stands in see-other-host is read strictly (RFC 6120 section 4.9.3.19)",
        arguments: [
            ("xmpp.example.org", "xmpp.example.org", nil), ("xmpp.example.org:9222", "xmpp.example.org", 9222),
            ("XMPP.Example.org:1", "xmpp.example.org", 1), ("b\u{FC}cher.example:5222", "xn--bcher-kva.example", 5222),
            ("[2001:41D0:1:A49b::1]:9222", "2001:41d0:1:a49b::1", 9222), ("[::1]", "::1", nil),
            ("192.0.2.1:5222", "192.0.2.1", 5222),
            ("a.example:65535", "a.example", 65535), ("a.example:65536", nil, nil), ("a.example:0", nil, nil),
            ("a.example:05222", nil, nil), ("a.example:", nil, nil), ("a.example:+1", nil, nil),
            ("a.example:5222x", nil, nil),
            ("a.example: 5222", nil, nil), (" a.example", nil, nil), ("a.example\n", nil, nil), ("", nil, nil),
            (":5222", nil, nil),
            ("2001:db8::1", nil, nil), ("[2001:db8::1", nil, nil), ("[2001:db8::1]x", nil, nil), ("[]:1", nil, nil),
            ("[a.example]", nil, nil), ("user@a.example", nil, nil), ("a.example/r", nil, nil),
            ("a.example:1:2", nil, nil),
            ("a b", nil, nil), ("\u{0}", nil, nil), ("-a.example", nil, nil), ("a.example:\u{661}", nil, nil),
            ("[::1]]:1", nil, nil),
        ] as [(String, String?, UInt16?)]
    )
    func parsing(text: String, host: String?, port: UInt16?) {
        #expect(Redirection(text) == host.map { Redirection(host: $0, port: port) })
    }

    @Test("a redirection counts behind TLS only, and only where it says where to (security B5)")
    func redirect() throws {
        let xml = { (host: String) in
            "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>\(host)</see-other-host></stream:error>"
        }
        var clear = try Login()
        _ = clear.negotiation.connected()
        _ = clear.server(serverHeader)
        let before = clear.server(xml("evil.example:5222")).error
        #expect(before?.redirect == nil && before?.retry == .retry && before?.condition == "see-other-host")
        var secured = try Login()
        secured.secure()
        let behind = secured.server(xml("other.example:5222")).error
        #expect(behind?.redirect == Redirection(host: "other.example", port: 5222))
        #expect(behind?.retry == .retry)
        var nonsense = try Login()
        nonsense.secure()
        let nowhere = nonsense.server(xml("no where")).error
        #expect(nowhere?.redirect == nil && nowhere?.retry == .retry)
        var error = StreamError(.seeOtherHost)
        error.otherHost = "a.example"
        #expect(SessionError.streamError(error).redirect?.host == "a.example")
        #expect(StreamError(error.element)?.otherHost == "a.example")
        #expect(StreamError(StreamError(.conflict).element)?.otherHost == nil)
    }

    @Test("every stream error of RFC 6120 has its row, and before TLS none parks", arguments: StreamError.Condition.all)
    func table(condition: StreamError.Condition) throws {
        let row = try #require(StreamErrorAdvice.table[condition])
        let error = SessionError.streamError(StreamError(condition))
        #expect(error.retry == row.retry)
        #expect(error.description.contains(condition.name))
        #expect(SessionError.streamError(StreamError(condition), isSecured: false).retry == .retry)
        #expect(StreamErrorAdvice.table.count == StreamError.Condition.all.count)
    }

    @Test("what a server says to all its sessions at once is told from what is one session's (B063)")
    func concernsServer() {
        let all: Set<StreamError.Condition> = [
            .systemShutdown, .reset, .resourceConstraint, .internalServerError, .connectionTimeout,
            .remoteConnectionFailed,
        ]
        for condition in StreamError.Condition.all {
            let error = SessionError.streamError(StreamError(condition))
            #expect(error.concernsServer == all.contains(condition), "\(condition.name)")
        }
        let others: [(SessionError, Bool)] = [
            (.authenticationFailed(.temporaryAuthFailure), true), (.authenticationFailed(.notAuthorized), false),
            (.authenticationFailed(.aborted), false), (.bindFailed(StanzaError(.resourceConstraint)), true),
            (.bindFailed(StanzaError(.conflict)), false), (.bindFailed(StanzaError(.notAllowed)), false),
            (.closedByServer, true), (.tlsNotOffered, true), (.tlsRefused, true), (.plaintextAfterStartTLS, true),
            (.malformedStream(StreamError(.notWellFormed)), false), (.serverNotAuthenticated, false),
        ]
        for (error, isOfServer) in others { #expect(error.concernsServer == isOfServer, "\(error)") }
    }

    @Test("after a conflict the same resource is never asked for again (B056)")
    func conflict() {
        #expect(SessionError.streamError(StreamError(.conflict)).retry == .retryWithNewResource)
        #expect(SessionError.bindFailed(StanzaError(.conflict)).retry == .retryWithNewResource)
    }
}
