import Foundation
import Testing
import XMPPCore
import XMPPCrypto
import XMPPSession

/// One edit by somebody who stands in between with a certificate that is trusted.
private struct Edit: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var dialects = [false, true]
    var memory = LoginMemory()
    /// Whether both ends see the same channel: then it is the server itself, or what is left of it, that is wrong.
    var sameChannel = false
    var codes: [SessionError.Code]
    var toClient: @Sendable (String) -> String
    var toServer: @Sendable (String) -> String

    init(
        _ why: String, _ code: SessionError.Code, under2 code2: SessionError.Code? = nil,
        dialects: [Bool] = [false, true],
        memory: LoginMemory = LoginMemory(), sameChannel: Bool = false,
        toServer: @escaping @Sendable (String) -> String = { $0 },
        toClient: @escaping @Sendable (String) -> String = { $0 }
    ) {
        testDescription = why
        self.dialects = dialects
        self.memory = memory
        self.sameChannel = sameChannel
        codes = [code, code2 ?? code]
        (self.toClient, self.toServer) = (toClient, toServer)
    }
}

private func without(_ pattern: String) -> @Sendable (String) -> String {
    replacing(pattern, "")
}

private func replacing(_ pattern: String, _ text: String) -> @Sendable (String) -> String {
    { $0.replacingOccurrences(of: pattern, with: text, options: .regularExpression) }
}

/// Edits the SCRAM message inside a challenge.
private func challenge(_ edit: @escaping @Sendable (String) -> String) -> @Sendable (String) -> String {
    content("<challenge [^>]*>", edit)
}

/// Edits the SCRAM message inside a success.
private func success(_ edit: @escaping @Sendable (String) -> String) -> @Sendable (String) -> String {
    { text in
        text.contains("<success") ? content("(<success xmlns='urn:ietf[^>]*>|<additional-data>)", edit)(text) : text
    }
}

/// Edits base64 behind what matches.
private func content(_ pattern: String, _ edit: @escaping @Sendable (String) -> String) -> @Sendable (String) -> String
{
    { text in
        guard let start = text.range(of: pattern, options: .regularExpression),
            let end = text.range(of: "<", range: start.upperBound..<text.endIndex),
            let bytes = Base64.decode(String(text[start.upperBound..<end.lowerBound]))
        else { return text }
        let edited = Base64.encode(Array(edit(String(decoding: bytes, as: UTF8.self)).utf8))
        return text.replacingCharacters(in: start.upperBound..<end.lowerBound, with: edited)
    }
}

private func both(
    _ first: @escaping @Sendable (String) -> String, _ second: @escaping @Sendable (String) -> String
) -> @Sendable (String) -> String {
    { second(first($0)) }
}

private let noPlus = without("<mechanism>[^<]*-PLUS</mechanism>")
private let noTypes = without("<sasl-channel-binding.*</sasl-channel-binding>")
private let noSCRAM = without("<mechanism>SCRAM[^<]*</mechanism>")
private let onlyNewTypes = both(replacing("tls-server-end-point", "tls-a"), replacing("tls-exporter", "tls-b"))
private let noHash = challenge(without(",h=.*"))
private let strong = LoginMemory(usedStrongMechanism: true)
private let bound = LoginMemory(usedStrongMechanism: true, usedAnnouncedBinding: true)

/// The hash that the server would send had it offered what the client sees.
private func forged(_ mechanisms: [String], _ types: [String]?) -> @Sendable (String) -> String {
    challenge { text in
        let hash = SASLOffer(usesSASL2: false, mechanisms: mechanisms, bindings: types).downgradeProof(.sha512)
        return replacing(",h=[^,]*", ",h=\(hash)")(text)
    }
}

