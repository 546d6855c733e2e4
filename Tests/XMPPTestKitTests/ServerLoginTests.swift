import Testing
import XMPPCore
import XMPPCrypto
import XMPPTestKit
import XMPPTransport

/// What the scripted server offers before a session, and checks.
@Suite struct ServerLoginTests {
    private static let exporter = [UInt8](repeating: 0x0E, count: 32)

    @Test("a modern server announces mechanisms, bindings and everything inline")
    func features() async throws {
        try await withServer { _, client in
            let features = try await client.secure()
            let list = features.first("authentication", "urn:xmpp:sasl:2")
            #expect(list?.elements.filter { $0.name == "mechanism" }.count == 4)
            let inline = list?.first("inline", "urn:xmpp:sasl:2")
            #expect(inline?.first("bind", "urn:xmpp:bind:0") != nil)
            #expect(inline?.first("sm", "urn:xmpp:sm:3") != nil)
            #expect(inline?.first("fast", "urn:xmpp:fast:0")?.elements.count == 3)
            #expect(features.first("sasl-channel-binding", "urn:xmpp:sasl-cb:0")?.elements.count == 2)
        }
    }

    @Test(
        "each SCRAM works, and proves the server",
        arguments: ["SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-512"], [true, false])
    func scram(mechanism: String, sasl2: Bool) async throws {
        var behaviour = ServerBehaviour.modern
        behaviour.mechanisms = [mechanism]
        try await withServer(behaviour) { server, client in
            _ = try await client.secure()
            let (answer, _, verified) = try await client.scram(mechanism, sasl2: sasl2)
            #expect(answer.name == "success")
            #expect(verified)
            _ = try await server.events.next {
                if case .authenticated(.bot, mechanism, 1) = $0 { true } else { false }
            }
        }
    }

    @Test(
        "the channel must be the one that both see",
        arguments: [
            ("p=tls-exporter", [UInt8](repeating: 0x0E, count: 32), true),
            ("p=tls-server-end-point", [UInt8](repeating: 0x0D, count: 32), true),
            ("p=tls-exporter", [UInt8](repeating: 0x0D, count: 32), false),
            ("p=tls-exporter", [], false), ("p=tls-unique", [], false), ("n", [], false), ("y", [], false),
        ])
    func binding(flag: String, data: [UInt8], isRight: Bool) async throws {
        try await withServer { _, client in
            _ = try await client.secure()
            let (answer, _, _) = try await client.scram("SCRAM-SHA-256-PLUS", flag: flag, binding: data)
            #expect(answer.name == (isRight ? "success" : "failure"))
        }
    }

    @Test("the flag y is refused where a -PLUS form is offered (RFC 5802 section 6)")
    func flagY() async throws {
        try await withServer { server, client in
            _ = try await client.secure()
            let (first, _, _) = try await client.scram("SCRAM-SHA-1", flag: "y")
            #expect(first.name == "failure")
            await server.behave { $0.mechanisms = ["SCRAM-SHA-1"] }
            let (second, _, _) = try await client.scram("SCRAM-SHA-1", flag: "y")
            #expect(second.name == "success")
        }
    }

    @Test("the digest of the offers is that of the XEP's example, and can be wrong or absent (XEP-0474)")
    func offerDigest() async throws {
        var behaviour = ServerBehaviour.modern
        behaviour.mechanisms = ["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"]
        behaviour.announcedBindings = ["tls-server-end-point", "tls-exporter"]
        let right = "h=G6k/rBLDqgOhRRaCuuatSDFkJ08="
        try await withServer(behaviour) { server, client in
            _ = try await client.secure()
            let (_, challenge, _) = try await client.scram("SCRAM-SHA-1")
            #expect(challenge.hasSuffix(",\(right),t=0304"))
        }
        behaviour.offerDigest = .wrong
        behaviour.tlsVersion = .wrong
        try await withServer(behaviour) { server, client in
            _ = try await client.secure()
            let (_, challenge, _) = try await client.scram("SCRAM-SHA-1")
            #expect(challenge.contains(",h=") && !challenge.contains(right))
            #expect(challenge.hasSuffix(",t=0303"))
        }
        behaviour.offerDigest = .absent
        behaviour.tlsVersion = .text("1.3")
        try await withServer(behaviour) { server, client in
            _ = try await client.secure()
            let (_, challenge, _) = try await client.scram("SCRAM-SHA-1")
            #expect(!challenge.contains(",h=") && challenge.hasSuffix(",t=1.3"))
        }
    }

    @Test("PLAIN and EXTERNAL work where they are offered")
    func withoutChallenge() async throws {
        var behaviour = ServerBehaviour()
        behaviour.mechanisms = ["PLAIN", "EXTERNAL"]
        try await withServer(behaviour) { server, client in
            _ = try await client.secure()
            func auth(_ mechanism: String, _ text: String) async throws -> String {
                await client.send("<auth xmlns='\(Namespace.sasl)' mechanism='\(mechanism)'>\(text)</auth>")
                return try await client.heard.next { ["success", "failure"].contains($0.name) }.name
            }
            #expect(try await auth("EXTERNAL", "=") == "failure")
            #expect(try await auth("PLAIN", Base64.encode(Array("\0bot\0wrong".utf8))) == "failure")
            #expect(try await auth("PLAIN", Base64.encode(Array("\0bot\0secret".utf8))) == "success")
        }
        behaviour.certificateOwner = "bot@example.org"
        try await withServer(behaviour) { server, client in
            _ = try await client.secure()
            await client.send("<auth xmlns='\(Namespace.sasl)' mechanism='EXTERNAL'>=</auth>")
            _ = try await client.next("success")
        }
    }

