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

    func decide(_ request: DeliveredRequest, item: RosterFact?) -> DecisionRecord {
        let facts = SubscriptionFacts(
            account: account, contact: request.contact, message: request.message, nickname: request.nickname,
            rosterItem: item)
        // Servers keep such requests away; one that came before the block is delivered all the same, and an answer to a
        // blocked contact goes nowhere (XEP-0191 section 3.5).
        if let blocked { return Self.ignored(facts, blocked) }
        let evaluation = policy.evaluate(facts)
        let acts = mode == .enforce
        let wanted = acts ? Self.steps(of: evaluation.decision, item: item) : []
        let refused = wanted.contains(.block) && !canBlock
        return DecisionRecord(
            decision: evaluation.decision,
            by: evaluation.by,
            rule: evaluation.rule,
            policy: policy.name,
            policyDigest: policy.digest,
            reason: refused ? Self.cannotBlock : nil,
            facts: EvaluationJSON.facts(facts),
            trace: EvaluationJSON.trace(evaluation.trace),
            acts: acts,
            steps: refused ? wanted.filter { $0 != .block } : wanted,
            stepsIfInvited: acts ? Self.steps(of: DecisionRecord.ofInvitation, item: item) : nil)
    }

    private static func ignored(_ facts: SubscriptionFacts, _ entry: JID) -> DecisionRecord {
        DecisionRecord(
            decision: .ignore, by: .server, reason: "\(entry) is on the account's block list",
            facts: EvaluationJSON.facts(facts))
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
