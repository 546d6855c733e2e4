/// What comes of asking a policy.
package enum Judgement: Hashable, Sendable {
    case decided(Evaluation)
    /// It hangs on facts that nobody has asked for yet; with them it is asked again.
    case needs(Set<CostlyFactName>)
}
