import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPSession
import XMPPTestKit
import XMPPTransport

/// What somebody who stands between a client and its server changes, and how the client must end.
private struct Edit: Sendable, CustomTestStringConvertible {
    /// The server that the client's login is for.
    enum Dialect: Sendable, CaseIterable {
        case sasl, sasl2
    }

    var testDescription: String
    var code: SessionError.Code
    /// Under SASL2, where it is another one.
    var code2: SessionError.Code?
    var dialects = Dialect.allCases
    var memory = LoginMemory()
    /// Whether both ends see one TLS connection: it is broken by the certificate of somebody else otherwise (B6).
    var sharesTLS = true
    var isOld = false
    var toServer: @Sendable (String) -> String = { $0 }
    var toClient: @Sendable (String) -> String

    init(
        _ description: String, _ code: SessionError.Code, under2 code2: SessionError.Code? = nil,
        only dialect: Dialect? = nil, memory: LoginMemory = LoginMemory(), sharesTLS: Bool = true, isOld: Bool = false,
        toServer: @escaping @Sendable (String) -> String = { $0 },
        _ toClient: @escaping @Sendable (String) -> String = { $0 }
    ) {
        testDescription = description
        self.code = code
        self.code2 = code2
        if let dialect { dialects = [dialect] }
        self.memory = memory
        self.sharesTLS = sharesTLS
        self.isOld = isOld
        self.toServer = toServer
        self.toClient = toClient
    }
}

private func replacing(_ pattern: String, _ text: String) -> @Sendable (String) -> String {
    { $0.replacingOccurrences(of: pattern, with: text, options: .regularExpression) }
}

private func without(_ pattern: String) -> @Sendable (String) -> String { replacing(pattern, "") }

private func both(
    _ first: @escaping @Sendable (String) -> String, _ second: @escaping @Sendable (String) -> String
) -> @Sendable (String) -> String {
    { second(first($0)) }
}

/// Edits what is written in base64 behind a pattern.
private func inside(_ pattern: String, _ edit: @escaping @Sendable (String) -> String) -> @Sendable (String) -> String {
    { text in
        guard let start = text.range(of: pattern, options: .regularExpression),
            let end = text.range(of: "<", range: start.upperBound..<text.endIndex),
            let bytes = Base64.decode(String(text[start.upperBound..<end.lowerBound]))
        else { return text }
        let edited = Base64.encode(Array(edit(String(decoding: bytes, as: UTF8.self)).utf8))
        return text.replacingCharacters(in: start.upperBound..<end.lowerBound, with: edited)
    }
}

private func challenge(_ edit: @escaping @Sendable (String) -> String) -> @Sendable (String) -> String {
    inside("<challenge [^>]*>", edit)
}

private func proof(_ edit: @escaping @Sendable (String) -> String) -> @Sendable (String) -> String {
    inside("(<success xmlns='urn:ietf[^>]*>|<additional-data>)", edit)
}

private func initial(_ edit: @escaping @Sendable (String) -> String) -> @Sendable (String) -> String {
    inside("(<auth [^>]*>|<initial-response>)", edit)
}

/// Says something else where the server says what begins so.
private func instead(of begin: String, _ text: @escaping @Sendable (String) -> String) -> @Sendable (String) -> String {
    { $0.contains(begin) ? text($0) : $0 }
}

private func success(_ data: String?) -> @Sendable (String) -> String {
    { answered in
        guard answered.contains("urn:xmpp:sasl:2") else {
            return "<success xmlns='\(Namespace.sasl)'>\(data ?? "")</success>"
        }
        return "<success xmlns='urn:xmpp:sasl:2'>" + (data.map { "<additional-data>\($0)</additional-data>" } ?? "")
            + "<authorization-identifier>bot@example.org/a</authorization-identifier>"
            + "<bound xmlns='urn:xmpp:bind:0'/></success>"
    }
}

private func failure(_ condition: String) -> @Sendable (String) -> String {
    { answered in
        let namespace = answered.contains("urn:xmpp:sasl:2") ? "urn:xmpp:sasl:2" : Namespace.sasl
        return "<failure xmlns='\(namespace)'><\(condition) xmlns='\(Namespace.sasl)'/></failure>"
    }
}

private let noPlus = without("<mechanism>[^<]*-PLUS</mechanism>")
private let noTypes = without("<sasl-channel-binding.*</sasl-channel-binding>")
private let noSCRAM = without("<mechanism>SCRAM[^<]*</mechanism>")
private let noDigest = challenge(without(",h=[^,]*"))
private let strong = LoginMemory(usedStrongMechanism: true)
private let bound = LoginMemory(usedStrongMechanism: true, usedAnnouncedBinding: true)

