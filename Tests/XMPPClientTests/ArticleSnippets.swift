import XMPPClient
import XMPPCore
import XMPPModules

/// What the articles show in single lines; `ArticleTests` holds that it is the same.
enum ArticleSnippets {
    static func main() async throws {
        try await echo(account: "bot@example.org", password: "secret")
    }

    static func options() -> Client.Options {
        var options = Client.Options()
        options.server = Client.Options.Server(host: "127.0.0.1", port: 5222)
        options.authorities = "ca.pem"
        return options
    }

    static func ask(_ client: Client) async throws -> Element? {
        try await client.online()
        let version = try await client.request(
            .get, to: JID("example.org"), Element("query", namespace: "jabber:iq:version"), timeout: .seconds(10))
        return version
    }

    static func follow(_ client: Client, print: (String) -> Void) async {
        for await change in client.sessions {
            switch change {
            case .began(let address, let lost):
                print("a new session, as \(address)")
                // What may not have arrived: better twice than not at all.
                let messages = lost?.unacknowledged.filter { $0.name == "message" } ?? []
                try? await client.send(messages)
            case .resumed:
                print("the session goes on, nothing is lost")
            case .ended(let error):
                print(error?.description ?? "stopped")
            }
        }
    }

    static func stop(account: BareJID, password: String, running: Task<Void, any Error>) async throws {
        let file = MemoryFile(path: "bot.memory")
        var options = Client.Options()
        options.memory = try file.load()
        let client = try Client(account: account, password: password, options: options)
        // …until a signal says stop:
        await client.stop(resumable: true)
        try await running.value
        try file.save(await client.memory)
    }

    static func keep(_ options: inout Client.Options, _ file: MemoryFile) {
        options.keep = { memory in try file.save(memory) }
    }

    static func modules(_ account: BareJID, _ options: inout Client.Options) {
        options.modules = {
            let roster = RosterModule(account: account) { _ in }
            return [roster, PingModule(mayKnow: roster.mayKnow)]
        }
    }

    static func contacts(_ client: Client) async -> Int? {
        let contacts = await client.withModule(RosterModule.self) { $0.items.count }
        return contacts
    }
}
