extension Policy {
    /// Decides one request, and says why.
    ///
    /// The order of authority: someone who sees the account already gets the same answer again; a request that answers
    /// our own is accepted; then the rules are tried from the top; where none holds, a person is asked. It is a function
    /// of the policy and the facts alone.
    package func evaluate(_ facts: SubscriptionFacts) -> Evaluation {
        if let authority = facts.rosterItem?.authority {
            return Evaluation(
                decision: .accept(Acceptance()),
                by: authority,
                rule: nil,
                trace: rules.map(\.notReached)
            )
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
            // An unknown `when` does not hold.
            if outcome.result == .holds { deciding = rule }
        }
        guard let deciding else { return Evaluation(decision: .ask, by: .default, rule: nil, trace: trace) }
        return Evaluation(decision: deciding.decision, by: .rule, rule: deciding.name, trace: trace)
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
