package import DoorwardPolicy

extension Evaluation {
    /// The object of `policy explain`.
    package var json: JSONValue {
        .object([
            "decision": .string(decision.word), "rule": .text(rule), "by": .string(by.rawValue),
            "options": decision.options, "trace": .array(trace.map(\.json)),
        ])
    }
}

extension Decision {
    /// The map after the decision, with what a policy leaves out filled in.
    package var options: JSONValue {
        switch self {
        case .accept(let acceptance):
            .object([
                "subscribe_back": .bool(acceptance.subscribeBack), "groups": .strings(acceptance.groups),
                "name": .text(acceptance.name),
            ])
        case .reject(let rejection):
            .object(["block": .bool(rejection.block), "report": .text(rejection.report?.rawValue)])
        case .ask, .ignore: .object([])
        }
    }
}

extension RuleTrace {
    var json: JSONValue {
        .object([
            "rule": .string(rule), "result": .string(result.rawValue), "conditions": .array(conditions.map(\.json)),
        ])
    }
}

extension ConditionTrace {
    /// Conditions nest to a depth of 32, which the loader holds.
    var json: JSONValue {
        .object([
            "condition": .string(condition), "result": .string(result.rawValue), "value": .text(value),
            "at": .string(at), "children": .array(children.map(\.json)),
        ])
    }
}
