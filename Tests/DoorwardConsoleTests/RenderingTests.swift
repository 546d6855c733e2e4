import DoorwardConfig
import DoorwardConsole
import DoorwardPolicy
import DoorwardRuntime
import DoorwardStore
import Testing
import XMPPCore

@Suite("Words for people")
struct RenderingTests {
    let desk = DeskRenderer(now: Samples.now, width: 80)
    let service = ServiceRenderer(now: Samples.now, width: 80)

    func text(_ lines: [TerminalText]) -> String { lines.map { $0.rendered(colours: false) }.joined(separator: "\n") }

    @Test("pending")
    func pending() {
        #expect(
            text(desk.pending(.array([Samples.request().json]), all: false)) == """
                1 request waits:

                   17  ann@example.test asks to add support@doorward.test
                       4 s ago, delivered 3 times, by the rule "everyone else" of community
                       calls itself Ann
                       "Hello, it is me"

                Answer with 'doorward accept 17' or 'doorward reject 17' (--block also blocks the sender).
                """
        )
    }

    @Test("what is empty says so, and what to do next")
    func empty() {
        let nothing = JSONValue.array([])
        #expect(text(desk.pending(nothing, all: false)).hasPrefix("Nothing waits. "))
        #expect(text(desk.pending(nothing, all: true)).contains("doorward history"))
        #expect(text(desk.history(nothing, limit: 100)).hasPrefix("Nothing was decided yet."))
        #expect(text(service.alerts(nothing, all: false)).hasPrefix("No alerts: nothing needs you."))
        #expect(text(service.roster(nothing, account: "a@x.example")) == "a@x.example has no contacts yet.")
        let status = ServiceStatus(version: "0.1.0", startedAt: Samples.start, alerts: [], accounts: [])
        #expect(text(service.status(status.json)).contains("No accounts are configured. Add one to a bot.yaml"))
        let reload = ReloadOutcome(change: .init(started: [], stopped: [], updated: [], restarted: []), faults: [])
        #expect(text(service.reload(reload.json)) == "Read again; no account changed.")
    }

    @Test(
        "an answer says when it goes out",
        arguments: [
            ("online", "Accepted ann@example.test for support@doorward.test. The answer goes out now."),
            (
                "waiting",
                "Accepted ann@example.test for support@doorward.test. The answer goes out when the account is online (now: waiting)."
            ),
        ]
    )
    func answers(state: String, words: String) {
        let row = Samples.request().json.adding("error", .null).adding("account_state", .string(state))
        #expect(text(desk.answered(.array([row]), accepted: true)) == words)
    }

    @Test("status")
    func status() {
        let parked = AccountStatus(
            jid: Samples.jid("front@corp.test"),
            state: .parked,
            since: Samples.start,
            policy: "staff-only",
            mode: .observe,
            contacts: nil,
            pending: 0,
            lastError: "wrong password"
        )
        let status = ServiceStatus(
            version: "0.1.0",
            startedAt: Samples.start,
            alerts: [Samples.alert()],
            accounts: [Samples.accountStatus(), parked]
        )
        #expect(
            text(service.status(status.json)) == """
                doorward 0.1.0, up for 4 s: 1 of 2 accounts online.

                ACCOUNT                STATE   FOR  POLICY      MODE     CONTACTS  WAITING
                support@doorward.test  online  4 s  community   enforce        12        1
                front@corp.test        parked  4 s  staff-only  observe         -        0
                front@corp.test: wrong password

                1 alert:
                  account parked of front@corp.test, 4 s ago
                      wrong password; mend secrets/front, then 'doorward reload'

                1 request waits for an answer: 'doorward pending'.
                """
        )
    }

    @Test("history, within the width of the terminal", arguments: [80, 100, 120, 200])
    func history(width: Int) {
        var row = Samples.history()
        row.contact = Samples.jid("someone.with.a.rather.long.name@a.rather.long.domain.example")
        let rows = JSONValue.array([
            row.json, Samples.history(122, decision: nil, by: "requester", state: .withdrawn).json,
        ])
        let lines = DeskRenderer(now: Samples.now, width: width).history(rows, limit: 2)
        #expect(lines.first?.rendered(colours: false).hasPrefix("ID") ?? false)
        for line in lines { #expect(line.columns <= width, "\(line.rendered(colours: false))") }
        #expect(lines.last?.rendered(colours: false) == "Older rows: 'doorward history --before h122'.")
    }

    @Test("a fault as check begins it")
    func fault() {
        let outcome = ReloadOutcome(change: nil, faults: [Samples.fault])
        #expect(
            text(service.faults(outcome.json))
                == "policies/community.yaml:14:9: error[DW012]: unknown condition 'form'; did you mean 'from'?"
        )
    }

    @Test("an evaluation as a tree")
    func evaluation() {
        let evaluation = Evaluation(
            decision: .reject(Rejection(block: true)),
            by: .rule,
            rule: "spam",
            trace: [
                RuleTrace(
                    rule: "staff",
                    result: .fails,
                    conditions: [
                        ConditionTrace(
                            condition: "from: \"@staff\"",
                            result: .fails,
                            value: "x@spam.test",
                            at: "p.yaml:9:13"
                        )
                    ]
                ),
                RuleTrace(
                    rule: "spam",
                    result: .holds,
                    conditions: [
                        ConditionTrace(
                            condition: "any",
                            result: .holds,
                            value: nil,
                            at: "p.yaml:12:13",
                            children: [
                                ConditionTrace(
                                    condition: "domain: spam.test",
                                    result: .holds,
                                    value: "spam.test",
                                    at: "p.yaml:12:20"
                                ),
                                ConditionTrace(
                                    condition: "message: absent",
                                    result: .notReached,
                                    value: nil,
                                    at: "p.yaml:12:40"
                                ),
                            ]
                        )
                    ]
                ), RuleTrace(rule: "rest", result: .notReached, conditions: []),
            ]
        )
        let facts = SubscriptionFacts(
            account: Samples.jid("support@doorward.test"),
            contact: Samples.jid("x@spam.test")
        )
        #expect(
            text(EvaluationRenderer(width: 80).lines(evaluation, policy: "community", facts: facts)) == """
                x@spam.test asks support@doorward.test: reject (blocks the sender), by the rule "spam" of community.

                fails staff
                    fails from: "@staff"  looked at: x@spam.test  (p.yaml:9:13)
                holds spam
                    holds any  (p.yaml:12:13)
                        holds domain: spam.test  looked at: spam.test  (p.yaml:12:20)
                        -     message: absent not reached  (p.yaml:12:40)
                -     rest: not reached
                """
        )
    }

    @Test(
        "ages",
        arguments: [
            (0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (172_799, "47 h"),
            (172_800, "2 d"),
            (1_814_400, "3 w"), (-5, "0 s"),
        ]
    )
    func ages(seconds: Int, words: String) {
        let now = Timestamp(milliseconds: Samples.start.milliseconds + Int64(seconds) * 1000)
        #expect(age(of: Samples.start, at: now) == words)
    }

    @Test(
        "a time is read back as it was written",
        arguments: [
            0, 1, 999, -1, 951_782_400_000, 1_767_614_400_123, 4_102_444_799_999, 1_709_164_800_000,
            -62_135_596_800_000,
        ] as [Int64]
    )
    func times(milliseconds: Int64) {
        let moment = Timestamp(milliseconds: milliseconds)
        #expect(Timestamp(rfc3339: moment.description) == moment)
    }

    @Test(
        "what is no time is none",
        arguments: [
            "", "T", "Z", "2026-01-05", "2026-01-05T12:00:00", "2026-13-05T12:00:00Z", "2026-01-05T25:00:00Z",
            "2026-1-5T1:0:0Z",
            "2026-01-05T12:00:00.xZ", "2026-01-05T12:00:00.-1Z", "99999999999999999999-01-05T12:00:00Z",
            "２026-01-05T12:00:00Z",
        ]
    )
    func noTimes(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }
}
