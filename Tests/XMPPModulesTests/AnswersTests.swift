import Testing
import XMPPClient
import XMPPCore
import XMPPModules

/// Time, version and last activity.
@Suite struct AnswersTests {
    private static let questions = [
        (AnswerKind.time, "<time xmlns='urn:xmpp:time'/>"), (.version, "<query xmlns='jabber:iq:version'/>"),
        (.last, "<query xmlns='jabber:iq:last'/>"),
    ]

    private func answer(
        _ kinds: Set<AnswerKind>, _ question: String, from sender: String, type: String = "get"
    ) throws -> Element? {
        let module = AnswersModule({ kinds }, name: "Bot", version: "1.2", idleSeconds: { -5 }) { $0 == .ann }
        let stanza = try xml("<iq type='\(type)' id='1' from='\(sender)'>\(question)</iq>")
        return StanzaRouter(modules: [module]).route(try #require(Stanza(stanza)))
    }

    @Test("what is allowed is announced, and answered to those who may know; all else hears the one refusal")
    func allowed() throws {
        for (kind, question) in Self.questions {
            for kinds in [[], [kind], Set(AnswerKind.allCases)] as [Set<AnswerKind>] {
                let module = AnswersModule({ kinds }, name: "Bot", version: "1") { _ in true }
                #expect(module.features.count == kinds.count)
                let refusal = try answer(kinds, "<x xmlns='urn:x'/>", from: "eve@example.net/x")
                #expect(try answer(kinds, question, from: "eve@example.net/x") == refusal)
                let isGood = try answer(kinds, question, from: "ann@example.org/x")?[attribute: "type"] == "result"
                // The time needs a session.
                #expect(isGood == (kinds.contains(kind) && kind != .time))
            }
        }
    }

    @Test("the version has a name and no system, and the account is never idle for less than nothing")
    func words() throws {
        let version = try answer([.version], "<query xmlns='jabber:iq:version'/>", from: "ann@example.org/x")
        #expect(version?.elements.first?.elements.map { "\($0.name) \($0.text)" } == ["name Bot", "version 1.2"])
        let last = try answer([.last], "<query xmlns='jabber:iq:last'/>", from: "ann@example.org/x")
        #expect(last?.elements.first?[attribute: "seconds"] == "0")
        let set = try answer([.last], "<query xmlns='jabber:iq:last'/>", from: "ann@example.org/x", type: "set")
        #expect(set?.first("error", Namespace.client)?.elements.map(\.name) == ["bad-request"])
    }
}
