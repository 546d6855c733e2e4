extension Policy {
    /// Decides one request, and says why; or says which facts it hangs on that nobody has asked for yet.
    ///
    /// The order of authority: someone who sees the account already gets the same answer again; who shows a valid
    /// invitation is accepted, and so is a request that answers our own; then the rules are tried from the top; where none
    /// holds, a person is asked. It is a function of the policy and the facts alone.
    package func judge(_ facts: SubscriptionFacts) -> Judgement {
        if let (decision, authority) = facts.answered {
            let trace = rules.map(\.notReached)
            return .decided(Evaluation(decision: decision, by: authority, rule: nil, trace: trace))
        }
        var reader = FactReader(facts)
        var trace: [RuleTrace] = []
        trace.reserveCapacity(rules.count)
        var deciding: Rule?
        for rule in rules {
            guard deciding == nil else {
                trace.append(rule.notReached)
                continue
            }
            let outcome = reader.conjunction(of: rule.conditions)
            trace.append(RuleTrace(rule: rule.name, result: outcome.result, conditions: outcome.traces))
            switch outcome.result {
            case .holds: deciding = rule
            // A rule that holds or fails whatever the answer is needs no answer.
            case .unknown where !reader.needs.isEmpty: return .needs(reader.needs)
            // An unknown `when` does not hold.
            case .unknown, .fails, .notReached: reader.needs = []
            }
        }
        guard let deciding else {
            return .decided(Evaluation(decision: .ask, by: .default, rule: nil, trace: trace))
        }
        return .decided(Evaluation(decision: deciding.decision, by: .rule, rule: deciding.name, trace: trace))
    }

    /// The same where what nobody has asked for cannot be had.
    package func evaluate(_ facts: SubscriptionFacts) -> Evaluation {
        switch judge(facts) {
        case .decided(let evaluation): return evaluation
        case .needs(let names):
            var facts = facts
            for name in names {
                switch name {
                case .moved: facts.moved = .unknown
                }
            }
            return evaluate(facts)
        }
    }
}

extension SubscriptionFacts {
    /// What answers the request before any rule; nil where the rules do.
    fileprivate var answered: (decision: Decision, by: Authority)? {
        let authority = rosterItem?.authority
        if token == .valid, authority != .server { return (.accept(.ofInvitation), .token) }
        return authority.map { (.accept(Acceptance()), $0) }
    }
}

extension RosterFact {
    /// Who has answered a request of this contact already; nil where the rules do.
    ///
    /// Being in the roster is not consent: an item with `none` proves no request of ours.
    fileprivate var authority: Authority? {
        switch subscription {
        // The server says that the contact sees the account: only its own server has lost that (RFC 6121 section 3.1.3).
        case .from, .both: .server
        case .to: .ownRequest
        case .none: asked ? .ownRequest : nil
        }
    }
}

extension Rule {
    fileprivate var notReached: RuleTrace { RuleTrace(rule: name, result: .notReached, conditions: []) }
}
