import Testing
import XMPPCore
import XMPPTestKit

/// Resumptions that are refused in whatever way.
@Suite struct RefusedResumptionTests {
    private static let namespace = "urn:xmpp:sm:3"

    @Test(
        "a session that is there is refused as it is told, is gone then, and another one is bound",
        arguments: [
            .init("item-not-found"), .init("unexpected-request"), .init("feature-not-implemented", handled: "1"),
            .init(nil), .init(nil, handled: "much"),
        ] as [ServerBehaviour.ResumptionRefusal])
    func refuses(refusal: ServerBehaviour.ResumptionRefusal) async throws {
        var behaviour = ServerBehaviour.modern
        behaviour.streamManagement?.resumptionRefusal = refusal
        try await withServer(behaviour) { server, client in
            await server.keepSession("s", of: try JID("bot@example.org/r"), inbound: 1)
            _ = try await client.secure()
            _ = try await client.scram("SCRAM-SHA-1")
            await client.openStream()
            _ = try await client.next("features")
            await client.send("<resume xmlns='\(Self.namespace)' previd='s' h='0'/>")
            let failed = try await client.next("failed")
            #expect(failed[attribute: "h"] == refusal.handled)
            #expect(failed.elements.map(\.name) == [refusal.condition].compactMap { $0 })
            #expect(await server.handledStanzas(of: .bot) == nil)
            await client.send("<iq type='set' id='b'><bind xmlns='\(Namespace.bind)'/></iq>")
            _ = try await client.heard.next { $0.name == "iq" && $0[attribute: "type"] == "result" }
        }
    }
}
