import Testing
import XMPPClient
import XMPPCore
import XMPPModules

/// Links that are read, and invitations that a server makes (XEP-0401).
@Suite struct ServerInvitationTests {
    private static let account = BareJID(preparedLocal: "bot", preparedDomain: "example.org")

    // MARK: Links

    @Test(
        "a link that is written is read again",
        arguments: [
            InvitationURI(account: account, token: "abc"),
            InvitationURI(account: account, token: "a b;c=d?e%#", name: "Käse & Co; #1?", registers: true),
            InvitationURI(account: BareJID(preparedLocal: "a\\27b", preparedDomain: "bücher.example"), token: "x"),
        ])
    func again(link: InvitationURI) {
        #expect(InvitationURI(link.description) == link)
    }

    @Test(
        "links as others write them",
        arguments: [
            ("xmpp:bot@example.org?roster;preauth=T;ibr=y", "T", true),
            ("XMPP:Bot@Example.ORG?roster;ibr=y;preauth=T;more=1;flag", "T", true),
            ("xmpp:bot@example.org?roster;preauth=T;ibr=n#top", "T", false),
            ("xmpp:bot%40example.org?roster;preauth=%54;preauth=U", "T", false),
        ])
    func others(text: String, token: String, registers: Bool) throws {
        let link = try #require(InvitationURI(text))
        #expect(link.account == Self.account && link.token == token && link.registers == registers)
    }

    @Test(
        "what is no link of that kind is none",
        arguments: [
            "", "xmpp:", "http://example.org?roster;preauth=T", "xmpp:bot@example.org", "xmpp:bot@example.org?roster",
            "xmpp:bot@example.org?roster;preauth=", "xmpp:bot@example.org?register;preauth=T", "xmpp:?roster;preauth=T",
            "xmpp:bot@example.org/x?roster;preauth=T", "xmpp:a@b@c?roster;preauth=T",
            "xmpp:bot@example.org?roster;preauth=%",
            "xmpp:bot@example.org?roster;preauth=%zz", "xmpp:bot@example.org?roster;preauth=%ff",
            "xmpp:%+1@x?roster;preauth=T",
            "xmpp://ann@example.org/bot@example.org?roster;preauth=T",
            "xmpp:bot@example.org?roster;preauth=" + String(repeating: "a", count: 257),
            "xmpp:bot@example.org?roster;preauth=T;name=" + String(repeating: "a", count: 4_096),
        ])
    func none(text: String) {
        #expect(InvitationURI(text) == nil)
    }

    // MARK: What a server answers

    private func invitation(
        _ fields: [(String, String)], kind: DataForm.Kind = .result, status: CommandStatus = .completed
    ) -> ServerInvitation? {
        let form = DataForm(kind, fields: fields.map { FormField($0.0, values: [$0.1]) })
        var command = ServerInvitation.command
        let result = CommandResponse(node: command.node, session: "s", status: status, form: form)
        guard command.received(result.element) else { return nil }
        return ServerInvitation(command, account: Self.account)
    }

    @Test("the form of XEP-0401, and the one that Prosody 0.12 gives")
    func forms() throws {
        let full = try #require(
            invitation([
                ("FORM_TYPE", "urn:xmpp:invite#invitation"), ("uri", "xmpp:bot@example.org?roster;preauth=TOKEN;ibr=y"),
                ("landing-url", "https://example.org/invite/#TOKEN"), ("expire", "2017-11-06T02:56:15Z"),
            ]))
        #expect(full.link.token == "TOKEN" && full.link.registers)
        #expect(full.page == "https://example.org/invite/#TOKEN" && full.expires == 1_509_936_975)
        let prosody = try #require(
            invitation(
                [
                    ("landing-url", ""), ("uri", "xmpp:bot@example.org?roster;preauth=T"),
                    ("expire", "2026-12-08T12:00:00Z"),
                ],
                kind: .form))
        #expect(prosody.page == nil && !prosody.link.registers && prosody.expires == 1_796_731_200)
        #expect(invitation([("uri", "xmpp:bot@example.org?roster;preauth=T")])?.expires == nil)
        #expect(ServerInvitation.command.begin()[attribute: "node"] == "urn:xmpp:invite#invite")
    }

    @Test("an answer that adds somebody else, or is no invitation, is none; a page must be one of the web")
    func hostile() {
        let link = ("uri", "xmpp:bot@example.org?roster;preauth=T")
        #expect(invitation([("uri", "xmpp:eve@example.org?roster;preauth=T")]) == nil)
        #expect(invitation([("landing-url", "https://example.org")]) == nil)
        #expect(invitation([link], status: .executing) == nil)
        #expect(invitation([link, ("expire", "soon")]) == nil)
        #expect(invitation([link, ("expiry", "soon")]) == nil)
        let pages = [
            "javascript:alert(1)", "https://a b", "https://\u{1b}[31m", "https://bücher.example", "",
            "https://" + String(repeating: "a", count: 2_050),
        ]
        for page in pages { #expect(invitation([link, ("landing-url", page)])?.page == nil) }
        #expect(invitation([link, ("landing-url", "http://example.org/#T")])?.page == "http://example.org/#T")
    }
}
