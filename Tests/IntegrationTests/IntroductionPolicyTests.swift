import Testing
import XMPPCore

/// Policies that look at moves and tokens, against the real servers.
@Suite("Introductions and policies", .serialized)
struct IntroductionPolicyTests {
    private static let policy = """
        subscription:
          - rule: the first address
            when: { user: "first-*" }
            then: { accept: { subscribe_back: true } }
          - rule: moved
            when: { moved: verified }
            then: { accept: { groups: [Moved] } }
          - rule: only says so
            when: { moved: claimed }
            then: reject
          - rule: too late
            when: { token: expired }
            then: reject
          - rule: the rest
            then: ask
        """

    private func request(_ bot: String, _ children: [Element]) -> Element {
        var presence = Element("presence", namespace: Namespace.client)
        presence[attribute: "type"] = "subscribe"
        presence[attribute: "to"] = bot
        presence.children = children.map { .element($0) }
        return presence
    }

    private func moved(_ name: String, _ address: String) -> Element {
        let element = Element(name, namespace: Namespace.moved, children: [.text(address)])
        return Element("moved", namespace: Namespace.moved, children: [.element(element)])
    }

    /// Says at its own account where it is now.
    private func publish(_ address: String, by guest: Guest) async throws {
        let item = Element(
            "item", namespace: Namespace.pubsub, attributes: [.init("id", "current")],
            children: [.element(moved("new-jid", address))])
        let publish = Element(
            "publish", namespace: Namespace.pubsub, attributes: [.init("node", Namespace.moved)],
            children: [.element(item)])
        try await guest.request(
            "set", Element("pubsub", namespace: Namespace.pubsub, children: [.element(publish)]))
    }

    @Test(
        "A move that the old account confirms walks in and revokes the old one; a lie is refused",
        arguments: ServerKind.allCases)
    func moves(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("moves", policy: Self.policy)
        let bot = try await deployment.addAccount("moves-bot", on: server)
        try deployment.write()
        for user in ["first-address", "second-address", "liar"] {
            try await server.addUser(user, at: Hosts.example, password: "pw")
        }
        let old = try await Guest.login("first-address@\(Hosts.example)", password: "pw", to: server, acceptsAll: true)
        let new = try await Guest.login("second-address@\(Hosts.example)", password: "pw", to: server)
        let liar = try await Guest.login("liar@\(Hosts.example)", password: "pw", to: server)
        try await DoorwardProcess.with(deployment) { doorward in
            old.ask(bot)
            try await old.next("subscribed", from: bot)
            try await eventually("both see each other") {
                let roster = try await doorward.command("roster", bot, "--json").json.array
                return roster.map { $0["subscription"].string } == ["both"]
            }
            try await publish(new.address, by: old)
            let claim = moved("old-jid", old.address)
            liar.send(request(bot, [claim]))
            try await liar.next("unsubscribed", from: bot)
            new.send(request(bot, [claim]))
            try await new.next("subscribed", from: bot)
            try await new.next("subscribe", from: bot)
            try await old.next("unsubscribed", from: bot)
            try await doorward.confirmed(new.address)
            let rules = try await doorward.history(of: new.address, "the accept") { !$0.isEmpty }
            #expect(rules.map { $0["rule"].string } == ["moved"])
            let lie = try await doorward.history(of: liar.address, "the no") { !$0.isEmpty }
            #expect(lie.map { $0["rule"].string } == ["only says so"])
        }
        for guest in [old, new, liar] { guest.leave() }
    }

    @Test("A revoked invitation is a fact for the policy, an unknown one is none", arguments: ServerKind.allCases)
    func tokens(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("tokens", policy: Self.policy)
        let bot = try await deployment.addAccount("tokens-bot", on: server)
        try deployment.write()
        for user in ["tokens-late", "tokens-unknown"] {
            try await server.addUser(user, at: Hosts.example, password: "pw")
        }
        let late = try await Guest.login("tokens-late@\(Hosts.example)", password: "pw", to: server)
        let unknown = try await Guest.login("tokens-unknown@\(Hosts.example)", password: "pw", to: server)
        try await DoorwardProcess.with(deployment) { doorward in
            let made = try await doorward.command("invite", bot, "--json").json
            let id = try #require(made["id"].int)
            #expect(try await doorward.command("invite", "revoke", "\(id)").status == 0)
            let preauth = { (token: String) in
                Element("preauth", namespace: Namespace.preAuthentication, attributes: [.init("token", token)])
            }
            late.send(request(bot, [preauth(try #require(made["token"].string))]))
            try await late.next("unsubscribed", from: bot)
            unknown.send(request(bot, [preauth("never-made")]))
            _ = try await doorward.row(of: unknown.address)
            let rows = try await doorward.history(of: late.address, "the no") { !$0.isEmpty }
            #expect(rows.map { $0["rule"].string } == ["too late"])
        }
        for guest in [late, unknown] { guest.leave() }
    }
}
