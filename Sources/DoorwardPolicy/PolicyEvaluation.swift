extension Policy {
    /// Decides one request, and says why.
    ///
    /// The order of authority: a request that answers our own is accepted; then the rules are tried from the top;
    /// where none holds, a person is asked. It is a function of the policy and the facts alone.
    package func evaluate(_ facts: SubscriptionFacts) -> Evaluation {
        // Being in the roster is not consent: an item with `none`, `from` or `both` proves no request of ours.
        if let item = facts.rosterItem, item.asked || item.subscription == .to {
            return Evaluation(
                decision: .accept(Acceptance()),
                by: .ownRequest,
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

extension Rule {
    fileprivate var notReached: RuleTrace { RuleTrace(rule: name, result: .notReached, conditions: []) }
}
