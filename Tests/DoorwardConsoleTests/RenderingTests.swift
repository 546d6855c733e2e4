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
                       4 s ago, delivered 3 times, by the rule 'everyone else' of community
                       calls itself Ann
                       “Hello, it is me”

                Answer with 'doorward accept 17' or 'doorward reject 17' (--block also blocks the sender).
                """
        )
    }

    @Test("pending names the policy of which no rule decided")
    func noRule() {
        var row = Samples.request()
        row.rule = nil
        let words = text(desk.pending(.array([row.json]), all: false))
        #expect(words.contains("4 s ago, delivered 3 times, no rule of community decided\n"))
        row.policy = nil
        #expect(text(desk.pending(.array([row.json]), all: false)).contains("delivered 3 times\n"))
    }

    @Test("what is empty says so, and what to do next")
    func empty() {
        let nothing = JSONValue.array([])
        #expect(text(desk.pending(nothing, all: false)).hasPrefix("Nothing waits. "))
        #expect(text(desk.pending(nothing, all: true)).contains("doorward history"))
        #expect(text(desk.history(nothing, limit: 100)).hasPrefix("Nothing was decided yet."))
        #expect(text(service.alerts(nothing, all: false)).hasPrefix("No alerts: nothing needs you."))
        let status = ServiceStatus(version: "0.1.0", startedAt: Samples.start, alerts: [], accounts: [])
        #expect(text(service.status(status.json)).contains("No accounts are configured. Add one to a bot.yaml"))
        let reload = ReloadOutcome(change: .init(started: [], stopped: [], updated: [], restarted: []), faults: [])
        #expect(
            text(service.reload(reload.json))
                == "Read again; no account changed. Operators and settings are those of the files now.")
    }

    @Test(
        "an answer says when it goes out",
        arguments: [
            (
                "",
                "Accepted ann@example.test for support@doorward.test. This account is not configured: the answer waits until it is again."
            ),
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
                  account parked: front@corp.test, 4 s ago
                      wrong password; mend secrets/front, then 'doorward reload'

                1 request waits for an answer: 'doorward pending'.
                """
        )
    }

    @Test("status says how many sessions went on over another connection, and when the last did", arguments: [1, 2])
    func resumed(count: Int) {
        var accounts = [Samples.accountStatus(), Samples.accountStatus(), Samples.accountStatus()]
        accounts[0].resumedAt = Samples.start
        if count == 2 { accounts[1].resumedAt = Timestamp(milliseconds: Samples.start.milliseconds + 1000) }
        let status = ServiceStatus(version: "0.1.0", startedAt: Samples.start, alerts: [], accounts: accounts)
        let line =
            count == 1
            ? "1 account went on with the session of before, the last 4 s ago."
            : "2 accounts went on with the session of before, the last 3 s ago."
        #expect(text(service.status(status.json)).contains("\n\(line)\n"))
        #expect(status.json["accounts"]?.array?.first?["resumed_at"] == .string(Samples.start.description))
    }

    @Test("history: words are cut to the width of the terminal, addresses never", arguments: [40, 80, 100, 120, 200])
    func history(width: Int) {
        var row = Samples.history()
        row.contact = Samples.jid("someone.with.a.rather.long.name@a.rather.long.domain.example")
        row.operator = String(repeating: "o", count: 200)
        let rows = JSONValue.array([
            row.json, Samples.history(122, decision: nil, by: "requester", state: .withdrawn).json,
        ])
        let lines = DeskRenderer(now: Samples.now, width: width).history(rows, limit: 2)
        #expect(lines.first?.rendered(colours: false).hasPrefix("ID") ?? false)
        #expect(lines.count == 3)
        for line in lines { #expect(line.columns <= max(width, 150), "\(line.rendered(colours: false))") }
        #expect(text(lines).contains("someone.with.a.rather.long.name@a.rather.long.domain.example"))
        #expect(!text(lines).contains(row.operator ?? ""))
        let whole = DeskRenderer(now: Samples.now, width: Output.unbounded).history(rows, limit: 2)
        #expect(text(whole).contains(row.operator ?? ""))
    }

    @Test("history says that there are older rows where there are, how to ask for them, and where the end is")
    func olderRows() {
        let rows = JSONValue.array([Samples.history(9).json, Samples.history(8).json, Samples.history(7).json])
        let hint = text(desk.history(rows, limit: 2, flags: " --account a@x.example --limit 2"))
        #expect(hint.hasSuffix("\n\nOlder rows: 'doorward history --before h8 --account a@x.example --limit 2'."))
        #expect(!hint.contains("h7"))
        #expect(!text(desk.history(rows, limit: 3)).contains("Older rows"))
        #expect(text(desk.history(.array([]), limit: 3, isLater: true)) == "No older rows.")
    }

    @Test("a text on the desk goes over several lines; past eight the way to the rest is shown")
    func longText() {
        let message = (1...400).map { "word\($0)" }.joined(separator: " ")
        let row = Samples.request(message: message, nickname: nil)
        let lines = desk.pending(.array([row.json]), all: false)
        for line in lines.dropLast() { #expect(line.columns <= 80, "\(line.rendered(colours: false))") }
        let shown = lines.map { $0.rendered(colours: false) }
        #expect(shown.filter { $0.contains("word") }.count == 8)
        let rest = shown.first { $0.hasPrefix("        … (") } ?? ""
        #expect(rest.hasSuffix(" more characters: 'doorward pending 17')"))
        let file = DeskRenderer(now: Samples.now, width: Output.unbounded)
        let list = file.pending(.array([row.json]), all: false).map { $0.rendered(colours: false) }
        #expect(list.filter { $0.contains("word") }.count == 8)
        #expect(text(file.requests(.array([row.json]))).contains("“\(message)”"))
    }

    @Test("pending ID shows one request with all that is known, and its text to the end")
    func wholeRequest() {
        let message = "Hello\n" + (1...400).map { "word\($0)" }.joined(separator: " ")
        let row = Samples.request(message: message).json.adding("last_seen_at", .string("2026-01-05T12:00:00.000Z"))
        let lines = desk.requests(.array([row.adding("account_state", .string("online")).adding("error", .null)]))
        #expect(
            text(lines).hasPrefix(
                """
                   17  ann@example.test asks to add support@doorward.test
                       open, version 1; the account is online
                       received at 2026-01-05T12:00:00.000Z, 4 s ago, by the rule 'everyone else' of community
                       delivered 3 times, last at 2026-01-05T12:00:00.000Z
                       calls itself Ann
                       “Hello\\u{A}
                        word1 word2 word3
                """))
        #expect(text(lines).contains("word400”\n\nAnswer with 'doorward accept 17'"))
        let elsewhere = desk.requests(.array([row.adding("account_state", .null)]))
        #expect(text(elsewhere).contains("the account is not configured"))
    }

    @Test("an answer says that the sender is blocked too")
    func blocks() {
        let row = Samples.request().json.adding("account_state", .string("online"))
        #expect(
            text(desk.answered(.array([row]), accepted: false, blocked: true))
                == "Rejected ann@example.test for support@doorward.test, and blocks the sender. The answer goes out now."
        )
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
                x@spam.test asks support@doorward.test: reject (blocks the sender), by the rule 'spam' of community.

                fails staff
                    fails from: "@staff"  looked at: x@spam.test  (p.yaml:9:13)
                holds spam
                    holds any  (p.yaml:12:13)
                        holds domain: spam.test  looked at: spam.test  (p.yaml:12:20)
                        not reached message: absent  (p.yaml:12:40)
                not reached rest
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
