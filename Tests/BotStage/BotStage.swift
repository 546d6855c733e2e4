import DoorwardConfig
import DoorwardPolicy
package import DoorwardRuntime
package import DoorwardStore
import Foundation
import Testing
package import XMPPCore
package import XMPPTestKit
import XMPPTransport

/// A bot of this repository that is nothing but its `bot.yaml` and a policy, as the service runs it, with a scripted server
/// and time that moves by hand.
///
/// A bot with Swift code has its modules tested by `ModuleBench` of XMPPTestKit; this is for what rules alone do.
package struct BotStage: Sendable {
    package let server: ScriptedServer
    package let store: Store
    package let service: Service
    package let time = ManualTime()
    private let loop: EventLoop
    private let running: Task<Void, Never>

    private struct Missing: Error {}

    /// Starts a bot, and returns when its accounts are online.
    ///
    /// - Parameters:
    ///   - folder: Its folder below `bots`, whose `doorward.yaml` is run.
    ///   - roster: What is in the list of each of its accounts.
    /// - Throws: Where its files do not load, or an account does not come online.
    package init(_ folder: String, roster: [ServerRosterItem] = []) async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        // Its passwords are not there (DW071): the scripted server takes another.
        let loaded = ConfigurationLoader.load(
            path: root.appending(path: "bots/\(folder)/doorward.yaml").path, overlay: nil,
            modules: ModuleRegistry([]))
        let configuration = try #require(loaded.configuration, "\(loaded.faults)")
        loop = try EventLoop(name: "bot", time: time)
        loop.start()
        server = ScriptedServer(on: loop)
        store = try Store(path: ":memory:")
        for account in configuration.accounts { await server.add(account.jid, password: "secret", roster: roster) }
        let files = LoadResult(configuration: configuration, faults: [])
        var parts = Service.Parts(
            loops: [loop], connector: server.connector, version: "test", load: { files }, events: { _ in })
        parts.readSecret = { _ in Array("secret".utf8) }
        let service = Service(configuration: configuration, store: store, parts: parts)
        self.service = service
        running = Task { await service.run() }
        for account in configuration.accounts {
            _ = try await server.events.next { if case .available(account.jid, _) = $0 { true } else { false } }
        }
    }

    /// Somebody asks an account to add it.
    package func ask(_ account: BareJID, from contact: BareJID, _ message: String? = nil) async {
        await server.ask(account, from: JID(contact), message)
    }

    /// Waits until a contact is sent a presence of that type.
    package func answered(_ type: String, to contact: BareJID) async throws {
        let address = contact.description
        _ = try await server.received.next { $0.isPresence(type, to: address) }
    }

    /// Returns when so many requests wait for an operator.
    ///
    /// - Parameter count: How many.
    /// - Returns: Them, the oldest first.
    /// - Throws: Where they never do.
    @discardableResult
    package func waiting(_ count: Int) async throws -> [RequestRow] {
        let deadline = SystemTime().now + .seconds(60)
        while SystemTime().now < deadline {
            let rows = try await service.pending(all: false, account: nil, after: 0)
            if rows.count == count { return rows }
            await loop.settle()
            await Task.yield()
        }
        Issue.record("never \(count) requests")
        throw Missing()
    }

    /// An operator lets somebody in who waits, or does not.
    package func answer(_ row: RequestRow, letsIn: Bool) async throws {
        let answer = Answer(
            id: row.id, version: row.version, decision: letsIn ? .accept(Acceptance()) : .reject(Rejection()),
            steps: [.verdict], by: "ana", reason: nil)
        _ = try await service.answer([answer])
    }

    /// Returns when what was sent to an account before has been read, recorded and answered.
    package func quiet(_ account: BareJID) async throws {
        for _ in 0..<4 {
            try await server.barrier(account)
            _ = try await store.pendingCounts()
            await loop.settle()
        }
    }

    /// Whether a contact was sent any presence of its own.
    package func hasAnswered(_ contact: BareJID) -> Bool {
        let address = contact.description
        return server.received.all.contains { received in
            received.element.name == "presence" && received.element[attribute: "to"] == address
        }
    }

    /// The changes of the list and of blocks that an account asked its server for.
    package func requests(_ name: String) -> [Element] {
        server.received.all.flatMap { received -> [Element] in
            let element = received.element
            guard element.name == "iq", element[attribute: "type"] == "set" else { return [] }
            return element.elements.filter { $0.name == name }
        }
    }

    /// Ends it.
    package func end() async {
        await service.stop()
        await loop.settle()
        // Whoever waits for a farewell that never comes.
        time.advance(by: .seconds(5))
        await running.value
        loop.stop()
    }
}