@Suite("Downgrades by somebody in between")
struct DowngradeTests {
    private static let offers: [Edit] = [
        Edit("relays and changes nothing (security B6)", .authenticationFailed),
        Edit("relays and changes nothing, remembered", .authenticationFailed, memory: bound),
        Edit("takes -PLUS away", .bindingOfferUnusable, toClient: noPlus),
        Edit("takes -PLUS away, remembered", .bindingLost, memory: bound, toClient: noPlus),
        Edit("takes -PLUS and the types away", .authenticationFailed, toClient: both(noPlus, noTypes)),
        Edit(
            "takes -PLUS and the types away, remembered", .bindingLost, memory: bound, toClient: both(noPlus, noTypes)),
        Edit(
            "takes -PLUS and the types away and turns y into n", .downgradeDetected,
            toServer: content("(<auth [^>]*>|<initial-response>)", replacing("^y", "n")),
            toClient: both(noPlus, noTypes)),
        Edit(
            "the same, and takes the hash away", .authenticationFailed,
            toServer: content("(<auth [^>]*>|<initial-response>)", replacing("^y", "n")),
            toClient: both(both(noPlus, noTypes), noHash)),
        Edit("takes the types away", .downgradeDetected, under2: .bindingOfferUnusable, toClient: noTypes),
        Edit(
            "takes the types away and the hash", .authenticationFailed, under2: .bindingOfferUnusable,
            toClient: both(noTypes, noHash)),
        Edit("takes the types away, remembered", .bindingLost, memory: bound, toClient: noTypes),
        Edit(
            "empties the list of types", .downgradeDetected, under2: .bindingOfferUnusable,
            toClient: without("<channel-binding [^>]*/>")),
        Edit(
            "leaves the weakest type", .downgradeDetected, toClient: without("<channel-binding type='tls-exporter'/>")),
        Edit(
            "leaves the weakest type and takes the hash away", .authenticationFailed,
            toClient: both(without("<channel-binding type='tls-exporter'/>"), noHash)),
        Edit("announces types that nobody has", .downgradeDetected, toClient: onlyNewTypes),
        Edit(
            "announces types that nobody has and takes the hash away", .bindingOfferUnusable,
            toClient: both(onlyNewTypes, noHash)),
        Edit(
            "announces types that nobody has and forges the hash", .authenticationFailed,
            toClient: both(onlyNewTypes, forged(HonestServer(usesSASL2: false).mechanisms, ["tls-a", "tls-b"]))),
        Edit("announces types that nobody has, remembered", .bindingLost, memory: bound, toClient: onlyNewTypes),
        Edit(
            "takes the stronger hashes away", .downgradeDetected,
            toClient: without("<mechanism>SCRAM-SHA-(256|512)[^<]*</mechanism>")),
        Edit(
            "adds EXTERNAL", .downgradeDetected,
            toClient: replacing("<mechanism>PLAIN", "<mechanism>EXTERNAL</mechanism><mechanism>PLAIN")),
        Edit(
            "takes PLAIN away, which changes the hash", .downgradeDetected,
            toClient: without("<mechanism>PLAIN</mechanism>")),
        Edit("leaves PLAIN", .bindingOfferUnusable, memory: LoginMemory(), toClient: noSCRAM).sasl2Only,
        Edit("leaves PLAIN", .plainNotAllowed, toClient: both(noSCRAM, noTypes)),
        Edit("leaves PLAIN, SCRAM was used", .loginWeakened, memory: strong, toClient: both(noSCRAM, noTypes)),
        Edit("leaves PLAIN, a binding was used", .loginWeakened, memory: bound, toClient: both(noSCRAM, noTypes)),
        Edit(
            "leaves nothing, SCRAM was used", .loginWeakened, memory: strong,
            toClient: both(without("<mechanism>[^<]*</mechanism>"), noTypes)),
        Edit(
            "takes SASL2 away and leaves PLAIN of the old kind", .loginWeakened, memory: strong,
            toClient: { $0.contains("features") ? mechanisms("PLAIN") : $0 }),
    ]

