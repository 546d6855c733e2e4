import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

/// When modules are told that their session is over.
@Suite struct ModuleEndTests {
    private final class Noting: SessionModule {
        let words: EventRecorder<String>
        let namespaces: [String] = []

        init(_ words: EventRecorder<String>) { self.words = words }

        func began(_ session: ModuleSession) { words.record(session.isResumed ? "goes on" : "began") }
        func ended() { words.record("ended") }
    }

    @Test("a broken link that is taken up again is no end; a new session and a stop are, once each")
    func ends() async throws {
        let words = EventRecorder<String>()
        let world = try await LivingClient(options: { $0.modules = { [Noting(words)] } })
        try await world.available()
        await world.server.dropLink(of: .bot)
        try await world.resumed()
        #expect(words.all == ["began", "goes on"])
        // The server closes the stream: a new session, with new modules.
        await world.server.closeStream(of: .bot)
        _ = try await words.next { $0 == "ended" }
        try await world.available()
        #expect(words.all == ["began", "goes on", "ended", "began"])
        try await world.finish()
        #expect(words.all == ["began", "goes on", "ended", "began", "ended"])
    }

    @Test("a session that is not taken up again ends before the next one begins")
    func refused() async throws {
        let words = EventRecorder<String>()
        let world = try await LivingClient(options: { $0.modules = { [Noting(words)] } })
        try await world.available()
        await world.server.behave { $0.streamManagement?.resumptionRefusal = .init("item-not-found") }
        await world.server.dropLink(of: .bot)
        try await world.available()
        #expect(words.all == ["began", "ended", "began"])
        try await world.finish()
        #expect(words.all == ["began", "ended", "began", "ended"])
    }
}
