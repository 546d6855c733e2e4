import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// Invitations that the account's server is asked for (XEP-0401), in a whole service.
@Suite struct ServerInvitationTests {
    private func answering(_ world: World, _ answer: @escaping @Sendable (String) -> String) async {
        await world.server.react { received in
            guard received.isIQ("set", "command", Namespace.commands), let id = received.element[attribute: "id"] else {
                return .usual
            }
            return .send(answer(id))
        }
    }

    private static func form(
        _ id: String, _ uri: String, expire: String? = nil, status: String = "completed"
    ) -> String {
        let end = expire.map { "<field var='expire'><value>\($0)</value></field>" } ?? ""
        return """
            <iq type='result' id='\(id)' from='example.org'><command xmlns='\(Namespace.commands)' sessionid='1' \
            node='urn:xmpp:invite#invite' status='\(status)'><x xmlns='jabber:x:data' type='result'><field var='uri'>\
            <value>\(uri)</value></field>\(end)<field var='landing-url'><value>https://example.org/i</value></field></x>\
            </command></iq>
            """
    }

    private static func error(_ id: String, _ condition: String) -> String {
        """
        <iq type='error' id='\(id)' from='example.org'><error type='cancel'><\(condition) \
        xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>
        """
    }

    private func made(_ world: World, days: Int = 7) async throws -> Invitation {
        let order = InvitationOrder(account: .bot, name: "Bot", seconds: days * 86_400, asksServer: true)
        guard case .made(let made) = try await world.service.invite(order, by: "ana") else { throw World.Missing() }
        return made
    }

    @Test("the server's link is given on, its token lets in, and the shorter of both times counts")
    func link() async throws {
        try await inWorld { world in
            try await world.online()
            let now = world.loop.time.wallMilliseconds
            await answering(world) { id in
                Self.form(id, "xmpp:bot@example.org?roster;preauth=SERVERTOKEN;ibr=y")
            }
            let made = try await made(world)
            #expect(made.uri == "xmpp:bot@example.org?roster;preauth=SERVERTOKEN;ibr=y;name=Bot")
            #expect(made.server == .done && made.registers && made.page == "https://example.org/i")
            #expect(made.row.expiresAt.milliseconds == now + 7 * 86_400_000)
            #expect(
                world.server.received.all.contains {
                    $0.isIQ("set", "command", Namespace.commands) && $0.element[attribute: "to"] == "example.org"
                })
            let preauth = Element(
                "preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", "SERVERTOKEN")])
            await world.server.ask(.bot, from: JID(.new), with: [preauth])
            _ = try await world.events.next { $0.isConfirmed(.new) }
            #expect(try await world.history().map(\.by) == ["token"])
            for case .noted(let note) in world.events.all {
                #expect(!note.fields.contains { $0.1?.contains("SERVERTOKEN") == true })
            }
        }
    }

    @Test("an end that the server sets is kept; one that is over, and a link that it gave before, are none")
    func ends() async throws {
        try await inWorld { world in
            try await world.online()
            let now = world.loop.time.wallMilliseconds
            let link = "xmpp:bot@example.org?roster;preauth=SERVERTOKEN"
            await answering(world) { id in Self.form(id, link, expire: "1970-01-01T00:00:01Z") }
            let over = try await made(world)
            guard case .refused(let text) = over.server else {
                Issue.record("\(String(describing: over.server))")
                return
            }
            #expect(text.contains("over already") && over.uri.hasSuffix("preauth=\(over.token);name=Bot"))
            await answering(world) { id in Self.form(id, link, expire: "9999-12-31T23:59:59Z") }
            #expect(try await made(world, days: 2).row.expiresAt.milliseconds == now + 2 * 86_400_000)
            let again = try await made(world)
            #expect(again.server == .refused("it gave an invitation that it gave before") && !again.registers)
        }
    }

    @Test(
        "a server that makes none is told from one that refuses, and the link is ours all the same",
        arguments: [
            ("item-not-found", "not_offered"), ("service-unavailable", "not_offered"),
            ("feature-not-implemented", "not_offered"), ("forbidden", "refused"),
        ])
    func none(condition: String, word: String) async throws {
        try await inWorld { world in
            try await world.online()
            await answering(world) { id in Self.error(id, condition) }
            let made = try await made(world)
            #expect(made.server?.word == word)
            #expect(made.uri == "xmpp:bot@example.org?roster;preauth=\(made.token);name=Bot" && made.page == nil)
            #expect(made.token.utf8.count == 26)
        }
    }

    @Test("an account that is offline asks nobody; a link to somebody else and a form to be filled in are refusals")
    func odd() async throws {
        try await inWorld { world in
            #expect(try await made(world).server == .offline)
            try await world.online()
            await answering(world) { id in Self.form(id, "xmpp:eve@example.org?roster;preauth=SERVERTOKEN") }
            #expect(try await made(world).server?.word == "refused")
            await answering(world) { id in
                Self.form(id, "xmpp:bot@example.org?roster;preauth=SERVERTOKEN", status: "executing")
            }
            #expect(try await made(world).server?.word == "refused")
            // What it had begun is given up.
            #expect(
                world.server.received.all.contains {
                    $0.element.first("command", Namespace.commands)?[attribute: "action"] == "cancel"
                })
            await answering(world) { id in "<iq type='result' id='\(id)' from='example.org'/>" }
            #expect(try await made(world).server?.word == "refused")
        }
    }
}
