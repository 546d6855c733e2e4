import DoorwardConfig
import DoorwardStore
import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import DoorwardRuntime

/// What is said of a service whose control socket is open and that does not run yet.
@Suite("Before the accounts are started")
struct StartingTests {
    @Test("they are shown, as on their way", arguments: [0, 1, 3])
    func status(count: Int) async throws {
        let time = ManualTime()
        let loop = try EventLoop(name: "starting", time: time)
        loop.start()
        defer { loop.stop() }
        let server = ScriptedServer(on: loop)
        let accounts = (0..<count).map { AccountConfiguration.of("bot\($0)@example.org") }
        let configuration = Configuration.of(accounts, [.of([])])
        let store = try Store(path: ":memory:")
        let parts = Service.Parts(
            loops: [loop], connector: server.connector, version: "test",
            load: { LoadResult(configuration: configuration, faults: []) }, events: { _ in })
        let service = Service(configuration: configuration, store: store, parts: parts)
        let shown = try await service.status().accounts
        #expect(shown.map(\.jid) == accounts.map(\.jid))
        #expect(shown.allSatisfy { $0.state == .connecting && $0.mode == .enforce && $0.contacts == nil })
        #expect(shown.allSatisfy { $0.policy == "test" })
        await store.close()
    }
}
