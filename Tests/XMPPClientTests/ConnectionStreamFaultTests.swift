import Testing
import XMPPClient
import XMPPCore
import XMPPSession
import XMPPTestKit
import XMPPTransport

/// What goes out when the server's stream is broken before there is a session (RFC 6120 sections 4.9.1.1 and 11).
@Suite(.timeLimit(.minutes(1))) struct ConnectionStreamFaultTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let what: String
        let condition: StreamError.Condition
        /// What becomes of a header with features.
        let change: @Sendable (String) -> String

        init(_ what: String, _ condition: StreamError.Condition, _ change: @escaping @Sendable (String) -> String) {
            (self.what, self.condition, self.change) = (what, condition, change)
        }

        /// In the place of the features.
        init(_ what: String, _ condition: StreamError.Condition, element: String) {
            self.init(what, condition) { text in
                text.split(separator: "<stream:features").first.map { String($0) + element } ?? element
            }
        }

        /// In front of the header.
        init(_ what: String, _ condition: StreamError.Condition, declaration: String) {
            self.init(what, condition) { text in
                text.split(separator: "?>", maxSplits: 1).last.map { declaration + String($0) } ?? declaration
            }
        }

        var testDescription: String { what }
    }

    static let kinds = [
        Kind("a DTD", .restrictedXML, declaration: "<?xml version='1.0'?><!DOCTYPE x>"),
        Kind("an instruction", .restrictedXML, declaration: "<?xml version='1.0'?><?x y?>"),
        Kind("another encoding", .unsupportedEncoding, declaration: "<?xml version='1.0' encoding='UTF-16'?>"),
        Kind("a byte order mark", .unsupportedEncoding, declaration: "\u{FEFF}<?xml version='1.0'?>"),
        Kind("a comment", .restrictedXML, element: "<!-- x -->"),
        Kind("a prefix that is not declared", .notWellFormed, element: "<p:x/>"),
        Kind("xml bound to another", .notWellFormed, element: "<x xmlns:xml='urn:x'/>"),
        Kind("xmlns bound", .notWellFormed, element: "<x xmlns:xmlns='urn:x'/>"),
        Kind("what XML cannot hold", .notWellFormed, element: "<x>\u{1}</x>"),
        Kind("more than is taken", .policyViolation, element: "<x>\(String(repeating: "x", count: 11_000))</x>"),
        Kind("a long prefix", .policyViolation, element: "<x xmlns:\(String(repeating: "p", count: 257))='urn:p'/>"),
    ]

    @Test(
        "the server gets a stream error and then the closing tag, once and at last, in clear and behind TLS",
        arguments: kinds, ["<starttls", "<mechanisms"])
    func told(kind: Kind, words: String) async throws {
        try await withClient(
            before: { await $0.intercept(Interceptor(toClient: { $0.contains(words) ? kind.change($0) : $0 })) }
        ) { client in
            let end = await client.end
            guard case .session(let error) = end.cause else { throw EventNeverCame(recorded: ["\(end)"]) }
            #expect(error.code == .malformedStream)
            await client.settle()
            let told =
                "<error xmlns='http://etherx.jabber.org/streams'>"
                + "<\(kind.condition.name) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></error></stream:stream>"
            let written = client.writes.joined()
            #expect(written.hasSuffix(told))
            #expect(written.split(separator: "</stream:stream>").count == 1)
            // Nothing of the login is in it.
            #expect(!written.contains("<auth"))
        }
    }
}
