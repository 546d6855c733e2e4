import DoorwardPolicy
import Testing
import XMPPCore

/// Conditions on what a request brings as an introduction: a token, or a claim to have moved.
@Suite struct IntroductionConditionTests {
    private func facts(
        token: TokenFact = .absent, moved: CostlyFact<MoveFact> = .known(.absent), item: RosterFact? = nil
    ) throws -> SubscriptionFacts {
        var facts = try DoorwardPolicyTests.facts(item: item)
        facts.token = token
        facts.moved = moved
        return facts
    }

    private func judged(_ test: Condition.Test, _ moved: CostlyFact<MoveFact>) throws -> Judgement {
        policy(rule("r", [test], .ignore)).judge(try facts(moved: moved))
    }

    private func result(_ test: Condition.Test, _ moved: CostlyFact<MoveFact>) throws -> RuleTrace.Result? {
        guard case .decided(let evaluation) = try judged(test, moved) else { return nil }
        return evaluation.trace.first?.result
    }

    @Test("a valid token is accepted before any rule and before a request of ours, and asked in return")
    func valid() throws {
        let policy = policy(rule("nobody", [], .reject(Rejection(block: true))))
        for item in [nil, RosterFact(subscription: .none), RosterFact(subscription: .to)] {
            let evaluation = policy.evaluate(try facts(token: .valid, item: item))
            #expect(evaluation.decision == .accept(Acceptance(subscribeBack: true)))
            #expect(evaluation.by == .token && evaluation.rule == nil)
            #expect(evaluation.trace.map(\.result) == [.notReached])
        }
        // Who sees us already uses no invitation.
        let seen = policy.evaluate(try facts(token: .valid, item: RosterFact(subscription: .from)))
        #expect(seen.by == .server)
    }

    @Test("a rule sees a token that is worth nothing any more, and none")
    func token() throws {
        for state in [TokenFact.absent, .expired] {
            let facts = try facts(token: state)
            for wanted in TokenFact.allCases { #expect(holds(.token([wanted]), facts) == (wanted == state)) }
            #expect(holds(.token([.absent, .expired]), facts))
            #expect(
                policy(rule("r", [.token([state])], .ignore)).evaluate(facts).trace[0].conditions[0].value
                    == state.rawValue)
        }
    }

    @Test("moved is true, false or unknown as the fact is; what is unknown neither holds nor fails turned round")
    func moved() throws {
        for known in MoveFact.allCases {
            for wanted in MoveFact.allCases {
                #expect(try result(.moved([wanted]), .known(known)) == (known == wanted ? .holds : .fails))
            }
        }
        let verified = condition(.moved([.verified]))
        #expect(try result(verified.test, .unknown) == .unknown)
        #expect(try result(.not([verified]), .unknown) == .unknown)
        #expect(policy(rule("r", [verified.test], .ignore)).evaluate(try facts(moved: .unknown)).decision == .ask)
    }

    @Test("a claim is verified only where a rule hangs on it")
    func needs() throws {
        let verified = condition(.moved([.verified]))
        let holds = condition(.inRoster(false))
        let fails = condition(.inRoster(true))
        let hangs: [Condition.Test] = [
            verified.test, .moved([.claimed]), .moved([.absent, .verified]), .not([verified]), .any([fails, verified]),
            .all([holds, verified]),
        ]
        for test in hangs { #expect(try judged(test, .notAsked) == .needs([.moved]), "\(test)") }
        // Whatever the answer is, it is the same.
        #expect(try result(.any([verified, holds]), .notAsked) == .holds)
        #expect(try result(.all([verified, fails]), .notAsked) == .fails)
        #expect(try result(.moved([.claimed, .verified]), .notAsked) == .holds)
        #expect(try result(.moved([.absent]), .notAsked) == .fails)
        #expect(try result(.not([condition(.moved([.absent]))]), .notAsked) == .holds)
    }

    @Test("only the rules up to the one that decides can need it, and a rule before them needs nothing of its own")
    func needsInOrder() throws {
        let verified = rule("moved", [.moved([.verified])], .ignore)
        let facts = try facts(moved: .notAsked)
        #expect(policy(rule("all", [], .ask), verified).judge(facts) != .needs([.moved]))
        #expect(policy(rule("none", [.inRoster(true)], .ask), verified).judge(facts) == .needs([.moved]))
        let free = rule("free", [.any([condition(.moved([.verified])), condition(.inRoster(false))])], .ignore)
        guard case .decided(let evaluation) = policy(free, verified).judge(facts) else {
            Issue.record("needs a fact that it does not hang on")
            return
        }
        #expect(evaluation.rule == "free")
        // Without an answer it is unknown.
        #expect(policy(verified).evaluate(facts).trace.map(\.result) == [.unknown])
    }

    @Test("gateway is whether the requester is behind one of ours")
    func gateway() throws {
        var facts = try facts()
        for isBehind in [true, false] {
            facts.gateway = isBehind
            #expect(holds(.gateway(true), facts) == isBehind)
            #expect(holds(.gateway(false), facts) == !isBehind)
        }
    }

    @Test("a policy knows whether it reads tokens, at any depth")
    func reads() {
        let token = condition(.token([.expired]))
        #expect(policy(rule("r", [.not([condition(.any([condition(.all([token]))]))])], .ask)).readsToken)
        #expect(!policy(rule("r", [.moved([.verified])], .ask), rule("s", [], .ask)).readsToken)
    }
}
