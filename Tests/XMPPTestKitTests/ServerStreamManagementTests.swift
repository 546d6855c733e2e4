import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

/// Sessions that outlive their links (XEP-0198).
@Suite struct ServerStreamManagementTests {
    private static let namespace = "urn:xmpp:sm:3"

    private func enabled(_ client: RawClient) async throws -> Element {
        _ = try await client.bound()
        await client.send("<enable xmlns='\(Self.namespace)' resume='true'/>")
        return try await client.next("enabled")
    }

    /// A second link, up to the moment where a session is resumed.
    private func again(_ server: ScriptedServer) async throws -> RawClient {
        let client = RawClient(server)
        _ = try await client.secure()
        _ = try await client.scram("SCRAM-SHA-1")
        await client.openStream()
        _ = try await client.next("features")
        return client
    }

    @Test("stanzas are counted in both directions, and nothing else")
    func counts() async throws {
        try await withServer { server, client in
            #expect(try await enabled(client)[attribute: "max"] == "300")
            await client.send("<presence/><r xmlns='\(Self.namespace)'/><message/>")
            #expect(try await client.next("a")[attribute: "h"] == "1")
            await server.ask(.bot, from: try JID("ann@example.net"))
            await server.requestAcknowledgement(of: .bot)
            _ = try await client.next("r")
            #expect(await server.handledStanzas(of: .bot) == 2)
            #expect(await server.unacknowledgedStanzas(of: .bot) == 1)
            await client.send("<a xmlns='\(Self.namespace)' h='1'/><r xmlns='\(Self.namespace)'/>")
            _ = try await client.next("a")
            #expect(await server.unacknowledgedStanzas(of: .bot) == 0)
        }
    }

    @Test("a session goes on over a new link, with what came in between")
    func resumption() async throws {
        try await withServer { server, client in
            let id = try await enabled(client)[attribute: "id"] ?? ""
            await client.send("<presence/>")
            _ = try await server.received.next { $0.isPresence(nil, to: nil) }
            await client.drop()
            _ = try await server.events.next { if case .disconnected(1) = $0 { true } else { false } }
            await server.ask(.bot, from: try JID("ann@example.net"))
            let second = try await again(server)
            await second.send("<resume xmlns='\(Self.namespace)' previd='\(id)' h='0'/>")
            #expect(try await second.next("resumed")[attribute: "h"] == "1")
            #expect(try await second.next("presence")[attribute: "from"] == "ann@example.net")
            // Another one, while the second link is still there: that one is thrown out.
            let third = try await again(server)
            await third.send("<resume xmlns='\(Self.namespace)' previd='\(id)' h='1'/>")
            _ = try await third.next("resumed")
            #expect(try await second.next("error").elements.map(\.name) == ["conflict"])
            #expect(await server.unacknowledgedStanzas(of: .bot) == 0)
        }
    }

    @Test("a session that is gone is refused, with its count where the server tells it", arguments: [true, false])
    func failure(tells: Bool) async throws {
        var behaviour = ServerBehaviour.modern
        behaviour.streamManagement?.tellsCountOfLostSessions = tells
        try await withServer(behaviour) { server, client in
            let id = try await enabled(client)[attribute: "id"] ?? ""
            await client.send("<presence/>")
            _ = try await server.received.next { $0.isPresence(nil, to: nil) }
            await client.drop()
            _ = try await server.events.next { if case .disconnected(1) = $0 { true } else { false } }
            await server.expireSessions(of: .bot)
            let second = try await again(server)
            await second.send("<resume xmlns='\(Self.namespace)' previd='\(id)' h='0'/>")
            #expect(try await second.next("failed")[attribute: "h"] == (tells ? "1" : nil))
            await second.send("<iq type='set' id='b'><bind xmlns='\(Namespace.bind)'/></iq>")
            _ = try await second.heard.next { $0.name == "iq" && $0[attribute: "type"] == "result" }
        }
    }

    @Test("a closed stream leaves no session behind, and nobody else's session can be taken")
    func ownership() async throws {
        try await withServer { server, client in
            let id = try await enabled(client)[attribute: "id"] ?? ""
            await client.send("</stream:stream>")
            _ = try await server.events.next { if case .disconnected(1) = $0 { true } else { false } }
            let second = try await again(server)
            await second.send("<resume xmlns='\(Self.namespace)' previd='\(id)' h='0'/>")
            _ = try await second.next("failed")
            await server.keepSession("other", of: try JID("ann@example.org/r"))
            await second.send("<resume xmlns='\(Self.namespace)' previd='other' h='0'/>")
            _ = try await second.next("failed")
        }
    }

    @Test("counts go over 2^32, and a count above what was sent ends the stream")
    func wrapping() async throws {
        try await withServer { server, client in
            await server.keepSession("old", of: try JID("bot@example.org/r"), inbound: .max, acknowledged: .max - 1)
            await server.ask(.bot, from: try JID("ann@example.net"))
            await server.ask(.bot, from: try JID("ben@example.net"))
            let client = try await again(server)
            await client.send("<resume xmlns='\(Self.namespace)' previd='old' h='\(UInt32.max)'/>")
            #expect(try await client.next("resumed")[attribute: "h"] == "\(UInt32.max)")
            #expect(try await client.next("presence")[attribute: "from"] == "ben@example.net")
            await client.send("<message/><a xmlns='\(Self.namespace)' h='0'/><r xmlns='\(Self.namespace)'/>")
            #expect(try await client.next("a")[attribute: "h"] == "0")
            #expect(await server.unacknowledgedStanzas(of: .bot) == 0)
            await client.send("<a xmlns='\(Self.namespace)' h='1'/>")
            let error = try await client.next("error")
            #expect(error.first("handled-count-too-high", Self.namespace)?[attribute: "h"] == "1")
        }
    }

    @Test("a second client with the same resource throws the first out")
    func conflict() async throws {
        try await withServer { server, client in
            _ = try await client.bound()
            let second = RawClient(server)
            _ = try await second.bound()
            #expect(try await client.next("error").elements.map(\.name) == ["conflict"])
        }
    }
}
