import Testing
import XMPPCore
import XMPPTestKit

/// What was said, in order.
@Suite struct ConversationRecorderTests {
    @Test("a recording has both sides with their times, and shows no secret")
    func recording() async throws {
        let time = ManualTime()
        let recorder = ConversationRecorder(time: time)
        try await withServer { server, client in
            await server.record(with: recorder)
            _ = try await client.secure()
            time.advance(by: .seconds(3))
            let (success, challenge, _) = try await client.scram(
                "SCRAM-SHA-256", sasl2: true,
                inline: "<user-agent id='d4565fa7-4d72-4749-b3d3-740edbf87770'/>"
                    + "<request-token xmlns='urn:xmpp:fast:0' mechanism='HT-SHA-256-EXPR'/>")
            let pieces = recorder.pieces
            #expect(pieces.first?.side == .client && pieces.first?.time == .zero)
            #expect(pieces.last?.side == .server && pieces.last?.time == .seconds(3))
            let text = recorder.description
            #expect(text.contains("<proceed") && text.contains("mechanism='SCRAM-SHA-256'"))
            #expect(!text.contains(Base64.encode(Array(challenge.utf8))))
            #expect(!text.contains(success.first("token", "urn:xmpp:fast:0")?[attribute: "token"] ?? "-"))
            #expect(!text.contains(success.first("additional-data", "urn:xmpp:sasl:2")?.text ?? "-"))
            #expect(text.contains("token='…'") && text.contains("<initial-response>…</initial-response>"))
        }
    }
}
