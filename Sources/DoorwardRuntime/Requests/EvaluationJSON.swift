import DoorwardPolicy
import FoundationEssentials
import XMPPCore

/// The facts and the trace of a decision as the journal keeps them.
enum EvaluationJSON {
    static func facts(_ facts: SubscriptionFacts) -> String {
        var object: [String: JSONText] = [
            "account": .text(facts.account.description),
            "contact": .text(facts.contact.description),
        ]
        object["message"] = facts.message.map(JSONText.text)
        object["nickname"] = facts.nickname.map(JSONText.text)
        if let item = facts.rosterItem {
            object["roster"] = .object([
                "subscription": .text(item.subscription.rawValue),
                "asked": .text(item.asked ? "true" : "false"),
                "groups": .array(item.groups.map(JSONText.text)),
            ])
        }
        return encoded(.object(object))
    }

    static func trace(_ trace: [RuleTrace]) -> String {
        encoded(
            .array(
                trace.map { rule in
                    .object([
                        "rule": .text(rule.rule),
                        "result": .text(rule.result.rawValue),
                        "conditions": .array(rule.conditions.map(condition)),
                    ])
                }))
    }

    private static func condition(_ condition: ConditionTrace) -> JSONText {
        var object: [String: JSONText] = [
            "condition": .text(condition.condition),
            "result": .text(condition.result.rawValue),
            "at": .text(condition.at),
            "children": .array(condition.children.map(Self.condition)),
        ]
        object["value"] = condition.value.map(JSONText.text)
        return .object(object)
    }

    private static func encoded(_ value: JSONText) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only text, arrays and objects: there is nothing in it that the encoder refuses.
        guard let data = try? encoder.encode(value) else { return "null" }
        return String(decoding: data, as: UTF8.self)
    }
}

private indirect enum JSONText: Encodable {
    case text(String)
    case array([JSONText])
    case object([String: JSONText])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .array(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
    }
}
