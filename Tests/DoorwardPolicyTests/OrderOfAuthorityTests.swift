import DoorwardPolicy
import Testing
import XMPPCore

@Suite struct OrderOfAuthorityTests {
    @Test("the first rule that holds decides")
    func firstRule() throws {
        let policy = policy(
            rule("never", [.inRoster(true)], .ignore),
            rule("first", [], .reject(Rejection(block: true))),
            rule("second", [], accepted)
        )
        let evaluation = policy.evaluate(try facts())
        #expect(evaluation.decision == .reject(Rejection(block: true)))
        #expect(evaluation.by == .rule)
        #expect(evaluation.rule == "first")
    }

    @Test("all conditions of a rule must hold")
    func conjunction() throws {
        let policy = policy(rule("r", [.inRoster(false), .messageAbsent(false)], accepted))
        #expect(policy.evaluate(try facts()).decision == .ask)
        #expect(policy.evaluate(try facts(message: "hi")).decision == accepted)
    }

    @Test("where no rule holds a person is asked")
    func defaultIsAsk() throws {
        for policy in [policy(), policy(rule("r", [.inRoster(true)], accepted))] {
            let evaluation = policy.evaluate(try facts())
            #expect(evaluation.decision == .ask)
            #expect(evaluation.by == .default)
            #expect(evaluation.rule == nil)
        }
    }

    static let items: [(RosterFact?, Authority)] = [
        (nil, .rule),
        (RosterFact(subscription: .none), .rule),
        (RosterFact(subscription: .from), .server),
        (RosterFact(subscription: .both), .server),
        (RosterFact(subscription: .to), .ownRequest),
        (RosterFact(subscription: .none, asked: true), .ownRequest),
        (RosterFact(subscription: .from, asked: true), .server),
        (RosterFact(subscription: .none, groups: ["Friends"]), .rule),
    ]

    @Test(
        "who sees the account already, and who answers our own request, is accepted before any rule; no other item counts",
        arguments: items
    )
    func beforeTheRules(item: RosterFact?, by: Authority) throws {
        let policy = policy(rule("nobody", [], .reject(Rejection(block: true))), rule("never", [], .ask))
        let evaluation = policy.evaluate(try facts(item: item))
        let isRule = by == .rule
        #expect(evaluation.decision == (isRule ? .reject(Rejection(block: true)) : .accept(Acceptance())))
        #expect(evaluation.by == by)
        #expect(evaluation.rule == (isRule ? "nobody" : nil))
        #expect(evaluation.trace.map(\.result) == [isRule ? .holds : .notReached, .notReached])
    }

    @Test("a company bot admits its company only (scenario 1)")
    func companyBot() throws {
        let policy = policy(
            rule("staff", [.from([try set("*@corp.example")])], accepted),
            rule("nobody else", [], .reject(Rejection()))
        )
        #expect(policy.evaluate(try facts(from: "eve@evil.example")).decision == .reject(Rejection()))
        #expect(policy.evaluate(try facts(from: "ann@corp.example/phone")).decision == accepted)
        for lookAlike in [
            "staff@corp.example.evil.net", "ann@corp-example", "ann@xcorp.example", "corp.example@evil.example",
            "ann@sub.corp.example", "corp.example", "ann\\40corp.example@evil.example",
        ] {
            #expect(policy.evaluate(try facts(from: lookAlike)).decision == .reject(Rejection()), "\(lookAlike)")
        }
    }

    @Test(
        "every spelling of one address has one verdict",
        arguments: [
            "ann@corp.example", "ANN@corp.example", "Ann@Corp.EXAMPLE", "ann@corp.example.", "ann@corp.example/Phone",
        ]
    )
    func spellings(address: String) throws {
        let policy = policy(rule("staff", [.from([try set("Ann@CORP.example.")])], accepted))
        #expect(policy.evaluate(try facts(from: address)).decision == accepted)
    }

    @Test("the same facts give the same evaluation, and only the facts matter")
    func deterministic() throws {
        var generator = SeededGenerator(state: 42)
        let contacts = ["a@x.example", "b@y.example", "y.example", "A@X.example.", "юзер@пример.example"]
        let messages: [String?] = [nil, "", "casino", "hello", String(repeating: "ж", count: 300)]
        let items: [RosterFact?] = [nil] + RosterFact.Subscription.allCases.map { RosterFact(subscription: $0) }
        for _ in 0..<500 {
            let policy = Policy(
                name: "p",
                digest: "",
                rules: try (0..<4).map { number in
                    rule(
                        "r\(number)",
                        [try randomTest(&generator, depth: 3)],
                        [accepted, .ask, .ignore, .reject(Rejection())].randomElement(using: &generator) ?? .ask
                    )
                }
            )
            let contact = contacts.randomElement(using: &generator) ?? ""
            let one = try facts(
                from: contact,
                message: messages.randomElement(using: &generator) ?? nil,
                item: items.randomElement(using: &generator) ?? nil
            )
            let first = policy.evaluate(one)
            #expect(first == policy.evaluate(one))
            // The trace tells the decision: the rules before the deciding one fail, those after it were not reached.
            if first.by == .rule {
                let deciding = try #require(first.trace.firstIndex { $0.result == .holds })
                #expect(first.trace[deciding].rule == first.rule)
                #expect(first.trace[..<deciding].allSatisfy { $0.result == .fails })
                #expect(first.trace[(deciding + 1)...].allSatisfy { $0.result == .notReached && $0.conditions.isEmpty })
            } else {
                #expect(first.trace.allSatisfy { $0.result == (first.by == .default ? .fails : .notReached) })
            }
        }
    }

    private func randomTest(_ generator: inout SeededGenerator, depth: Int) throws -> Condition.Test {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 7), using: &generator) {
        case 0: return .from([try set("*@x.example", "y.example")])
        case 1: return .user([try set("a", "ю*")])
        case 2: return .domain([try set("*.example")])
        case 3: return .messageContains([try set("CASINO")])
        case 4: return .messageLongerThan(4)
        case 5: return .inRoster(Bool.random(using: &generator))
        case 6: return .subscription([.none, .both])
        case 7:
            return .all([
                condition(try randomTest(&generator, depth: depth - 1)),
                condition(try randomTest(&generator, depth: depth - 1)),
            ])
        case 8:
            return .any([
                condition(try randomTest(&generator, depth: depth - 1)),
                condition(try randomTest(&generator, depth: depth - 1)),
            ])
        default: return .not([condition(try randomTest(&generator, depth: depth - 1))])
        }
    }
}
