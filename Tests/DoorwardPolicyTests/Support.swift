import DoorwardPolicy
import XMPPCore

func facts(
    from contact: String = "x@new.example",
    to account: String = "bot@doorward.test",
    message: String? = nil,
    nickname: String? = nil,
    item: RosterFact? = nil
) throws -> SubscriptionFacts {
    SubscriptionFacts(
        account: try BareJID(account),
        contact: try BareJID(contact),
        message: message,
        nickname: nickname,
        rosterItem: item
    )
}

func set<Values: ValueSet>(_ values: String...) throws -> Values {
    var set = Values()
    for value in values { _ = try set.insert(value) }
    return set
}

func condition(_ test: Condition.Test, _ label: String = "condition") -> Condition {
    Condition(test, label: label, place: "policy.yaml:1:1")
}

func rule(_ name: String, _ conditions: [Condition.Test], _ decision: Decision) -> Rule {
    Rule(name: name, place: "policy.yaml:1:1", conditions: conditions.map { condition($0) }, decision: decision)
}

func policy(_ rules: Rule...) -> Policy { Policy(name: "test", digest: "", rules: rules) }

/// Whether one condition holds.
func holds(_ test: Condition.Test, _ facts: SubscriptionFacts) -> Bool {
    policy(rule("r", [test], .ignore)).evaluate(facts).decision == .ignore
}

let accepted = Decision.accept(Acceptance(subscribeBack: true, groups: ["Staff"]))

/// Random numbers that come again with their seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
