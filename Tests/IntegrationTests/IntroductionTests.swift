import Testing
import XMPPCore

/// Blocks, reports and invitations against the real servers.
@Suite("Blocks and invitations", .serialized)
struct IntroductionTests {
    private func scene(
        _ name: String, _ kind: ServerKind
    ) async throws -> (deployment: Deployment, bot: String, server: any RealServer) {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment(name, policy: Policies.askAll)
        let bot = try await deployment.addAccount("\(name)-bot", on: server)
        try deployment.write()
        return (deployment, bot, server)
    }

    private func guest(_ user: String, at host: String = Hosts.example, _ server: any RealServer) async throws -> Guest
    {
        try await server.addUser(user, at: host, password: "pw")
        return try await Guest.login("\(user)@\(host)", password: "pw", to: server)
    }

    @Test(
        "A blocked domain's requests leave the desk with a no, and none comes any more (B020)",
        arguments: ServerKind.allCases)
    func domain(_ kind: ServerKind) async throws {
        let (deployment, bot, server) = try await scene("blockdomain", kind)
        let spammer = try await guest("blockdomain-1", at: Hosts.spam, server)
        let second = try await guest("blockdomain-2", at: Hosts.spam, server)
        let other = try await guest("blockdomain-3", server)
        let phone = try await deployment.otherClient(of: bot, on: server)
        try await DoorwardProcess.with(deployment) { doorward in
            spammer.ask(bot)
            other.ask(bot)
            let row = try await doorward.row(of: spammer.address)
            _ = try await doorward.row(of: other.address)
            let block = try await doorward.command("block", "add", bot, Hosts.spam, "--report", "spam", "--json")
            #expect(block.status == 0, "\(block.errors)")
            #expect(try block.json["covered"].array.map(\.int) == [row["id"].int])
            try await spammer.next("unsubscribed", from: bot)
            #expect(try await phone.blockList() == [Hosts.spam])
            second.ask(bot)
            try await second.settle()
            #expect(try await doorward.ask("pending").array.map { $0["contact"].string } == [other.address])
            let closed = try await doorward.history(of: spammer.address, "the closing") { rows in
                rows.contains { $0["event"].string == "closed" }
            }
            let closing = closed.first { $0["event"].string == "closed" }
            #expect(closing?["state"].string == "covered")
            #expect(closing?["by"].string == "operator")
            let list = try await doorward.command("block", "list", bot, "--json")
            #expect(try list.json.array.map { $0["jid"].string } == [Hosts.spam])
            let lifted = try await doorward.command("block", "remove", bot, Hosts.spam)
            #expect(lifted.status == 0, "\(lifted.errors)")
            #expect(try await phone.blockList().isEmpty)
            second.ask(bot)
            _ = try await doorward.row(of: second.address)
        }
        for one in [spammer, second, other, phone] { one.leave() }
    }

    @Test("A reject with a report blocks, whether or not the server takes reports", arguments: ServerKind.allCases)
    func report(_ kind: ServerKind) async throws {
        let (deployment, bot, server) = try await scene("report", kind)
        let spammer = try await guest("report-1", at: Hosts.spam, server)
        let phone = try await deployment.otherClient(of: bot, on: server)
        try await DoorwardProcess.with(deployment) { doorward in
            spammer.ask(bot)
            let id = try #require(try await doorward.row(of: spammer.address)["id"].int)
            let reject = try await doorward.command("reject", "\(id)", "--report", "spam")
            #expect(reject.status == 0, "\(reject.errors)")
            try await spammer.next("unsubscribed", from: bot)
            try await doorward.confirmed(spammer.address)
            try await eventually("the block") { try await phone.blockList() == [spammer.address] }
        }
        spammer.leave()
        phone.leave()
    }

    @Test("Who follows an invitation is accepted by its token, once", arguments: ServerKind.allCases)
    func invited(_ kind: ServerKind) async throws {
        let (deployment, bot, server) = try await scene("invite", kind)
        let first = try await guest("invite-1", server)
        let second = try await guest("invite-2", server)
        try await DoorwardProcess.with(deployment) { doorward in
            let made = try await doorward.command("invite", bot, "--json")
            #expect(made.status == 0, "\(made.errors)")
            let token = try #require(try made.json["token"].string)
            #expect(try made.json["uri"].string == "xmpp:\(bot)?roster;preauth=\(token)")
            let request = { () throws -> Element in
                var presence = Element("presence", namespace: Namespace.client)
                presence[attribute: "type"] = "subscribe"
                presence[attribute: "to"] = bot
                let preauth = Element(
                    "preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", token)])
                presence.children = [.element(preauth)]
                return presence
            }
            first.send(try request())
            try await first.next("subscribed", from: bot)
            try await first.next("subscribe", from: bot)
            let rows = try await doorward.history(of: first.address, "the accept") { rows in
                rows.contains { $0["state"].string == "confirmed" }
            }
            #expect(rows.map { $0["by"].string } == ["token"])
            second.send(try request())
            let waiting = try await doorward.row(of: second.address)
            #expect(waiting["token"].string == "used_up" && waiting["invitation"].int != nil, "\(waiting)")
            #expect(try await doorward.command("pending").output.contains("which is used up"))
            #expect(second.count("subscribed", from: bot) == 0)
            let list = try await doorward.command("invite", "list", "--all", "--json")
            #expect(try list.json.array.map { $0["state"].string } == ["used"])
            #expect(!doorward.log.contains(token) && !list.output.contains(token))
        }
        first.leave()
        second.leave()
    }

    @Test("A token shown while nobody is there to see it lets in at the next login", arguments: [ServerKind.prosody])
    func offline(_ kind: ServerKind) async throws {
        let (deployment, bot, server) = try await scene("inviteoff", kind)
        let asking = try await guest("inviteoff-1", server)
        var doorward = try await DoorwardProcess.online(deployment)
        let token = try #require(try await doorward.command("invite", bot, "--json").json["token"].string)
        try await doorward.terminate()
        var presence = Element("presence", namespace: Namespace.client)
        presence[attribute: "type"] = "subscribe"
        presence[attribute: "to"] = bot
        presence.children = [
            .element(Element("preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", token)]))
        ]
        asking.send(presence)
        try await asking.settle()
        doorward = try await DoorwardProcess.online(deployment)
        try await asking.next("subscribed", from: bot)
        try await doorward.confirmed(asking.address)
        try await doorward.terminate()
        asking.leave()
    }
}
