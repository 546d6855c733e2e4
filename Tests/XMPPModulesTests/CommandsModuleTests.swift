import Testing
import XMPPClient
import XMPPCore
import XMPPModules

/// Commands through the router, as others send them.
@Suite struct CommandsModuleTests {
    /// Keeps what a command is to answer later.
    private final class Later: @unchecked Sendable {
        // Unchecked: it stays in the test's own isolation.
        var answer: ((CommandAnswer) -> Void)?
    }

    private func router(_ later: Later = Later()) -> StanzaRouter {
        let commands = [
            AdHocCommand("now", name: "At once", mayRun: { $0 == .ann }) { call, answer in
                answer(call.answers.isEmpty ? .ask(DataForm(.form, fields: [.flag("sure", "Sure", false)])) : .done())
            },
            AdHocCommand("later", name: "Later", mayRun: { _ in true }) { _, answer in later.answer = answer },
        ]
        let module = CommandsModule(commands) { $0 == nil || $0 == .ann || $0 == .bot }
        return StanzaRouter(modules: [module], mayKnow: { $0 == nil || $0 == .ann })
    }

    private func ask(_ router: StanzaRouter, _ attributes: String, from: String = "ann@example.org/phone") throws
        -> Element?
    {
        let stanza = try xml(
            """
            <iq type='set' id='1' from='\(from)'><command xmlns='http://jabber.org/protocol/commands' \(attributes)/></iq>
            """)
        return router.route(try #require(Stanza(stanza)))
    }

    @Test("a command runs at once, its session cannot be guessed, and errors have the words of XEP-0050")
    func run() throws {
        let router = router()
        let answer = try #require(try ask(router, "node='now'"))
        let result = try #require(answer.elements.first.flatMap(CommandResponse.init))
        #expect(result.status == .executing && result.session.utf8.count == 32)
        #expect(answer[attribute: "to"] == "ann@example.org/phone")
        let bad = try #require(try ask(router, "node='now' action='jump'"))
        let error = try #require(bad.first("error", Namespace.client))
        #expect(error[attribute: "type"] == "modify")
        #expect(error.elements.map(\.name) == ["bad-request", "malformed-action"])
        #expect(error.elements.last?.namespace == Namespace.commands)
        let done = try #require(try ask(router, "node='now' action='complete' sessionid='\(result.session)'"))
        #expect(done.elements.first.flatMap(CommandResponse.init)?.status == .completed)
        let none = try #require(try ask(router, "node='nothing'"))
        #expect(none.first("error", Namespace.client)?.elements.map(\.name) == ["item-not-found"])
    }

    @Test("whoever may not know of the account hears what it hears of anything unknown; whoever may not run it is told")
    func strangers() throws {
        let router = router()
        let stranger = try #require(try ask(router, "node='now'", from: "eve@example.net/x"))
        let other = try #require(Stanza(xml("<iq type='set' id='1' from='eve@example.net/x'><a xmlns='urn:x'/></iq>")))
        let unknown = StanzaRouter(modules: []).route(other)
        #expect(stranger == unknown)
        let own = try #require(try ask(router, "node='now'", from: "bot@example.org/other"))
        #expect(own.first("error", Namespace.client)?.elements.map(\.name) == ["forbidden"])
    }

    @Test("a command that answers later leaves the request open, and what is faulty is no command")
    func later() throws {
        let later = Later()
        let router = router(later)
        #expect(try ask(router, "node='later'") == nil)
        #expect(later.answer != nil)
        let faulty = try #require(try ask(router, ""))
        #expect(faulty.first("error", Namespace.client)?.elements.map(\.name) == ["bad-request"])
        let get = try xml(
            "<iq type='get' id='1' from='ann@example.org/x'><command xmlns='http://jabber.org/protocol/commands' node='now'/></iq>"
        )
        let answer = router.route(try #require(Stanza(get)))
        #expect(answer?[attribute: "type"] == "error")
    }
}
