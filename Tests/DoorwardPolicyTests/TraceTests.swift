import DoorwardPolicy
import Testing
import XMPPCore

@Suite struct TraceTests {
    @Test("the trace names each rule, its conditions, the facts and their places")
    func trace() throws {
        let policy = Policy(
            name: "p",
            digest: "",
            rules: [
                Rule(
                    name: "staff",
                    place: "p.yaml:3:5",
                    conditions: [
                        Condition(
                            .domain([try set("corp.example")]),
                            label: "domain: corp.example",
                            place: "p.yaml:4:13"
                        ),
                        Condition(.inRoster(true), label: "in_roster: true", place: "p.yaml:4:40"),
                    ],
                    decision: accepted
                ),
                rule("everyone", [], .ask), rule("nobody", [.inRoster(true)], .ignore),
            ]
        )
        let evaluation = policy.evaluate(try facts(from: "eve@evil.example"))
        #expect(
            evaluation.trace == [
                RuleTrace(
                    rule: "staff",
                    result: .fails,
                    conditions: [
                        ConditionTrace(
                            condition: "domain: corp.example",
                            result: .fails,
                            value: "evil.example",
                            at: "p.yaml:4:13"
                        ),
                        ConditionTrace(
                            condition: "in_roster: true",
                            result: .notReached,
                            value: nil,
                            at: "p.yaml:4:40"
                        ),
                    ]
                ),
                RuleTrace(rule: "everyone", result: .holds, conditions: []),
                RuleTrace(rule: "nobody", result: .notReached, conditions: []),
            ]
        )
    }

    @Test("the value is the fact that was looked at")
    func values() throws {
        let facts = try facts(from: "ann@corp.example", message: "Hello", item: RosterFact(subscription: .none))
        let rows: [(Condition.Test, String?)] = [
            (.from([]), "ann@corp.example"), (.user([]), "ann"), (.domain([]), "corp.example"),
            (.account([]), "bot@doorward.test"), (.messageContains([]), "Hello"), (.messageAbsent(true), "Hello"),
            (.messageLongerThan(3), "5"), (.subscription([.none]), "none"), (.inRoster(true), "true"),
            (.all([]), nil), (.any([]), nil), (.not([]), nil),
        ]
        for (test, value) in rows {
            let trace = policy(rule("r", [test], .ask)).evaluate(facts).trace
            #expect(trace.first?.conditions.first?.value == value)
        }
    }

    @Test("an absent fact has no value")
    func absent() throws {
        let facts = try facts(from: "corp.example")
        for test in [
            Condition.Test.user([]), .messageContains([]), .messageLongerThan(1), .messageAbsent(false),
        ] {
            let trace = policy(rule("r", [test], .ask)).evaluate(facts).trace
            #expect(trace.first?.conditions.first?.value == nil)
            #expect(trace.first?.conditions.first?.result == .fails)
        }
    }

    @Test("what a combination did not look at was not reached")
    func shortCircuit() throws {
        let yes = condition(.inRoster(false), "yes")
        let no = condition(.inRoster(true), "no")
        func children(_ test: Condition.Test) throws -> [RuleTrace.Result] {
            let trace = policy(rule("r", [test], .ask)).evaluate(try facts()).trace
            return trace.first?.conditions.first?.children.map(\.result) ?? []
        }
        #expect(try children(.all([yes, no, yes])) == [.holds, .fails, .notReached])
        #expect(try children(.any([no, yes, no])) == [.fails, .holds, .notReached])
        #expect(try children(.not([no, yes])) == [.fails, .notReached])
    }

    @Test("a long message is cut in the trace, and nowhere else")
    func longMessage() throws {
        let long = String(repeating: "ж", count: 3_000) + "casino"
        let trace = policy(rule("r", [.messageContains([try set("casino")])], .ignore)).evaluate(
            try facts(message: long)
        )
        #expect(trace.decision == .ignore)
        #expect(trace.trace.first?.conditions.first?.value?.unicodeScalars.count == 257)
    }
}