    private static let exchanges: [Edit] = [
        Edit(
            "another version of TLS (XEP-0515)", .downgradeDetected, sameChannel: true,
            toClient: challenge(replacing("t=0304", "t=0303"))),
        Edit(
            "another hash of the offer", .downgradeDetected, sameChannel: true,
            toClient: challenge(replacing("h=.", "h=_"))),
        Edit("the hash is taken away", .authenticationFailed, sameChannel: true, toClient: noHash),
        Edit("a mandatory extension", .malformedChallenge, sameChannel: true, toClient: challenge { $0 + ",m=1" }),
        Edit(
            "one iteration (B049)", .iterationsOutOfBounds, sameChannel: true,
            toClient: challenge(replacing("i=4096", "i=1"))),
        Edit(
            "a billion iterations (B049)", .iterationsOutOfBounds, sameChannel: true,
            toClient: challenge(replacing("i=4096", "i=1000000000"))),
        Edit(
            "more iterations", .authenticationFailed, sameChannel: true,
            toClient: challenge(replacing("i=4096", "i=4097"))),
        Edit(
            "another salt", .authenticationFailed, sameChannel: true, toClient: challenge(replacing("s=....", "s=AAAA"))
        ),
        Edit("another nonce", .malformedChallenge, sameChannel: true, toClient: challenge(replacing("r=...", "r=AAA"))),
        Edit(
            "more nonce", .authenticationFailed, sameChannel: true, toClient: challenge(replacing("server", "server2"))),
        Edit(
            "an optional extension that the server does not know of", .authenticationFailed, sameChannel: true,
            toClient: challenge { $0 + ",x=1" }),
        Edit(
            "the flag p becomes n on the way", .authenticationFailed, sameChannel: true,
            toServer: content("(<auth [^>]*>|<initial-response>)", replacing("^p=[^,]*", "n"))),
        Edit(
            "-PLUS becomes the plain form on the way", .authenticationFailed, sameChannel: true,
            toServer: both(
                replacing("-PLUS", ""), content("(<auth [^>]*>|<initial-response>)", replacing("^p=[^,]*", "n")))),
        Edit(
            "refuses the mechanism", .authenticationFailed,
            toClient: { $0.contains("<challenge") ? failure("invalid-mechanism", $0) : $0 }),
        Edit(
            "refuses the mechanism as too weak", .authenticationFailed,
            toClient: { $0.contains("<challenge") ? failure("mechanism-too-weak", $0) : $0 }),
        Edit(
            "refuses the password", .authenticationFailed,
            toClient: { $0.contains("<challenge") ? failure("not-authorized", $0) : $0 }),
        Edit(
            "wants another task", .unexpected, under2: .tasksRequired,
            toClient: {
                $0.contains("<challenge")
                    ? "<continue xmlns='urn:xmpp:sasl:2'><tasks><task>X</task></tasks></continue>" : $0
            }),
    ]

    private static let proofs: [Edit] = [
        Edit(
            "success before the challenge (B047 g)", .serverNotAuthenticated,
            toClient: { $0.contains("<challenge") ? done("dj0=", $0) : $0 }),
        Edit(
            "success without a word (B047 a)", .serverNotAuthenticated,
            toClient: { $0.contains("<failure") ? done(nil, $0) : $0 }),
        Edit(
            "success with an empty word (B047 b)", .serverNotAuthenticated,
            toClient: { $0.contains("<failure") ? done("=", $0) : $0 }),
        Edit(
            "an error as the proof (B047 d)", .serverNotAuthenticated, sameChannel: true,
            toClient: success { _ in "e=other-error" }),
        Edit(
            "a bit of the proof is wrong (B047 c)", .serverNotAuthenticated, sameChannel: true,
            toClient: success { "v=" + ($0.hasPrefix("v=A") ? "B" : "A") + $0.dropFirst(3) }),
        Edit(
            "a proof that is cut", .serverNotAuthenticated, sameChannel: true,
            toClient: success { String($0.prefix(30)) }),
        Edit("a proof that is empty", .serverNotAuthenticated, sameChannel: true, toClient: success { _ in "v=" }),
        Edit(
            "a proof behind something else", .serverNotAuthenticated, sameChannel: true,
            toClient: success { "x=1," + $0 }),
        Edit(
            "success of the other dialect", .unexpected, sameChannel: true,
            toClient: { $0.contains("<success") ? other($0) : $0 }),
        Edit(
            "another account's domain", .unexpected, dialects: [true], sameChannel: true,
            toClient: replacing("alice@gate.test/r1", "alice@evil.test/r1")),
        Edit(
            "no address", .unexpected, dialects: [true], sameChannel: true,
            toClient: without("<authorization-identifier>.*</authorization-identifier>")),
        Edit(
            "an address without a resource", .unexpected, dialects: [true], sameChannel: true,
            toClient: replacing("/r1", "")),
        Edit(
            "no address at all in the address", .unexpected, dialects: [true], sameChannel: true,
            toClient: replacing("alice@gate.test/r1", "@")),
        Edit(
            "a resumption that nobody asked for", .unexpected, dialects: [true], sameChannel: true,
            toClient: replacing("<bound [^>]*/>", "<resumed xmlns='urn:xmpp:sm:3' h='0' previd='x'/>")),
        Edit(
            "stream management that nobody asked for", .unexpected, dialects: [true], sameChannel: true,
            toClient: replacing("<bound ([^>]*)/>", "<bound $1><enabled xmlns='urn:xmpp:sm:3'/></bound>")),
        Edit(
            "a binding that failed", .bindFailed, dialects: [true], sameChannel: true,
            toClient: replacing("<bound ", "<failed ")),
    ]

