/// One rule of a policy: when it holds, and what is then done.
package struct Rule: Sendable {
    /// Unique in its policy.
    package var name: String
    /// `file:line:column` of the rule.
    package var place: String
    /// All of them must hold; empty means always.
    package var conditions: [Condition]
    package var decision: Decision

    package init(name: String, place: String, conditions: [Condition], decision: Decision) {
        self.name = name
        self.place = place
        self.conditions = conditions
        self.decision = decision
    }
}
