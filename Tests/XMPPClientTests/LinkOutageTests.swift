import Testing
import XMPPCore
import XMPPTestKit
import XMPPTransport

@testable import XMPPClient

/// Many clients of one process whose links break in the same moment (RFC 6120 section 3.3, B063).
@Suite struct LinkOutageTests {
    private static func jid(_ number: Int) -> BareJID {
        BareJID(preparedLocal: "bot\(number)", preparedDomain: "example.org")
    }

    private static let server = ServerAddress.domain("example.org")

    @Test("those who lost their link within a minute are counted, each once, and by its server")
    func counts() {
        let outages = LinkOutages()
        for number in 1...60 {
            #expect(outages.lost(Self.jid(number), to: Self.server, at: .seconds(number)) == min(number, 50))
        }
        // One that cannot get through is no crowd.
        let alone = LinkOutages()
        for second in 0..<200 { #expect(alone.lost(.bot, to: Self.server, at: .seconds(second)) == 1) }
        #expect(alone.lost(Self.jid(1), to: .domain("example.net"), at: .seconds(199)) == 1)
        #expect(alone.lost(Self.jid(1), to: Self.server, at: .seconds(199)) == 2)
        #expect(alone.lost(Self.jid(2), to: Self.server, at: .seconds(260)) == 1)
        for number in 0..<1000 {
            #expect(alone.lost(.bot, to: .domain("d\(number).example"), at: .seconds(1000 + number)) == 1)
        }
    }

    @Test("the more they are, the wider is the wait, up to the spread; a single one comes back soon")
    func widths() {
        func wait(_ clients: Int, _ backoff: Backoff = Backoff()) -> Duration {
            var backoff = backoff
            return backoff.failed(online: .seconds(3600), by: .link, among: clients, random: 1)
        }
        #expect(
            [-1, 0, 1, 2, 10, 25, 50, 5000].map { wait($0) }
                == [2000, 2000, 2000, 2400, 12000, 30000, 60000, 60000].map { .milliseconds($0) })
        #expect(wait(50, Backoff(base: .milliseconds(1), cap: .milliseconds(1))) == .milliseconds(1))
        #expect(wait(50, Backoff(spread: .zero)) == .seconds(2))
        // What ends one client alone is told from a link by its reason.
        var backoff = Backoff()
        #expect(backoff.failed(online: .zero, by: .own, among: 50, random: 1) == .seconds(2))
    }

    @Test("thirty clients whose links break at once do not come back within two seconds, and all within a minute")
    func together() async throws {
        let (server, time) = (try ScriptedServer(), ManualTime())
        let transport = server.transport(time: time)
        var clients: [(Client, Task<Void, any Error>)] = []
        for number in 1...30 {
            await server.add(Self.jid(number), password: "secret")
            var options = Client.Options()
            options.transport = transport
            let client = try Client(account: Self.jid(number), password: "secret", options: options)
            clients.append((client, Task { try await client.run() }))
        }
        func online(_ count: Int) async throws {
            for _ in 0..<count {
                _ = try await server.events.next { if case .available = $0 { true } else { false } }
            }
        }
        func connects() -> Int { server.events.all.count { if case .connected = $0 { true } else { false } } }
        try await online(30)
        var came = 30
        for number in 1...30 { await server.dropLink(of: Self.jid(number)) }
        await time.settle()
        time.advance(by: .seconds(2))
        await time.settle()
        // Each was drawn below 2 s to 36 s, so some seven have come; all thirty, were they not counted.
        #expect(connects() < 30 + 20)
        for _ in 0..<34 {
            time.advance(by: .seconds(1))
            await time.settle()
            // A login takes real time, for its hashing, in which none of this clock may go by.
            let begun = connects() - came
            try await online(begun)
            came += begun
        }
        try await online(60 - came)
        #expect(connects() == 60)
        for (client, running) in clients {
            await client.stop()
            try await running.value
        }
        server.stop()
    }
}
