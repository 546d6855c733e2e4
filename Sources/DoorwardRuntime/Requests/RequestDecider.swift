import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPCore

/// Turns a request into a record of what is decided: asks the policy, and works out which stanzas that means here.
struct RequestDecider {
    var account: BareJID
    var policy: Policy
    var mode: AccountConfiguration.Mode
    /// Whether the server announces blocking (XEP-0191).
    var canBlock: Bool
    /// The entry of the account's block list that covers the one who asks; nil where none does.
    var blocked: JID?
    /// Whether the one who asks is behind a gateway that is a contact.
    var isBehindGateway = false
    /// An operator's word that the one who asks is let in; servers lose what they were told of it.
    var approval: Approval?
    /// The item of the address from which the one who asks has moved, where that is verified.
    var old: RosterFact?

    /// - Parameters:
    ///   - request: What it brought.
    ///   - item: The contact's roster item.
    ///   - moved: Whether it comes from a contact who has moved, as far as anybody has asked.
    ///   - claim: The same with what follows from it, where it is verified.
    /// - Returns: What to record; nil where the decision hangs on facts that must be asked for.
    func decide(
        _ request: DeliveredRequest, item: RosterFact?, moved: CostlyFact<MoveFact>, claim: MoveClaim? = nil
    ) -> DecisionRecord? {
        var facts = SubscriptionFacts(
            account: account, contact: request.contact, message: request.message, nickname: request.nickname,
            rosterItem: item, moved: moved, gateway: isBehindGateway)
        // Servers keep such requests away; one that came before the block is delivered all the same, and an answer to a
        // blocked contact goes nowhere (XEP-0191 section 3.5).
        if let blocked { return Self.ignored(facts, blocked) }
        if let approval { return approved(facts, approval, item) }
        guard var record = record(facts, item: item, claim: claim) else { return nil }
        record.stepsIfInvited = mode == .enforce ? Self.steps(of: DecisionRecord.ofInvitation, item: item) : []
        // What the token is worth is known in the transaction only; there one of both is taken. A request that comes
        // without its token again may have shown one before.
        guard policy.readsToken else { return record }
        facts.token = .expired
        guard let expired = self.record(facts, item: item, claim: claim) else { return nil }
        record.ifExpired = .record(expired)
        return record
    }

    private func record(_ facts: SubscriptionFacts, item: RosterFact?, claim: MoveClaim?) -> DecisionRecord? {
        guard case .decided(let evaluation) = policy.judge(facts) else { return nil }
        let acts = mode == .enforce
        var decision = evaluation.decision
        var wanted = acts ? Self.steps(of: decision, item: item) : []
        if let claim, acts, evaluation.follows(.verified) {
            (decision, wanted) = claim.followed(decision, wanted, old: old, new: item)
        }
        let refused = wanted.contains(.block) && !canBlock
        return DecisionRecord(
            decision: decision,
            by: evaluation.by,
            rule: evaluation.rule,
            policy: policy.name,
            policyDigest: policy.digest,
            reason: refused ? Self.cannotBlock : nil,
            facts: EvaluationJSON.facts(facts),
            trace: EvaluationJSON.trace(evaluation.trace),
            acts: acts,
            steps: refused ? wanted.filter { $0 != .block } : wanted)
    }

    private static func ignored(_ facts: SubscriptionFacts, _ entry: JID) -> DecisionRecord {
        DecisionRecord(
            decision: .ignore, by: .server, reason: "\(entry) is on the account's block list",
            facts: EvaluationJSON.facts(facts))
    }

    private func approved(_ facts: SubscriptionFacts, _ approval: Approval, _ item: RosterFact?) -> DecisionRecord {
        let (decision, acts) = (Decision.accept(Acceptance()), mode != .observe)
        return DecisionRecord(
            decision: decision, by: .operator, operator: approval.operator,
            reason: "pre-approved by \(approval.operator)", facts: EvaluationJSON.facts(facts), acts: acts,
            steps: acts ? Self.steps(of: decision, item: item) : [])
    }

    static let cannotBlock = "not blocked: the server does not announce blocking (XEP-0191)"

    /// The steps of a decision in the order they are written; what the roster already shows is left out.
    static func steps(of decision: Decision, item: RosterFact?) -> [OutboxStep.Kind] {
        switch decision {
        case .accept(let acceptance):
            let sets = !acceptance.groups.isEmpty || acceptance.name != nil
            let isSet = item?.shows(acceptance) ?? false
            let asks = acceptance.subscribeBack && item?.subscription.hasTo != true && item?.asked != true
            return (sets && !isSet ? [.rosterSet] : []) + [.verdict] + (asks ? [.subscribeBack] : [])
        case .reject(let rejection):
            return [.verdict] + (rejection.block ? [.block] : [])
        case .ask, .ignore:
            return []
        }
    }
}