    @Test("after too many logins on one stream it is over")
    func attempts() async throws {
        try await withServer { _, client in
            _ = try await client.secure()
            for _ in 0..<3 {
                let (answer, _, _) = try await client.scram("SCRAM-SHA-1", password: "wrong")
                #expect(answer.name == "failure")
            }
            _ = try await client.channelEvents.next { if case .closed = $0 { true } else { false } }
        }
    }

    @Test("everything inline comes with the success, then the features (XEP-0388, XEP-0386)", arguments: [true, false])
    func bind2(isReversed: Bool) async throws {
        var behaviour = ServerBehaviour.modern
        behaviour.sasl2?.reversesSuccess = isReversed
        try await withServer(behaviour) { server, client in
            _ = try await client.secure()
            let (success, _, verified) = try await client.scram(
                "SCRAM-SHA-256", sasl2: true,
                inline: "<user-agent id='d4565fa7-4d72-4749-b3d3-740edbf87770'/>"
                    + "<bind xmlns='urn:xmpp:bind:0'><tag>Bot</tag><enable xmlns='urn:xmpp:sm:3' resume='true'/></bind>"
                    + "<request-token xmlns='urn:xmpp:fast:0' mechanism='HT-SHA-256-EXPR'/>")
            #expect(verified)
            let bound = success.first("bound", "urn:xmpp:bind:0")
            #expect(bound?.first("enabled", "urn:xmpp:sm:3")?[attribute: "id"] == "session-1")
            #expect(
                success.first("authorization-identifier", "urn:xmpp:sasl:2")?.text == "bot@example.org/Bot~d4565fa7")
            #expect(success.first("token", "urn:xmpp:fast:0")?[attribute: "token"] == "secret-token:fast-1")
            #expect((success.elements.first?.name == "additional-data") != isReversed)
            _ = try await client.next("features")
            _ = try await server.events.next { if case .bound(.bot, 1) = $0 { true } else { false } }
        }
    }

    @Test(
        "a token lets in with the right binding, and its server proves itself (XEP-0484)",
        arguments: [
            ("HT-SHA-256-EXPR", [UInt8](repeating: 0x0E, count: 32), ServerBehaviour.SASL2.Tokens.proper, true),
            ("HT-SHA-256-ENDP", [UInt8](repeating: 0x0D, count: 32), .proper, true),
            ("HT-SHA-256-NONE", [], .rotated, true),
            ("HT-SHA-256-EXPR", [UInt8](repeating: 0x0D, count: 32), .proper, false),
            ("HT-SHA-256-NONE", [], .refused, false), ("HT-SHA-256-NONE", [], .expired, false),
        ])
    func tokens(
        mechanism: String, binding: [UInt8], tokens: ServerBehaviour.SASL2.Tokens, isRight: Bool
    ) async throws {
        try await withServer { server, client in
            _ = try await client.secure()
            let agent = "<user-agent id='d4565fa7-4d72-4749-b3d3-740edbf87770'/>"
            let (success, _, _) = try await client.scram(
                "SCRAM-SHA-256", sasl2: true,
                inline: agent + "<request-token xmlns='urn:xmpp:fast:0' mechanism='\(mechanism)'/>")
            let token = success.first("token", "urn:xmpp:fast:0")?[attribute: "token"] ?? ""
            await server.behave { $0.sasl2?.tokens = tokens }
            let second = RawClient(server)
            _ = try await second.secure()
            func proof(_ role: String) -> [UInt8] {
                hmac(.sha256, key: Array(token.utf8), message: Array(role.utf8) + binding)
            }
            let initial = Base64.encode(Array("bot\0".utf8) + proof("Initiator"))
            await second.send(
                "<authenticate xmlns='urn:xmpp:sasl:2' mechanism='\(mechanism)'><initial-response>\(initial)"
                    + "</initial-response>\(agent)<fast xmlns='urn:xmpp:fast:0'/></authenticate>")
            let answer = try await second.heard.next { ["success", "failure"].contains($0.name) }
            guard isRight else {
                #expect(answer.elements.map(\.name) == [tokens == .expired ? "credentials-expired" : "not-authorized"])
                return
            }
            #expect(
                answer.first("additional-data", "urn:xmpp:sasl:2")?.text == Base64.encode(proof("Responder")))
            #expect((answer.first("token", "urn:xmpp:fast:0") != nil) == (tokens == .rotated))
        }
    }

    @Test(
        "what a test wants said is said at its moment, and ends the stream", arguments: ServerBehaviour.Moment.allCases)
    func interruptions(moment: ServerBehaviour.Moment) async throws {
        var behaviour = ServerBehaviour.modern
        behaviour.interruption = .init(at: moment, times: 1, streamError: "see-other-host", value: "other.example")
        try await withServer(behaviour) { server, client in
            let walk = Task { try await client.bound() }
            if moment == .stanza {
                _ = try await walk.value
                await client.send("<presence/>")
            }
            let error = try await client.next("error")
            #expect(error.first("see-other-host", Namespace.streamErrors)?.text == "other.example")
            _ = try await client.channelEvents.next { if case .closed = $0 { true } else { false } }
        }
    }

    @Test("somebody in between changes what either side hears")
    func interception() async throws {
        try await withServer { server, client in
            await server.intercept(
                Interceptor(
                    toClient: { $0.replacing("SCRAM-SHA-1-PLUS", with: "X") },
                    toServer: { $0.replacing("example.org", with: "example.net") }))
            let features = try await client.secure()
            #expect(!features.first("mechanisms", Namespace.sasl)!.elements.contains { $0.text == "SCRAM-SHA-1-PLUS" })
            let (answer, _, _) = try await client.scram("SCRAM-SHA-1")
            #expect(answer.name == "failure")
        }
    }
}
