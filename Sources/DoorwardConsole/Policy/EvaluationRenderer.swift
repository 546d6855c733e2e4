package import DoorwardPolicy
import XMPPCore

extension Evaluation {
    /// Whether what a verified move brings is done too.
    func follows(_ facts: SubscriptionFacts) -> Bool {
        if case .known(let moved) = facts.moved { follows(moved) } else { false }
    }
}

/// What a policy says of a request, as a tree of rules and conditions.
package struct EvaluationRenderer {
    private let width: Int

    package init(width: Int) { self.width = width }

    /// The decision, then the rules and conditions that led to it.
    ///
    /// - Parameters:
    ///   - evaluation: What came of it.
    ///   - policy: Its name.
    ///   - facts: What was asked.
    ///   - isMadeUpAccount: Whether nobody named the account that is asked.
    /// - Returns: The lines.
    package func lines(
        _ evaluation: Evaluation, policy: String, facts: SubscriptionFacts, isMadeUpAccount: Bool = false
    ) -> [TerminalText] {
        var lines = [decision(evaluation, policy: policy, facts: facts)]
        if isMadeUpAccount { lines.append("(\(facts.account.description) is made up; --account names another one.)") }
        if evaluation.follows(facts) {
            lines.append(
                "The old address no longer sees the account. Its name and groups go to the new one, where that has")
            lines.append("none; where the account saw the old address, it asks to see the new one.")
        }
        lines.append("")
        for rule in evaluation.trace {
            lines.append(mark(rule.result) + " " + "\(rule.rule)" + suffix(rule))
            for condition in rule.conditions { lines += tree(condition, depth: 1) }
        }
        if evaluation.trace.isEmpty { lines.append("The policy has no rules.") }
        return lines
    }

    private func decision(_ evaluation: Evaluation, policy: String, facts: SubscriptionFacts) -> TerminalText {
        let who: TerminalText = "\(facts.contact.description) asks \(facts.account.description): "
        let why: TerminalText =
            switch evaluation.by {
            case .rule: "by the rule '\(evaluation.rule ?? "")' of \(policy)"
            case .ownRequest: "because we asked this contact first"
            case .default: "since no rule of \(policy) held"
            case .server: "because this contact sees the account already"
            case .token: "because of a valid invitation"
            case .mode, .operator, .requester: "by \(evaluation.by.rawValue)"
            }
        return who + TerminalText(evaluation.decision.word).styled(.bold) + options(evaluation.decision) + ", " + why
            + "."
    }

    private func options(_ decision: Decision) -> TerminalText {
        switch decision {
        case .accept(let acceptance):
            var parts: [TerminalText] = []
            if acceptance.subscribeBack { parts.append("asks back") }
            if !acceptance.groups.isEmpty { parts.append("groups \(acceptance.groups.joined(separator: ", "))") }
            if let name = acceptance.name { parts.append("name \(name)") }
            return joined(parts)
        case .reject(let rejection):
            var parts: [TerminalText] = rejection.block ? ["blocks the sender"] : []
            if let report = rejection.report { parts.append("reports it for \(report.rawValue)") }
            return joined(parts)
        case .ask, .ignore: return ""
        }
    }

    private func joined(_ parts: [TerminalText]) -> TerminalText {
        guard let first = parts.first else { return "" }
        return " (" + parts.dropFirst().reduce(first) { $0 + ", " + $1 } + ")"
    }

    private func suffix(_ rule: RuleTrace) -> TerminalText {
        switch rule.result {
        case .holds where rule.conditions.isEmpty: ": always"
        case .holds, .fails, .unknown, .notReached: ""
        }
    }

    private func tree(_ condition: ConditionTrace, depth: Int) -> [TerminalText] {
        var line = TerminalText.blanks(depth * 4) + mark(condition.result) + " "
        line += cut(condition.condition, to: max(30, width - depth * 4))
        if condition.result != .notReached, condition.children.isEmpty {
            let value = condition.value ?? ""
            line += value.isEmpty ? "  looked at: nothing" : "  looked at: \(cut(value, to: max(80, width - 40)))"
        }
        line += TerminalText("  (\(condition.at))").styled(.dim)
        return [line] + condition.children.flatMap { tree($0, depth: depth + 1) }
    }

    private func mark(_ result: RuleTrace.Result) -> TerminalText {
        switch result {
        case .holds: TerminalText("holds").styled(.good)
        case .fails: TerminalText("fails").styled(.warning)
        case .unknown: TerminalText("unknown").styled(.warning)
        case .notReached: TerminalText("not reached").styled(.dim)
        }
    }
}
