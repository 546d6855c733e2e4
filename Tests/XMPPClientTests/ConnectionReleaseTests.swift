import Testing
import XMPPCore
import XMPPCrypto
import XMPPTestKit
import XMPPTransport

@testable import XMPPClient

/// What is over is let go of: a service makes a connection at each try, for years.
@Suite struct ConnectionReleaseTests {
    private final class Watched {
        weak var connection: ClientConnection?
        weak var loop: EventLoop?
    }

    @Test(
        "a connection that has ended is held by nobody, however it ended",
        arguments: ["stop", "drop", "abandon", "link"])
    func connection(end: String) async throws {
        let watched = Watched()
        try await withClient { client in
            watched.connection = client.connection
            watched.loop = client.loop
            try await client.established()
            let connection = client.connection
            switch end {
            case "stop": _ = await client.onLoop { connection.stop() }
            case "drop": _ = await client.onLoop { connection.drop() }
            case "abandon": _ = await client.onLoop { connection.abandon("enough") }
            case _: await client.server.dropLink(of: .bot)
            }
            _ = await client.end
            await client.settle()
        }
        // The loop's thread lets go of itself last.
        for _ in 0..<100_000 where watched.connection != nil || watched.loop != nil { await Task.yield() }
        #expect(watched.connection == nil)
        #expect(watched.loop == nil)
    }

    @Test("one that is told to end before it has begun ends at once", arguments: ["stop", "drop", "abandon"])
    func endedBeforeItBegan(end: String) async throws {
        let server = try ScriptedServer()
        defer { server.stop() }
        let settings = ClientSettings(
            account: .bot, password: Secret("secret"), resource: nil, address: .host("example.org", port: 5222),
            trust: try TLSContext.client(caFile: nil))
        let connection = ClientConnection(settings: settings, connector: server.connector, loop: server.loop) { _ in }
        server.loop.execute {
            switch end {
            case "stop": connection.stop()
            case "drop": connection.drop()
            case _: connection.abandon("enough")
            }
        }
        let over = await connection.run()
        switch (end, over.cause) {
        case ("abandon", .abandoned), ("stop", .stopped), ("drop", .stopped): break
        case _: Issue.record("\(end): \(over)")
        }
    }
}