/// Somebody in between, end to end: a client, a server that has everything, and an edit of what they say.
@Suite struct DowngradeTests {
    private static let plainText: [Edit] = [
        Edit("takes STARTTLS away (B1, B051)", .tlsNotOffered, without("<starttls.*</starttls>")),
        Edit(
            "offers a login in its place (CVE-2016-10027)", .tlsNotOffered,
            replacing(
                "<starttls.*</starttls>",
                "<mechanisms xmlns='\(Namespace.sasl)'><mechanism>PLAIN</mechanism></mechanisms>")),
        Edit(
            "refuses STARTTLS", .tlsRefused, instead(of: "<proceed") { _ in "<failure xmlns='\(Namespace.tls)'/>" }),
        Edit(
            "says success in clear (B2)", .unexpected,
            instead(of: "<proceed") { _ in "<success xmlns='\(Namespace.sasl)'/>" }),
        Edit(
            "puts a success behind the go-ahead (B2)", .plaintextAfterStartTLS,
            instead(of: "<proceed") { $0 + "<success xmlns='\(Namespace.sasl)'/>" }),
    ]

    private static let offers: [Edit] = [
        Edit("relays with a certificate of its own (B6)", .authenticationFailed, sharesTLS: false),
        Edit("the same, and a binding is remembered", .authenticationFailed, memory: bound, sharesTLS: false),
        Edit("takes -PLUS away (B7)", .bindingOfferUnusable, noPlus),
        Edit("takes -PLUS away, and it is remembered", .bindingLost, memory: bound, noPlus),
        Edit("takes -PLUS and the types away", .authenticationFailed, both(noPlus, noTypes)),
        Edit(
            "takes -PLUS and the types away, and it is remembered", .bindingLost, memory: bound, both(noPlus, noTypes)),
        Edit(
            "takes both away and says that the client cannot bind", .downgradeDetected,
            toServer: initial(replacing("^y", "n")), both(noPlus, noTypes)),
        Edit(
            "the same, and takes the digest away (XEP-0474)", .authenticationFailed,
            toServer: initial(replacing("^y", "n")), both(both(noPlus, noTypes), noDigest)),
        Edit("takes the types away (XEP-0440)", .downgradeDetected, under2: .bindingOfferUnusable, noTypes),
        Edit("takes the types away, and it is remembered", .bindingLost, memory: bound, noTypes),
        Edit(
            "empties the types", .downgradeDetected, under2: .bindingOfferUnusable,
            without("<channel-binding [^>]*/>")),
        Edit("leaves the weakest type", .downgradeDetected, without("<channel-binding type='tls-exporter'/>")),
        Edit(
            "announces types that nobody has, and it is remembered", .bindingLost, memory: bound,
            both(replacing("tls-exporter", "tls-a"), replacing("tls-server-end-point", "tls-b"))),
        Edit(
            "announces types that nobody has", .downgradeDetected,
            both(replacing("tls-exporter", "tls-a"), replacing("tls-server-end-point", "tls-b"))),
        Edit(
            "leaves the weakest hash", .downgradeDetected,
            without("<mechanism>SCRAM-SHA-(256|512)[^<]*</mechanism>")),
        Edit(
            "adds a mechanism", .downgradeDetected,
            replacing("<mechanism>PLAIN", "<mechanism>X</mechanism><mechanism>PLAIN")),
        Edit("takes a mechanism away that nobody uses", .downgradeDetected, without("<mechanism>PLAIN</mechanism>")),
        Edit(
            "leaves PLAIN, and SCRAM was used before", .loginWeakened, memory: strong, both(noSCRAM, noTypes)),
        Edit("leaves PLAIN, and a binding was used before", .loginWeakened, memory: bound, both(noSCRAM, noTypes)),
        Edit(
            "leaves nothing, and SCRAM was used before", .loginWeakened, memory: strong,
            both(without("<mechanism>[^<]*</mechanism>"), noTypes)),
        Edit("leaves nothing", .mechanismsUnsuitable, both(without("<mechanism>[^<]*</mechanism>"), noTypes)),
    ]

    private static let exchanges: [Edit] = [
        Edit("another digest (XEP-0474)", .downgradeDetected, challenge(replacing("h=...", "h=AAA"))),
        Edit("another version of TLS (XEP-0515)", .downgradeDetected, challenge(replacing("t=0304", "t=0303"))),
        Edit(
            "TLS 1.2 forced on the client", .downgradeDetected, isOld: true),
        Edit("the digest is taken away", .authenticationFailed, noDigest),
        Edit("a mandatory extension", .malformedChallenge, challenge { $0 + ",m=1" }),
        Edit("one iteration (B9, B049)", .iterationsOutOfBounds, challenge(replacing("i=4096", "i=1"))),
        Edit("too many iterations (B9, B049)", .iterationsOutOfBounds, challenge(replacing("i=4096", "i=100001"))),
        Edit("no number of iterations", .iterationsOutOfBounds, challenge(replacing("i=4096", "i=+5"))),
        Edit("another salt", .authenticationFailed, challenge(replacing("s=....", "s=AAAA"))),
        Edit("another nonce (CVE-2022-48195)", .malformedChallenge, challenge(replacing("r=...", "r=AAA"))),
        Edit("the client's own nonce alone", .malformedChallenge, challenge(without("server-nonce"))),
        Edit(
            "the form without binding, said for the client", .authenticationFailed,
            toServer: both(replacing("-PLUS", ""), initial(replacing("^p=[^,]*", "n")))),
        Edit(
            "the mechanism is refused", .authenticationFailed, instead(of: "<challenge", failure("invalid-mechanism"))),
        Edit(
            "the mechanism is too weak", .authenticationFailed, instead(of: "<challenge", failure("mechanism-too-weak"))
        ),
        Edit("the password is refused", .authenticationFailed, instead(of: "<challenge", failure("not-authorized"))),
    ]

