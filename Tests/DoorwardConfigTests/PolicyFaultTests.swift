import DoorwardConfig
import DoorwardPolicy
import Testing
import XMPPCore

@Suite struct PolicyFaultTests {
    @Test(
        "each fault of a condition is found at its place",
        arguments: [
            "{ ⟦DW012⟧form: a@x.test }", "{ ⟦DW012⟧form: a@x.test, ⟦DW012⟧domian: x.test }", "⟦DW048⟧{}", "⟦DW022⟧~",
            "⟦DW023⟧[]",
            "⟦DW023⟧from", "{ ⟦DW029⟧nickname: x }", "{ ⟦DW029⟧rate: { per: domain } }", "{ ⟦DW029⟧avatar: absent }",
            "{ ⟦DW029⟧time: { between: \"22:00-06:00\" } }", "{ from: ⟦DW029⟧/a.*b/ }",
            "{ from: [⟦DW029⟧/x/, a@b.test] }",
            "{ domain: ⟦DW029⟧/x/ }", "{ user: ⟦DW029⟧/x/ }", "{ account: ⟦DW029⟧/x/ }",
            "{ from: ⟦DW031⟧x@example.org/ }", "{ from: ⟦DW031⟧x@example.org/phone }", "{ from: ⟦DW031⟧a@b@c }",
            "{ from: ⟦DW040⟧\"@nobody\" }", "{ domain: [x.test, ⟦DW040⟧\"@nobody\"] }",
            "{ message: { contains: ⟦DW040⟧\"@nobody\" } }",
            "{ domain: ⟦DW032⟧ann@x.test }", "{ user: ⟦DW032⟧ann@x.test }", "{ from: ⟦DW022⟧[] }",
            "{ from: ⟦DW022⟧\"\" }",
            "{ ⟦DW022⟧from: }", "{ from: ⟦DW023⟧{ a: b } }", "{ from: [a@x.test, ⟦DW042⟧A@X.test] }",
            "{ from: ⟦DW034⟧\"*\" }", "{ from: ⟦DW034⟧\"*.x.test\" }", "{ domain: ⟦DW033⟧\"*corp.test\" }",
            "{ from: ⟦DW033⟧\"*@*corp.test\" }",
            "{ message: ⟦DW023⟧casino }", "{ message: ⟦DW048⟧{} }", "{ message: { ⟦DW020⟧contians: x } }",
            "{ message: { ⟦DW029⟧matches: x } }",
            "{ message: { ⟦DW029⟧script: [Cyrillic] } }", "{ message: { longer_than: ⟦DW025⟧5.0 } }",
            "{ message: { longer_than: ⟦DW025⟧\"5\" } }",
            "{ message: { longer_than: ⟦DW025⟧5h } }", "{ message: { longer_than: ⟦DW026⟧-1 } }",
            "{ message: { longer_than: ⟦DW025⟧007 } }",
            "{ message: { longer_than: ⟦DW026⟧99999999999999999999 } }", "{ message: { longer_than: ⟦DW025⟧1e3 } }",
            "{ message: { longer_than: ⟦DW025⟧0x1F } }",
            "{ message: { longer_than: ⟦DW025⟧1_000 } }", "{ message: { longer_than: ⟦DW025⟧22:30 } }",
            "{ message: { longer_than: ⟦DW023⟧[1] } }",
            "{ message: { absent: ⟦DW024⟧yes } }", "{ in_roster: ⟦DW024⟧no }", "{ in_roster: ⟦DW024⟧\"true\" }",
            "{ in_roster: ⟦DW024⟧True }",
            "{ in_roster: ⟦DW022⟧~ }", "{ in_roster: ⟦DW024⟧on }", "{ in_roster: ⟦DW024⟧1 }",
            "{ subscription: ⟦DW052⟧from }", "{ subscription: ⟦DW052⟧[both, to] }", "{ subscription: ⟦DW052⟧to }",
            "{ not: { subscription: ⟦DW052⟧[from, both] } }", "{ subscription: ⟦DW028⟧nobody }",
            "{ subscription: [none, ⟦DW028⟧booth] }", "{ subscription: ⟦DW022⟧[] }",
            "{ all: ⟦DW047⟧{ from: a@x.test } }", "{ any: ⟦DW047⟧[] }", "{ any: ⟦DW047⟧from }",
            "{ not: ⟦DW047⟧[ { from: a@x.test } ] }",
            "{ not: ⟦DW023⟧from }", "{ all: [ ⟦DW048⟧{} ] }", "{ any: [ ⟦DW023⟧from ] }",
            "{ any: [ { ⟦DW012⟧form: x } ] }",
            "{ not: { any: [ { all: [ { ⟦DW012⟧fromm: x } ] } ] } }", "{ ⟦DW012⟧yozh: x }",
        ]
    )
    func conditions(text: String) throws {
        try checkPolicy(when(text))
    }

