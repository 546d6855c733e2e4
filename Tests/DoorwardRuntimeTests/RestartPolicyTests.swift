import Testing
import XMPPClient
import XMPPCore

@testable import DoorwardRuntime

@Suite struct RestartPolicyTests {
    let ann = BareJID(preparedLocal: "ann", preparedDomain: "one.example")
    let bob = BareJID(preparedLocal: "bob", preparedDomain: "one.example")

    @Test(
        "the ceiling doubles with each failure and stops at ten minutes",
        arguments: [(0, 0), (1, 2), (2, 4), (3, 8), (4, 16), (7, 128), (8, 256), (9, 512), (10, 600), (32, 600)])
    func ceiling(failures: Int, seconds: Int) {
        #expect(RestartPolicy.ceiling(failures) == .seconds(seconds))
    }

    @Test("a wait is drawn evenly below the ceiling")
    func jitter() {
        var policy = RestartPolicy()
        let first = policy.failed(
            account: ann, host: "h", failure: .account, online: .zero, now: .seconds(1), random: 0.5)
        #expect(first == .retry(after: .seconds(1)))
        let second = policy.failed(
            account: ann, host: "h", failure: .account, online: .zero, now: .seconds(2), random: 0.5)
        #expect(second == .retry(after: .seconds(2)))
        let third = policy.failed(
            account: ann, host: "h", failure: .account, online: .zero, now: .seconds(4), random: 0)
        #expect(third == .retry(after: .zero))
    }

    @Test(
        "a taken resource is never asked for again, after a long wait; repeated conflicts park, a quiet hour forgets them"
    )
    func conflicts() {
        var policy = RestartPolicy()
        func conflict(_ online: Duration, _ random: Double) -> RestartPolicy.Decision {
            policy.failed(
                account: .bot, host: "h", failure: .conflict, online: online, now: .zero, random: random)
        }
        #expect(conflict(.seconds(1), 0) == .retryWithNewResource(after: .seconds(30)))
        #expect(conflict(.seconds(3599), 1) == .retryWithNewResource(after: .seconds(120)))
        #expect(conflict(.seconds(5), 0) == .park)
        #expect(conflict(.seconds(3600), 1) == .retryWithNewResource(after: .seconds(60)))
        policy.forget(account: .bot)
        #expect(conflict(.zero, 0) == .retryWithNewResource(after: .seconds(30)))
    }

    @Test("a wrong password parks at once")
    func park() {
        var policy = RestartPolicy()
        #expect(
            policy.failed(account: ann, host: "h", failure: .permanent, online: .zero, now: .zero, random: 0.9) == .park
        )
    }

    @Test("a domain that has no XMPP service is not asked again for minutes, and is not given up (B065)")
    func absent() {
        #expect(RestartPolicy.Failure(SessionEnd(.notOffered("no"))) == .absent)
        var policy = RestartPolicy()
        for (random, seconds) in [(0.0, 300), (1, 600)] {
            let decision = policy.failed(
                account: ann, host: "h", failure: .absent, online: .zero, now: .zero, random: random)
            #expect(decision == .retry(after: .seconds(seconds)))
        }
    }

    @Test("a short session does not reset the backoff, a long one does")
    func recovery() {
        var policy = RestartPolicy()
        func fail(online: Duration, at now: Duration) -> RestartPolicy.Decision {
            policy.failed(account: ann, host: "h", failure: .account, online: online, now: now, random: 1)
        }
        #expect(fail(online: .zero, at: .seconds(1)) == .retry(after: .seconds(2)))
        #expect(fail(online: .seconds(59), at: .seconds(61)) == .retry(after: .seconds(4)))
        #expect(fail(online: .seconds(60), at: .seconds(130)) == .retry(after: .seconds(2)))
    }

    @Test("an outage of a host counts once for all its accounts, and slows those that come later")
    func sharedHost() {
        var policy = RestartPolicy()
        for index in 0..<50 {
            let account = BareJID(preparedLocal: "a\(index)", preparedDomain: "one.example")
            let decision = policy.failed(
                account: account, host: "h", failure: .host, online: .zero, now: .seconds(1), random: 1)
            // Wider the more they are, up to a minute (B063).
            #expect(decision == .retry(after: max(.seconds(2), .milliseconds(1200 * (index + 1)))))
        }
        // The outage goes on past the first ceiling: the next failure of any account raises it for all.
        _ = policy.failed(account: ann, host: "h", failure: .host, online: .zero, now: .seconds(4), random: 1)
        _ = policy.failed(account: ann, host: "h", failure: .host, online: .zero, now: .seconds(9), random: 1)
        let newcomer = policy.failed(
            account: bob, host: "h", failure: .host, online: .zero, now: .seconds(9), random: 1)
        #expect(newcomer == .retry(after: .seconds(60)))
        let later = policy.failed(
            account: bob, host: "h", failure: .host, online: .zero, now: .seconds(70), random: 1)
        #expect(later == .retry(after: .seconds(16)))
        let elsewhere = policy.failed(
            account: bob, host: "other", failure: .host, online: .zero, now: .seconds(9), random: 1)
        #expect(elsewhere == .retry(after: .seconds(8)))
    }

    @Test("accounts that all were online for long come back spread over a minute, and not within two seconds (B063)")
    func lostTogether() {
        var policy = RestartPolicy()
        let waits = (0..<50).compactMap { index -> Duration? in
            let account = BareJID(preparedLocal: "a\(index)", preparedDomain: "one.example")
            let decision = policy.failed(
                account: account, host: "h", failure: .host, online: .seconds(3600), now: .seconds(4000), random: 1)
            guard case .retry(let wait) = decision else { return nil }
            return wait
        }
        #expect(waits.first == .seconds(2))
        #expect(waits.last == .seconds(60))
        #expect(waits.count == 50)
    }

    @Test("twenty tries in vain take more than an hour (B063)")
    func twenty() {
        var policy = RestartPolicy()
        var now = Duration.zero
        for _ in 0..<20 {
            let decision = policy.failed(
                account: ann, host: "h", failure: .host, online: .zero, now: now, random: 0.5)
            guard case .retry(let wait) = decision else {
                Issue.record("\(decision)")
                return
            }
            now += wait
        }
        #expect(now > .seconds(3600))
    }
}