    private static let proofs: [Edit] = [
        Edit(
            "a success before the challenge (B8, B047)", .serverNotAuthenticated,
            instead(of: "<challenge", success("dj0="))),
        Edit("a success without proof (B8, B046)", .serverNotAuthenticated, instead(of: "<success", success(nil))),
        Edit("a success with an empty proof", .serverNotAuthenticated, instead(of: "<success", success("="))),
        Edit("an error as the proof", .serverNotAuthenticated, proof { _ in "e=other-error" }),
        Edit(
            "a proof with another byte", .serverNotAuthenticated,
            proof { "v=" + ($0.hasPrefix("v=A") ? "B" : "A") + $0.dropFirst(3) }),
        Edit("a proof that is cut", .serverNotAuthenticated, proof { String($0.prefix(20)) }),
        Edit("a proof of nothing", .serverNotAuthenticated, proof { _ in "v=" }),
        Edit("a proof behind something else", .serverNotAuthenticated, proof { "x=1," + $0 }),
        Edit(
            "a success of another's account", .unexpected, only: .sasl2,
            replacing("bot@example.org/", "eve@example.net/")),
        Edit(
            "a failed password turned into a success", .serverNotAuthenticated, sharesTLS: false,
            instead(of: "<failure", success(nil))),
    ]

    private static let all = plainText + offers + exchanges + proofs

    private static func server(_ dialect: Edit.Dialect) -> ServerBehaviour {
        var behaviour = ServerBehaviour.modern
        behaviour.mechanisms = [
            "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS", "SCRAM-SHA-512",
            "SCRAM-SHA-512-PLUS", "PLAIN",
        ]
        if dialect == .sasl { behaviour.sasl2 = nil }
        return behaviour
    }

    private func withEdit(_ edit: Edit?, _ dialect: Edit.Dialect, _ body: (TestedConnection) async throws -> Void)
        async throws
    {
        try await withClient(
            settings: { settings in
                // Whoever allows PLAIN is the one who could lose the most.
                settings.allowsPlain = true
                settings.userAgent = UserAgent(id: "d4565fa7-4d72-4749-b3d3-740edbf87770")
                settings.memory = edit?.memory ?? LoginMemory()
            },
            before: { server in
                await server.behave { $0 = Self.server(dialect) }
                guard let edit else { return }
                await server.intercept(Interceptor(toClient: edit.toClient, toServer: edit.toServer))
                if edit.isOld { await server.agree(on: .inMemory, clientSees: .inMemory12) }
                if !edit.sharesTLS {
                    var other = TLSSummary.inMemory
                    other.bindings.exporter = [1, 2, 3]
                    other.bindings.serverEndPoint = [4, 5, 6]
                    await server.agree(on: .inMemory, clientSees: other)
                }
            },
            body)
    }

    @Test("each edit ends without a session, with the right reason, and PLAIN is never said", arguments: all)
    fileprivate func edits(edit: Edit) async throws {
        for dialect in edit.dialects {
            try await withEdit(edit, dialect) { client in
                let end = await client.end
                guard case .session(let error) = end.cause else {
                    Issue.record("\(dialect): \(end)")
                    return
                }
                let code = dialect == .sasl2 ? edit.code2 ?? edit.code : edit.code
                #expect(error.code == code, "\(dialect): \(error)")
                #expect(!client.events.all.contains { if case .established = $0 { true } else { false } })
                let said = client.server.received.all
                #expect(!said.contains { $0.element[attribute: "mechanism"] == "PLAIN" })
                #expect(said.filter { !$0.isSecured }.allSatisfy { $0.element.name == "starttls" })
            }
        }
    }

    @Test("without an edit the same logins succeed, with the strongest form", arguments: Edit.Dialect.allCases)
    fileprivate func honest(dialect: Edit.Dialect) async throws {
        try await withEdit(nil, dialect) { client in
            try await client.established()
            let login = client.server.received.all.first { $0.element[attribute: "mechanism"] != nil }
            #expect(login?.element[attribute: "mechanism"] == "SCRAM-SHA-512-PLUS")
            #expect(Self.all.count >= 50)
        }
    }
}