    @Test(
        "every condition of this version loads",
        arguments: [
            "{ from: a@x.test }", "{ from: [a@x.test, \"*@y.test\", x.test] }", "{ user: ann }", "{ user: \"a*\" }",
            "{ domain: [x.test, \"*.x.test\"] }",
            "{ account: a@x.test }", "{ message: { contains: casino } }", "{ message: { contains: [casino, loan] } }",
            "{ message: { absent: true } }",
            "{ message: absent }", "{ message: { longer_than: 500, contains: a } }", "{ message: { longer_than: 0 } }",
            "{ subscription: none }",
            "{ subscription: [none, from] }", "{ in_roster: true }",
            "{ all: [ { from: a@x.test }, { in_roster: false } ] }",
            "{ any: [ { from: a@x.test, user: a }, { in_roster: false } ], domain: x.test }",
            "{ not: { from: a@x.test, user: b } }",
            "{ message: { contains: [no, yes, on, 0123, 1e3, 2024-01-01, null_] } }", "{ from: сœur@пример.test }",
        ]
    )
    func good(text: String) throws {
        try checkPolicy(when(text))
    }

    @Test(
        "each fault of a rule is found at its place",
        arguments: [
            "  - ⟦DW021⟧then: ask\n", "  - ⟦DW021⟧rule: r\n",
            "  - rule: r\n    ⟦DW020⟧wenn: { from: a@x.test }\n    then: ask\n",
            "  - rule: r\n    then: ⟦DW049⟧no\n", "  - rule: r\n    then: ⟦DW049⟧acept\n",
            "  - rule: r\n    then: ⟦DW049⟧yes\n",
            "  - rule: r\n    ⟦DW022⟧then:\n", "  - rule: r\n    then: ⟦DW050⟧[accept]\n",
            "  - rule: r\n    then: ⟦DW050⟧{ accept: {}, ask: {} }\n",
            "  - rule: r\n    then: ⟦DW050⟧{}\n", "  - rule: r\n    then: { ⟦DW049⟧allow: {} }\n",
            "  - rule: r\n    then: { accept: ⟦DW023⟧true }\n",
            "  - rule: r\n    then: { accept: { ⟦DW020⟧subscribeback: true } }\n",
            "  - rule: r\n    then: { accept: { subscribe_back: ⟦DW024⟧yes } }\n",
            "  - rule: r\n    then: { accept: { groups: ⟦DW023⟧Staff } }\n",
            "  - rule: r\n    then: { accept: { groups: [⟦DW023⟧[Staff]] } }\n",
            "  - rule: r\n    then: { accept: { groups: [A, ⟦DW042⟧A] } }\n",
            "  - rule: r\n    then: { accept: { name: ⟦DW022⟧~ } }\n",
            "  - rule: r\n    then: { accept: { ⟦DW029⟧message: hi } }\n",
            "  - rule: r\n    then: { reject: { ⟦DW029⟧message: go } }\n",
            "  - rule: r\n    then: { reject: { ⟦DW029⟧message: no } }\n",
            "  - rule: r\n    then: { reject: { ⟦DW020⟧blok: true } }\n",
            "  - rule: r\n    then: { ask: { ⟦DW029⟧operators: [ana], ⟦DW029⟧within: 48h, ⟦DW029⟧otherwise: reject } }\n",
            "  - rule: r\n    then: { ignore: { ⟦DW020⟧x: 1 } }\n", "  - rule: r\n    then: ⟦DW029⟧defer\n",
            "  - rule: r\n    then: { ⟦DW029⟧challenge: {} }\n",
            "  - rule: r\n    ⟦DW029⟧score: +3\n",
            "  - rule: r\n    ⟦DW029⟧enabled: false\n    ⟦DW029⟧expires: \"2027-03-01\"\n    ⟦DW029⟧shadow: true\n    ⟦DW029⟧if_unknown: ask\n    then: ask\n",
            "  - ⟦DW029⟧include: common.yaml\n", "  - ⟦DW023⟧accept\n", "  - ⟦DW022⟧rule: \n    then: ask\n",
            "  - rule: ⟦DW035⟧\" r\"\n    then: ask\n",
            "  - rule: a\n    when: { in_roster: true }\n    then: ask\n  - rule: ⟦DW045⟧\"a\"\n    then: ask\n",
            "  - rule: a\n    then: ask\n  - ⟦DW046⟧rule: b\n    then: reject\n  - ⟦DW046⟧rule: c\n    when: { in_roster: true }\n    then: reject\n",
            "  - match:\n    ⟦DW020⟧jid: x\n".replacingMatch,
        ]
    )
    func rule(text: String) throws {
        try checkPolicy(rules(text))
    }

