import Testing
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// Several who ask for one card.
@Suite struct VCardQuestionTests {
    /// Lends out its session.
    private final class AskingModule: SessionModule {
        var session: ModuleSession?
        var namespaces: [String] { [] }
        func began(_ session: ModuleSession) { self.session = session }
    }

    @Test("those who ask at once share one question and its answer; who asks later, or for another, asks anew")
    func joined() async throws {
        let content = ServerContent()
        let names = EventRecorder<String>()
        let living = try await LivingModules { [AskingModule()] }
        try await living.available()
        await living.server.react(content.reaction)
        func card(_ name: String, of jid: BareJID) {
            var card = VCard()
            card.fullName = name
            content.setVCard(card.element, of: jid)
        }
        func ask(_ owners: [BareJID?]) async throws -> Set<String> {
            let before = names.all.count
            await living.client.withModule(AskingModule.self) { module in
                for (number, owner) in owners.enumerated() {
                    module.session?.vCard(of: owner) { result in
                        names.record("\(number) \((try? result.get())?.fullName ?? "none")")
                    }
                }
            }
            for _ in owners { _ = try await names.next { _ in true } }
            return Set(names.all.dropFirst(before))
        }
        func asked() -> Int { living.server.received.all.count { $0.isIQ("get", "vCard", "vcard-temp") } }
        card("Ann", of: .ann)
        card("Ally", of: .ally)
        card("Bot", of: .bot)
        #expect(try await ask([.ann, .ann, .ally, nil, .ann]) == ["0 Ann", "1 Ann", "2 Ally", "3 Bot", "4 Ann"])
        #expect(asked() == 3)
        card("Anna", of: .ann)
        #expect(try await ask([.ann, .ann]) == ["0 Anna", "1 Anna"])
        #expect(asked() == 4)
        // Whoever waits hears of the end too.
        await living.server.react { $0.isIQ("get", "vCard", "vcard-temp") ? .nothing : .usual }
        await living.client.withModule(AskingModule.self) { module in
            for _ in 0..<2 {
                module.session?.vCard(of: .ann) { result in
                    if case .failure = result { names.record("ended") }
                }
            }
        }
        try await living.server.barrier(.bot)
        await living.server.dropLink(of: .bot)
        for _ in 0..<2 { #expect(try await names.next { _ in true } == "ended") }
        try await living.finish()
    }
}
