import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTestKit

/// Keeps its session, for what modules ask in it.
final class SessionKeeper: SessionModule {
    var session: ModuleSession?
    var namespaces: [String] { [] }
    func began(_ session: ModuleSession) { self.session = session }
}

/// A client that publishes a profile, and its server.
struct ProfileWorld {
    static let nodes = Namespace.pubSub + "#publish"

    let server: ScriptedServer
    let content = ServerContent()
    let client: Client
    let outcomes = EventRecorder<ProfileModule.Outcome>()
    private let running: Task<Void, any Error>

    init(_ profile: Profile, features: [String], _ prepare: (ServerContent) -> Void = { _ in }) async throws {
        server = try ScriptedServer()
        await server.add(.bot, password: "secret")
        await server.behave { $0 = .modern }
        content.announce(features, hasNodes: features.contains(Self.nodes))
        prepare(content)
        await server.react(content.reaction)
        var options = Client.Options()
        options.transport = server.transport(time: ManualTime())
        options.modules = { [outcomes] in
            [ProfileModule(account: .bot, profile: profile, onOutcome: { outcomes.record($0) }), SessionKeeper()]
        }
        let client = try Client(account: .bot, password: "secret", options: options)
        self.client = client
        running = Task { try await client.run() }
        try await client.online()
        try await settled()
    }

    /// Whatever was begun is done: each step is one round, and there are few.
    func settled() async throws {
        for _ in 0..<12 { try await server.barrier(.bot) }
    }

    /// What was said of the picture in presences for all, in order.
    var updates: [VCardUpdate] {
        server.received.all.compactMap { Presence($0.element) }
            .filter { $0.type == .available && $0.to == nil }.map { VCardUpdate($0) }
    }

    var sets: Int { server.received.all.count { $0.isIQ("set") } }

    func finish() async throws {
        await client.stop()
        try await running.value
        server.stop()
    }
}