    @Test("wrong indentation is told with the key that has no value (B077)")
    func indentation() throws {
        let faults = try checkPolicy(rules("  - rule: r\n    ⟦DW022⟧when:\n    ⟦DW020⟧from: a@x.test\n    then: ask\n"))
        #expect(
            faults.contains {
                $0.message.contains("unknown key 'from'")
                    && $0.message.contains("'when' at 5:5 has no value: check the indentation")
            }
        )
    }

    @Test(
        "each fault of the policy's own keys is found at its place",
        arguments: [
            "⟦DW021⟧policy: p\nsubscription: [ { rule: r, then: ask } ]\n",
            "⟦DW021⟧version: 1\nsubscription: [ { rule: r, then: ask } ]\n",
            "version: ⟦DW030⟧2\npolicy: p\nsubscription: [ { rule: r, then: ask } ]\n",
            "version: ⟦DW025⟧01\npolicy: p\nsubscription: [ { rule: r, then: ask } ]\n",
            "version: 1\npolicy: ⟦DW035⟧a/b\nsubscription: [ { rule: r, then: ask } ]\n",
            "version: 1\npolicy: ⟦DW035⟧a.yaml\nsubscription: [ { rule: r, then: ask } ]\n",
            "version: 1\npolicy: p\n⟦DW020⟧rules: [ { rule: r, then: ask } ]\n",
            "version: 1\npolicy: p\n⟦DW029⟧guard: [a@x.test]\n⟦DW029⟧pruning: {}\n⟦DW029⟧tests: []\nsubscription: [ { rule: r, then: ask } ]\n",
            "⟦DW051⟧version: 1\npolicy: p\n", "version: 1\npolicy: p\n⟦DW051⟧subscription: []\n",
            "version: 1\npolicy: p\nsubscription: ⟦DW023⟧ask\n",
            "version: 1\npolicy: p\n⟦DW022⟧subscription: \n", "⟦DW023⟧[]\n", "⟦DW023⟧policy\n",
        ]
    )
    func policyKeys(text: String) throws {
        try checkPolicy(text)
    }

    private static let use = "subscription:\n  - { rule: r, when: { from: \"@l\" }, then: ask }\n"

    @Test(
        "each fault of a list is found at its place",
        arguments: [
            "lists: ⟦DW023⟧[]\nsubscription: [ { rule: r, then: ask } ]\n",
            "lists: { ⟦DW035⟧\"@l\": [a@x.test], l: [a@x.test] }\n" + use,
            "lists: { l: ⟦DW023⟧a@x.test }\n" + use, "lists: { l: ⟦DW041⟧[] }\n" + use,
            "lists: { l: [a@x.test], ⟦DW044⟧m: [a@x.test] }\n" + use,
            "lists: { l: [a@x.test, ⟦DW042⟧A@x.TEST] }\n" + use,
            "lists: { l: [a@x.test, ⟦DW043⟧a@x.test/phone] }\n" + use, "lists: { l: [⟦DW043⟧\"@x.test\"] }\n" + use,
            "lists: { l: [⟦DW029⟧/x/] }\n" + use, "lists: { l: [⟦DW029⟧{ value: a@x.test, expires: 2027 }] }\n" + use,
            "lists: { l: [⟦DW023⟧[a@x.test]] }\n" + use,
            "lists: { l: ⟦DW021⟧{ ⟦DW029⟧url: \"https://x.test\" } }\n" + use,
            "lists: { l: ⟦DW021⟧{ ⟦DW029⟧pubsub: {} } }\n" + use,
            "lists: { l: { file: ⟦DW001⟧missing.txt } }\n" + use, "lists: { l: ⟦DW021⟧{ ⟦DW020⟧fil: l.txt } }\n" + use,
            "lists: { l: { ⟦DW022⟧file: } }\n" + use,
            "lists: { l: { file: ⟦DW001⟧. } }\n" + use, "lists: { ⟦DW029⟧include: x, l: [a@x.test] }\n" + use,
            "lists: { l: [ann@x.test] }\nsubscription:\n  - { rule: r, when: { from: \"@l\" }, then: ask }\n",
            "lists: { l: [⟦DW043⟧ann@x.test] }\nsubscription:\n  - { rule: r, when: { domain: \"@l\" }, then: ask }\n",
            "lists: { l: [⟦DW034⟧\"*.x.test\"] }\n" + use,
        ]
    )
    func lists(text: String) throws {
        try checkPolicy("version: 1\npolicy: p\n" + text)
    }

    @Test(
        "one mistake is one fault: lists that it hides are neither unknown nor unused, and no rule is unreachable by it",
        arguments: [
            "lists: { l: [a@x.test] }\nsubscription: [ { rule: r, when: { ⟦DW012⟧form: \"@l\" }, then: ask } ]\n",
            "lists: { l: [a@x.test] }\nsubscription: [ { rule: r, when: { ⟦DW029⟧nickname: [\"@l\"] }, then: ask } ]\n",
            "lists: { l: [a@x.test] }\nsubscription: [ { rule: r, when: { any: ⟦DW047⟧{ from: \"@l\" } }, then: ask } ]\n",
            "lists: { l: [a@x.test] }\nsubscription: [ { rule: r, ⟦DW020⟧wehn: { from: \"@l\" }, then: ask } ]\n",
            "lists: { l: [a@x.test] }\n⟦DW020⟧subscripton: [ { rule: r, when: { from: \"@l\" }, then: ask } ]\n",
            "lists: { staff: [a@x.test] }\nsubscription: [ { rule: r, when: { from: ⟦DW040⟧\"@staf\" }, then: ask } ]\n",
            "lists: { l: [a@x.test] }\nsubscription: [ { rule: r, when: { from: x.test, ⟦DW016⟧from: \"@l\" }, then: ask } ]\n",
            "⟦DW020⟧list: { l: [a@x.test] }\n" + use, "lists: { ⟦DW035⟧\"@l\": [a@x.test] }\n" + use,
            "lists: ⟦DW023⟧[]\n" + use,
            "subscription: [ { rule: a, ⟦DW020⟧wehn: { from: a@x.test }, then: ask }, { rule: b, then: ask } ]\n",
            "subscription: [ { rule: a, ⟦DW015⟧<<: x, then: ask }, { rule: b, then: ask } ]\n",
        ]
    )
    func oneFault(text: String) throws {
        try checkPolicy("version: 1\npolicy: p\n" + text)
    }

    @Test("a list file has one value a line, with comments; its faults have their own places")
    func listFile() throws {
        let text = "version: 1\npolicy: p\nlists: { l: { file: lists/l.txt } }\n" + PolicyFaultTests.use
        try checkPolicy(text, lists: ["lists/l.txt": "# all of them\r\n  ann@x.test   # the boss\r\n\r\n*@y.test"])
        try checkPolicy(text, lists: ["lists/l.txt": "\u{FEFF}*@y.test\n"])
        try checkPolicy(text, lists: ["lists/l.txt": "⟦DW041!⟧# nobody\n"])
        let workspace = Workspace()
        try workspace.write("p.yaml", text)
        try workspace.write(
            "lists/l.txt",
            "ann@x.test\n  ⟦DW043⟧ann@@x.test # why\n*@y.test\n⟦DW042⟧*@Y.test\n⟦DW043⟧\"*@z.test\"\n"
        )
        let (policy, faults) = PolicyLoader.load(path: workspace.path("p.yaml"))
        #expect(policy == nil)
        #expect(workspace.findings(faults) == workspace.due.sorted())
        #expect(faults.first?.source == "  ann@@x.test # why")
    }

    @Test("faults of a list come once, however many rules use it")
    func listFaultsOnce() throws {
        try checkPolicy(
            "version: 1\npolicy: p\nlists: { l: [⟦DW043⟧a@@b] }\nsubscription:\n"
                + "  - { rule: r, when: { from: \"@l\" }, then: ask }\n  - { rule: s, when: { from: [\"@l\", a@b.test] }, then: ask }\n"
        )
    }

    @Test("a loaded policy decides as written, and its trace has the places")
    func decides() throws {
        let workspace = Workspace()
        try workspace.write(
            "p.yaml",
            """
            version: 1
            policy: company
            lists: { staff: { file: staff.txt } }
            subscription:
              - rule: staff
                when: { from: "@staff", not: { message: { contains: [casino, "free money"] } } }
                then: { accept: { subscribe_back: true, groups: [Staff, "2nd"], name: no } }
              - rule: nobody else
                then: { reject: { block: true } }
            """
        )
        try workspace.write("staff.txt", "*@corp.example\n")
        let (loaded, faults) = PolicyLoader.load(path: workspace.path("p.yaml"))
        #expect(faults.isEmpty)
        let policy = try #require(loaded)
        #expect(policy.name == "company")
        #expect(!policy.digest.isEmpty)
        let account = try BareJID("bot@corp.example")
        func evaluate(_ contact: String, _ message: String? = nil) throws -> Evaluation {
            policy.evaluate(SubscriptionFacts(account: account, contact: try BareJID(contact), message: message))
        }
        let accepted = try evaluate("Ann@corp.example/phone")
        #expect(accepted.decision == .accept(Acceptance(subscribeBack: true, groups: ["Staff", "2nd"], name: "no")))
        #expect(accepted.trace.first?.conditions.map(\.condition) == ["from: \"@staff\"", "not"])
        #expect(accepted.trace.first?.conditions.first?.at == workspace.path("p.yaml") + ":6:13")
        #expect(
            accepted.trace.first?.conditions.last?.children.first?.condition
                == "message: { contains: [casino, \"free money\"] }"
        )
        #expect(try evaluate("ann@corp.example", "CASINO").decision == .reject(Rejection(block: true)))
        #expect(try evaluate("staff@corp.example.evil.net").decision == .reject(Rejection(block: true)))
    }

    @Test("the digest changes with the policy's bytes and with those of its lists")
    func digest() throws {
        let workspace = Workspace()
        let text = "version: 1\npolicy: p\nlists: { l: { file: l.txt } }\n" + PolicyFaultTests.use
        var digests: Set<String> = []
        for (policy, list) in [(text, "a@x.test\n"), (text, "b@x.test\n"), (text + "# more\n", "a@x.test\n")] {
            try workspace.write("p.yaml", policy)
            try workspace.write("l.txt", list)
            digests.insert(try #require(PolicyLoader.load(path: workspace.path("p.yaml")).policy).digest)
        }
        #expect(digests.count == 3)
    }

    @Test("combinations over depth 32 are refused, at 32 they load")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "{ not: ", count: depth) + "{ in_roster: true }" + String(repeating: " }", count: depth)
        }
        try checkPolicy(when(nested(32)))
        let workspace = Workspace()
        try workspace.write("p.yaml", when(nested(33)))
        #expect(PolicyLoader.load(path: workspace.path("p.yaml")).faults.map(\.code) == ["DW047"])
    }

    @Test(
        "a suggestion names what was meant",
        arguments: [
            ("{ form: a }", "from"), ("{ domian: a }", "domain"), ("{ jid: a }", "from"), ("{ mesage: {} }", "message"),
            ("{ in_roster: yes }", "true"), ("{ subscription: booth }", "both"),
            ("{ message: { contain: a } }", "contains"), ("{ zzzzzz: 1 }", nil),
        ] as [(String, String?)]
    )
    func suggestions(text: String, meant: String?) throws {
        let workspace = Workspace()
        try workspace.write("p.yaml", when(text))
        #expect(PolicyLoader.load(path: workspace.path("p.yaml")).faults.first?.suggestion == meant)
    }

    @Test(
        "an unknown decision is named with the decisions there are (B070)",
        arguments: [("no", "reject"), ("allow", "accept"), ("acept", "accept"), ("xyzzy", nil)] as [(String, String?)]
    )
    func decisions(word: String, meant: String?) throws {
        let fault = try #require(try checkPolicy(rules("  - rule: r\n    then: ⟦DW049⟧\(word)\n")).first)
        #expect(fault.message == "unknown decision '\(word)': it is accept, reject, ask or ignore")
        #expect(fault.suggestion == meant)
    }

    @Test("a hundred faults are shown, and that there are more")
    func manyFaults() throws {
        let workspace = Workspace()
        let lines = (0..<300).map { "  - { rule: r\($0), when: { form: x }, then: ask }\n" }.joined()
        try workspace.write("p.yaml", rules(lines))
        let faults = PolicyLoader.load(path: workspace.path("p.yaml")).faults
        #expect(faults.map(\.code) == Array(repeating: "DW012", count: 100) + ["DW036"])
        #expect(faults.map(\.line) == Array(4...104))
        #expect(faults.last?.message.hasPrefix("at least 200 more errors of this file are not shown") == true)
    }

    @Test("errors and warnings are counted apart, each with its note at the end")
    func manyWarnings() throws {
        let workspace = Workspace()
        let lists = (0..<101).map { "  l\($0): [a@x.test]\n" }.joined()
        let rules = (0..<102).map { "  - { rule: r\($0), when: { in_roster: true }, then: aks }\n" }.joined()
        try workspace.write("p.yaml", "version: 1\npolicy: p\nlists:\n" + lists + "subscription:\n" + rules)
        let faults = PolicyLoader.load(path: workspace.path("p.yaml")).faults
        #expect(faults.count == 202)
        #expect(faults.suffix(2).map(\.code) == ["DW036", "DW037"])
        #expect(faults.suffix(2).map(\.severity) == [.error, .warning])
        #expect(faults.suffix(2).first?.message.hasPrefix("at least 2 more errors") == true)
        #expect(faults.last?.message.hasPrefix("at least one more warning") == true)
    }
}

extension String {
    /// The sample of B077: a rule of another language, all of it unknown.
    fileprivate var replacingMatch: String { "  - ⟦DW021⟧⟦DW021⟧⟦DW020⟧match:\n    ⟦DW020⟧jid: x\n" }
}