    @Test(
        "each edit ends without a login, and PLAIN is never seen (security B6, B7, B8)",
        arguments: offers + exchanges + proofs)
    fileprivate func edits(edit: Edit) throws {
        for sasl2 in edit.dialects {
            let login = try Login { $0.memory = edit.memory }
            var conversation = Conversation(HonestServer(usesSASL2: sasl2), login)
            if !edit.sameChannel {
                conversation.server.bindings = ["tls-exporter": [9, 9], "tls-server-end-point": [8, 8]]
            }
            (conversation.toClient, conversation.toServer) = (edit.toClient, edit.toServer)
            let actions = conversation.run()
            #expect(actions.error?.code == edit.codes[sasl2 ? 1 : 0], "SASL2: \(sasl2)")
            #expect(actions.session == nil)
            #expect(!actions.contains(.resetParser))
            #expect(conversation.login.negotiation.stage == .failed)
            #expect(!conversation.server.isPlainSeen)
            #expect(!conversation.sent.contains("'PLAIN'"))
            // Whoever saw a -PLUS form with an announced type never gets less.
            if conversation.sent.contains("-PLUS") { #expect(!conversation.sent.contains("mechanism='SCRAM-SHA-1'")) }
        }
    }

    @Test("the same conversations without an edit are logins", arguments: [false, true])
    func honest(sasl2: Bool) throws {
        for sendsHash in [false, true] {
            var conversation = Conversation(HonestServer(usesSASL2: sasl2), try Login())
            conversation.server.sendsHash = sendsHash
            let actions = conversation.run()
            #expect(actions.error == nil)
            #expect(sasl2 ? actions.session?.jid.description == "alice@gate.test/r1" : actions.contains(.resetParser))
            #expect(conversation.sent.contains("SCRAM-SHA-512-PLUS"))
        }
        #expect(Self.offers.count + Self.exchanges.count + Self.proofs.count >= 55)
    }
}

extension Edit {
    fileprivate var sasl2Only: Edit {
        var edit = self
        edit.dialects = [true]
        return edit
    }
}

private func failure(_ condition: String, _ answered: String) -> String {
    "<failure xmlns='\(answered.contains(Namespace.sasl2) ? Namespace.sasl2 : Namespace.sasl)'><\(condition) \(sasl)/></failure>"
}

private func done(_ data: String?, _ answered: String) -> String {
    guard answered.contains(Namespace.sasl2) else { return "<success \(sasl)>\(data ?? "")</success>" }
    return "<success xmlns='urn:xmpp:sasl:2'>" + (data.map { "<additional-data>\($0)</additional-data>" } ?? "")
        + "<bound xmlns='urn:xmpp:bind:0'/><authorization-identifier>alice@gate.test/r1</authorization-identifier></success>"
}

private func other(_ success: String) -> String {
    success.contains(Namespace.sasl2)
        ? success.replacingOccurrences(of: Namespace.sasl2, with: Namespace.sasl)
        : success.replacingOccurrences(of: Namespace.sasl, with: Namespace.sasl2)
}
