extension Policy {
    /// Decides one request, and says why.
    package func evaluate(_ facts: SubscriptionFacts) -> Evaluation {
        Evaluation(decision: .ask, by: .default, rule: nil, trace: [])
    }
}
