import Testing
import XMPPCore

/// Modules of `bots/` in the service, on real servers.
@Suite("Modules in the service on real servers", .serialized)
struct ProductModuleTests {
    @Test(
        "a new contact is welcomed, and /help lists what the modules know; echo says nothing of commands",
        arguments: ServerKind.allCases)
    func help(_ kind: ServerKind) async throws {
        let server = try await Servers.shared.server(kind)
        var deployment = try Deployment("module-\(kind)", policy: Policies.community)
        let bot = try await deployment.addAccount("module-bot", on: server)
        deployment.accounts[0].modules = "{ greeter: { welcome: \"Hello {name}\" }, echo: {} }"
        try deployment.write()
        try await server.addUser("module-guest", at: Hosts.friends, password: "pw")
        let guest = try await Guest.login("module-guest@\(Hosts.friends)", password: "pw", to: server)
        defer { guest.leave() }
        func answer(_ body: String) async throws {
            try await guest.next("'\(body)'") { $0.first("body", Namespace.client)?.text == body }
        }
        try await DoorwardProcess.with(deployment) { _ in
            guest.ask(bot)
            // By the name that the rule gives it.
            try await answer("Hello A friend")
            for (id, said, answered) in [
                ("1", "/help", "What I know:\n/count – says how many I have welcomed\n/help – lists this"),
                ("2", "/count", "I have welcomed one contact."),
                ("3", "/dance", "I do not know /dance. /help lists what I know."), ("4", "hello", "hello"),
            ] {
                guest.send(Message(to: try JID(bot), id: id, body: said).element)
                try await answer(answered)
            }
        }
    }
}
