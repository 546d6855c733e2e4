import Testing
import XMPPClient

@Suite struct BackoffTests {
    @Test("the ceiling doubles with each failure up to the cap, and the wait is drawn below it")
    func doubles() {
        var backoff = Backoff()
        let waits = (0..<12).map { _ in backoff.failed(online: .zero, random: 1) }
        #expect(Array(waits.prefix(10)) == [2, 4, 8, 16, 32, 64, 128, 256, 512, 600].map { Duration.seconds($0) })
        #expect(waits.allSatisfy { $0 <= .seconds(600) })
        #expect(backoff.failed(online: .zero, random: 0) == .zero)
        #expect(backoff.failed(online: .zero, random: 0.5) == .seconds(300))
    }

    @Test(
        "only a session that has held makes it start anew, not a connection or a login (B063)", arguments: [0, 1, 59])
    func holds(online: Int) {
        var backoff = Backoff()
        for _ in 0..<5 { _ = backoff.failed(online: .zero, random: 1) }
        #expect(backoff.failed(online: .seconds(online), random: 1) == .seconds(64))
        #expect(backoff.failed(online: .seconds(60), random: 1) == .seconds(2))
    }

    @Test("a server that stops is not met by all its clients within two seconds (B063)")
    func spreads() {
        var backoff = Backoff()
        #expect(backoff.failed(online: .seconds(3600), by: .server, random: 1) == .seconds(60))
        #expect(backoff.failed(online: .zero, by: .server, random: 0.5) == .seconds(30))
        for _ in 0..<10 { _ = backoff.failed(online: .zero, by: .server, random: 1) }
        #expect(backoff.failed(online: .zero, by: .server, random: 1) == .seconds(600))
        var quick = Backoff(base: .milliseconds(1), cap: .milliseconds(1))
        #expect(quick.failed(online: .zero, by: .server, random: 1) == .milliseconds(1))
    }

    @Test("a domain without the service is not asked again for minutes (B065)")
    func notOffered() {
        var backoff = Backoff()
        #expect(backoff.failed(online: .zero, by: .notOffered, random: 0) == .seconds(300))
        #expect(backoff.failed(online: .zero, by: .notOffered, random: 1) == .seconds(600))
    }

    @Test("senseless settings and numbers stay within bounds")
    func senseless() {
        var backoff = Backoff(base: .seconds(-5), cap: .zero)
        for _ in 0..<100 {
            #expect(backoff.failed(online: .zero, random: 7) >= .zero)
            #expect(backoff.failed(online: .zero, random: -7) == .zero)
        }
    }
}
