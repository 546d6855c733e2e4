/// What a policy says of one request, and why.
package struct Evaluation: Hashable, Sendable {
    package var decision: Decision
    package var by: Authority
    /// The rule that decided; nil where none did.
    package var rule: String?
    /// Each rule in order, those after the deciding one as not reached.
    package var trace: [RuleTrace]

    package init(decision: Decision, by: Authority, rule: String?, trace: [RuleTrace]) {
        self.decision = decision
        self.by = by
        self.rule = rule
        self.trace = trace
    }

    /// Whether more is done than the decision says, since the one who asks is a contact who has moved: only where a rule has
    /// let it in, and knew it (XEP-0283 section 3: acting on it is the user's choice).
    package func follows(_ moved: MoveFact) -> Bool {
        guard by == .rule, moved == .verified, case .accept = decision else { return false }
        return true
    }
}

/// What came of one rule.
package struct RuleTrace: Hashable, Sendable {
    package enum Result: String, Hashable, Sendable {
        case holds, fails, unknown
        case notReached = "not_reached"
    }

    package var rule: String
    package var result: Result
    /// The conditions of its `when`; empty where it has none, or was not reached.
    package var conditions: [ConditionTrace]

    package init(rule: String, result: Result, conditions: [ConditionTrace]) {
        self.rule = rule
        self.result = result
        self.conditions = conditions
    }
}

/// What came of one condition.
package struct ConditionTrace: Hashable, Sendable {
    /// The condition's name as the policy has it, with what it asks: `domain: "*.example.org"`.
    package var condition: String
    package var result: RuleTrace.Result
    /// The fact that was looked at, as text; nil where it is absent, and for `all`, `any` and `not`.
    package var value: String?
    /// `file:line:column` of the condition.
    package var at: String
    /// The conditions inside `all`, `any` or `not`.
    package var children: [ConditionTrace]

    package init(
        condition: String,
        result: RuleTrace.Result,
        value: String?,
        at: String,
        children: [ConditionTrace] = []
    ) {
        self.condition = condition
        self.result = result
        self.value = value
        self.at = at
        self.children = children
    }
}
