import Testing
import XMPPCore

/// Invitations that the account's server makes (XEP-0401).
@Suite("Invitations of the server", .serialized)
struct ServerInvitationTests {
    private func request(_ bot: String, _ token: String) -> Element {
        var presence = Element("presence", namespace: Namespace.client)
        presence[attribute: "type"] = "subscribe"
        presence[attribute: "to"] = bot
        presence.children = [
            .element(Element("preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", token)]))
        ]
        return presence
    }

    @Test("Prosody: who has no account makes one by the link, and both see each other without a request")
    func registers() async throws {
        let server = try await Servers.shared.server(.prosody)
        var deployment = try Deployment("inviting", policy: Policies.askAll)
        let bot = try await deployment.addAccount("inviting-bot", at: Hosts.inviting, on: server)
        try deployment.write()
        try await DoorwardProcess.with(deployment) { doorward in
            let made = try await doorward.command("invite", bot, "--server", "--json")
            #expect(made.status == 0, "\(made.errors)")
            let data = try made.json
            let token = try #require(data["token"].string)
            #expect(data["server"].string == "done")
            #expect(data["registers"].bool == true)
            #expect(data["uri"].string == "xmpp:\(bot)?roster;preauth=\(token);ibr=y")
            let guest = "inviting-new@\(Hosts.inviting)"
            try await Guest.register(guest, password: "pw", token: token, at: server)
            try await eventually("the new contact") {
                let roster = try await doorward.command("roster", bot, "--json").json.array
                return roster.map { [$0["jid"].string, $0["subscription"].string] } == [[guest, "both"]]
            }
            #expect(try await doorward.command("pending", "--all", "--json").json.array.isEmpty)
            #expect(!doorward.log.contains(token))
        }
    }

    @Test("Prosody: a server that only makes the link leaves the answer to Doorward, which has it by token")
    func links() async throws {
        let server = try await Servers.shared.server(.prosody)
        var deployment = try Deployment("linking", policy: Policies.askAll)
        let bot = try await deployment.addAccount("linking-bot", at: Hosts.linking, on: server)
        try deployment.write()
        try await server.addUser("linking-1", at: Hosts.example, password: "pw")
        let guest = try await Guest.login("linking-1@\(Hosts.example)", password: "pw", to: server)
        try await DoorwardProcess.with(deployment) { doorward in
            let made = try await doorward.command("invite", bot, "--server", "--json")
            let token = try #require(try made.json["token"].string)
            #expect(try made.json["server"].string == "done")
            #expect(try made.json["registers"].bool == false)
            guest.send(request(bot, token))
            try await guest.next("subscribed", from: bot)
            try await guest.next("subscribe", from: bot)
            let rows = try await doorward.history(of: guest.address, "the accept") { rows in
                rows.contains { $0["state"].string == "confirmed" }
            }
            #expect(rows.map { $0["by"].string } == ["token"])
            #expect(
                try await doorward.command("invite", "list", "--all", "--json").json.array.map { $0["state"].string }
                    == ["used"])
        }
        guest.leave()
    }

    @Test(
        "A server without it is named, with what to do, and the link is made all the same",
        arguments: ServerKind.allCases)
    func notOffered(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("uninviting", policy: Policies.askAll)
        let bot = try await deployment.addAccount("uninviting-bot", on: server)
        try deployment.write()
        try await server.addUser("uninviting-1", at: Hosts.example, password: "pw")
        let guest = try await Guest.login("uninviting-1@\(Hosts.example)", password: "pw", to: server)
        try await DoorwardProcess.with(deployment) { doorward in
            let made = try await doorward.command("invite", bot, "--server")
            #expect(made.status == 0, "\(made.errors)")
            #expect(made.output.contains("mod_invites_adhoc"), "\(made.output)")
            let json = try await doorward.command("invite", bot, "--server", "--json").json
            #expect(json["server"].string == "not_offered")
            guest.send(request(bot, try #require(json["token"].string)))
            try await guest.next("subscribed", from: bot)
        }
        guest.leave()
    }
}
