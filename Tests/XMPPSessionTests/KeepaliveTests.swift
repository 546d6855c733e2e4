import Testing
import XMPPSession

@Suite("Keepalive")
struct KeepaliveTests {
    private func keepalive(now: Duration = .zero) -> Keepalive {
        Keepalive(.init(idle: .seconds(300), unanswered: .seconds(30), answer: .seconds(25)), now: now)
    }

    @Test("a silent peer is asked after the idle time, and given up when it does not answer")
    func silence() {
        var keepalive = keepalive(now: .seconds(100))
        #expect(keepalive.tick(at: .seconds(100)) == .wait(until: .seconds(400)))
        #expect(keepalive.tick(at: .seconds(399)) == .wait(until: .seconds(400)))
        #expect(keepalive.tick(at: .seconds(400)) == .ask)
        #expect(keepalive.tick(at: .seconds(400)) == .wait(until: .seconds(425)))
        #expect(keepalive.tick(at: .seconds(424)) == .wait(until: .seconds(425)))
        #expect(keepalive.tick(at: .seconds(425)) == .dead)
    }

    @Test("any byte is a sign of life")
    func signs() {
        var keepalive = keepalive()
        keepalive.heard(at: .seconds(30))
        #expect(keepalive.tick(at: .seconds(300)) == .wait(until: .seconds(330)))
        #expect(keepalive.tick(at: .seconds(330)) == .ask)
        keepalive.heard(at: .seconds(340))
        #expect(keepalive.tick(at: .seconds(341)) == .wait(until: .seconds(640)))
    }

    @Test(
        "whenever something is out that must be answered, a dead peer is found within 60 s (B067)",
        arguments: [0, 1, 29, 100, 271, 299])
    func unanswered(sentAt: Int) {
        var keepalive = keepalive()
        let sent = Duration.seconds(sentAt)
        keepalive.expects(at: sent)
        // A later stanza gives no further time.
        keepalive.expects(at: sent + .seconds(20))
        let asks = keepalive.due
        #expect(asks <= sent + .seconds(30))
        #expect(keepalive.tick(at: asks) == .ask)
        let dead = keepalive.due
        #expect(keepalive.tick(at: dead) == .dead)
        #expect(dead < sent + .seconds(60))
    }

    @Test("what is answered leaves the idle time")
    func answered() {
        var keepalive = keepalive()
        keepalive.expects(at: .seconds(10))
        #expect(keepalive.due == .seconds(40))
        keepalive.heard(at: .seconds(12))
        #expect(keepalive.due == .seconds(42))
        keepalive.expectsNothing()
        #expect(keepalive.due == .seconds(312))
    }

    @Test("after a standstill the peer has its full time to answer")
    func standstill() {
        var keepalive = keepalive()
        #expect(keepalive.tick(at: .seconds(90_000)) == .ask)
        #expect(keepalive.tick(at: .seconds(90_001)) == .wait(until: .seconds(90_025)))
    }

    @Test("a senseless setting does not make it spin")
    func senseless() {
        var keepalive = Keepalive(.init(idle: .zero, unanswered: .zero, answer: .seconds(-1)), now: .zero)
        #expect(keepalive.tick(at: .zero) == .wait(until: .milliseconds(1)))
        #expect(keepalive.tick(at: .milliseconds(1)) == .ask)
        #expect(keepalive.tick(at: .milliseconds(1)) == .wait(until: .milliseconds(2)))
    }
}
