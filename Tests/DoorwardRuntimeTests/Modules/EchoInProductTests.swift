import DoorwardConfig
import DoorwardStore
import EchoBot
import Foundation
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

@testable import DoorwardRuntime

@Suite("A module of a bot.yaml in the service")
struct EchoInProductTests {
    /// Files of a configuration whose bot names a module.
    private static func load(_ modules: String) throws -> LoadResult {
        let folder = FileManager.default.temporaryDirectory.path + "/doorward-modules-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let main = "version: 1\nstore: sqlite:d.db\ncontrol: c.sock\npolicies: [policy.yaml]\nbots: [bot.yaml]\n"
        let policy = "version: 1\npolicy: test\nsubscription: []\n"
        let bot =
            "bot: test\npolicy: test\naccounts: [{ jid: bot@example.org, password: { env: SECRET } }]\nmodules: \(modules)\n"
        for (name, text) in [("doorward.yaml", main), ("policy.yaml", policy), ("bot.yaml", bot)] {
            try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
        }
        let kind = ModuleKind(Echo.self)
        let registry = ModuleRegistry([.init(name: kind.name) { try kind.prepared(from: $0) }])
        return ConfigurationLoader.load(path: folder + "/doorward.yaml", overlay: nil, modules: registry)
    }

    @Test("answers a contact, and no stranger")
    func answers() async throws {
        let result = try Self.load("{ echo: { answers_per_minute: 2 } }")
        let configuration = try #require(result.configuration, "\(result.faults)")
        let roster = [ServerRosterItem(.ally, subscription: "both")]
        try await inWorld(configuration.accounts, before: { await $0.add(.bot, password: "secret", roster: roster) }) {
            world in
            try await world.online()
            let ally = try JID("ally@example.org/phone")
            for (sender, body) in [
                (try JID("eve@example.net/x"), "who are you"), (ally, "one"), (ally, "two"), (ally, "three"),
            ] {
                await world.server.say(body, from: sender, to: .bot)
            }
            _ = try await world.server.received.next { $0.element.first("body", Namespace.client)?.text == "two" }
            try await world.quiet()
            let said = world.server.received.all.filter { $0.element.name == "message" }.map(\.element)
            #expect(said.map { $0.first("body", Namespace.client)?.text } == ["one", "two"])
            #expect(said.allSatisfy { $0[attribute: "to"] == ally.description })
            let row = try #require(try await world.service.roster(of: .bot)?.items.first)
            #expect(row.evidence?.lastMessageIn != nil)
            #expect(row.evidence?.lastMessageOut != nil)
        }
    }
}
