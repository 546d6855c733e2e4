import XMPPCore

/// Tries conditions on the facts of one request, in three-valued logic (Kleene's tables).
struct FactReader {
    /// A message in a trace is cut after so many scalars: the journal has the whole of it.
    static let traceLimit = 256

    private let facts: SubscriptionFacts
    /// Nil where there is no text; an empty one counts as none.
    private let message: String?
    private lazy var foldedMessage = message.map(FoldedText.init)
    /// What conditions looked for and nobody has asked for yet; such a condition is unknown meanwhile.
    var needs: Set<CostlyFactName> = []

    init(_ facts: SubscriptionFacts) {
        self.facts = facts
        message = facts.message.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// All must hold; those behind the first that fails are not reached.
    mutating func conjunction(of conditions: [Condition]) -> (result: RuleTrace.Result, traces: [ConditionTrace]) {
        fold(conditions, stoppingAt: .fails, otherwise: .holds)
    }

    private mutating func disjunction(
        of conditions: [Condition]
    ) -> (result: RuleTrace.Result, traces: [ConditionTrace]) {
        fold(conditions, stoppingAt: .holds, otherwise: .fails)
    }

    private mutating func fold(
        _ conditions: [Condition],
        stoppingAt stop: RuleTrace.Result,
        otherwise: RuleTrace.Result
    ) -> (result: RuleTrace.Result, traces: [ConditionTrace]) {
        var result = otherwise
        var traces: [ConditionTrace] = []
        traces.reserveCapacity(conditions.count)
        for condition in conditions {
            guard result != stop else {
                traces.append(condition.notReached)
                continue
            }
            let trace = self.trace(of: condition)
            traces.append(trace)
            switch trace.result {
            case stop: result = stop
            case .unknown: result = .unknown
            case .holds, .fails, .notReached: break
            }
        }
        return (result, traces)
    }

    private mutating func trace(of condition: Condition) -> ConditionTrace {
        let outcome = outcome(of: condition.test)
        return ConditionTrace(
            condition: condition.label,
            result: outcome.result,
            value: outcome.value,
            at: condition.place,
            children: outcome.children
        )
    }

    private mutating func outcome(of test: Condition.Test) -> Outcome {
        switch test {
        case .from(let sets):
            return Outcome(sets.contains { $0.matches(facts.contact) }, facts.contact.description)
        case .user(let sets):
            guard let local = facts.contact.local else { return .absent }
            return Outcome(sets.contains { $0.matches(local) }, local)
        case .domain(let sets):
            return Outcome(sets.contains { $0.matches(facts.contact.domain) }, facts.contact.domain)
        case .account(let sets):
            return Outcome(sets.contains { $0.matches(facts.account) }, facts.account.description)
        case .messageContains(let sets):
            guard let message, let folded = foldedMessage else { return .absent }
            return Outcome(sets.contains { $0.isFound(in: folded) }, FactReader.shortened(message))
        case .messageAbsent(let absent):
            return Outcome((message == nil) == absent, message.map(FactReader.shortened))
        case .messageLongerThan(let limit):
            guard let count = message?.unicodeScalars.count else { return .absent }
            return Outcome(count > limit, "\(count)")
        case .subscription(let wanted):
            // A contact who is not in the roster is in the state "none" (RFC 6121 section 3.1.2 and appendix A).
            let subscription = facts.rosterItem?.subscription ?? .none
            return Outcome(wanted.contains(subscription), subscription.rawValue)
        case .inRoster(let wanted):
            let isThere = facts.rosterItem != nil
            return Outcome(isThere == wanted, "\(isThere)")
        case .token(let wanted):
            return Outcome(wanted.contains(facts.token), facts.token.rawValue)
        case .moved(let wanted):
            return moved(wanted)
        case .gateway(let wanted):
            return Outcome(facts.gateway == wanted, "\(facts.gateway)")
        case .all(let conditions):
            let (result, traces) = conjunction(of: conditions)
            return Outcome(result: result, children: traces)
        case .any(let conditions):
            let (result, traces) = disjunction(of: conditions)
            return Outcome(result: result, children: traces)
        case .not(let conditions):
            let (result, traces) = conjunction(of: conditions)
            return Outcome(result: result.negated, children: traces)
        }
    }

    private mutating func moved(_ wanted: Set<MoveFact>) -> Outcome {
        switch facts.moved {
        case .known(let fact): return Outcome(wanted.contains(fact), fact.rawValue)
        case .unknown: return .unknown
        case .notAsked:
            // There is a claim. Where both answers to it mean the same, nobody needs to be asked.
            let verified = wanted.contains(.verified)
            if verified == wanted.contains(.claimed) { return Outcome(verified, MoveFact.claimed.rawValue) }
            needs.insert(.moved)
            return .unknown
        }
    }

    private static func shortened(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: traceLimit, limitedBy: scalars.endIndex),
            end != scalars.endIndex
        else { return text }
        return String(scalars[..<end]) + "…"
    }
}

/// What came of one test.
private struct Outcome {
    var result: RuleTrace.Result
    var value: String?
    var children: [ConditionTrace] = []

    init(result: RuleTrace.Result, children: [ConditionTrace]) {
        self.result = result
        self.children = children
    }

    init(_ holds: Bool, _ value: String?) {
        result = holds ? .holds : .fails
        self.value = value
    }

    /// Every comparison on an absent fact is false.
    static let absent = Outcome(false, nil)
    static let unknown = Outcome(result: .unknown, children: [])
}

extension RuleTrace.Result {
    fileprivate var negated: RuleTrace.Result {
        switch self {
        case .holds: .fails
        case .fails: .holds
        case .unknown: .unknown
        case .notReached: .notReached
        }
    }
}

extension Condition {
    fileprivate var notReached: ConditionTrace {
        ConditionTrace(condition: label, result: .notReached, value: nil, at: place)
    }
}
