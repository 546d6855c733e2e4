/// The faults of a policy.
extension FaultCatalogue {
    static let unknownList = FaultKind(
        "DW040",
        "unknown list",
        "The policy has no list with this name under lists."
    )
    static let emptyList = FaultKind(
        "DW041",
        "empty list",
        "The list has no entry, so nothing is ever in it.",
        severity: .warning
    )
    static let duplicateEntry = FaultKind(
        "DW042",
        "duplicate entry",
        "The same value, as it is compared, stands twice.",
        severity: .warning
    )
    static let badListEntry = FaultKind(
        "DW043",
        "bad list entry",
        "The entry can never be equal to what the list is compared with."
    )
    static let unusedList = FaultKind(
        "DW044",
        "unused list",
        "No rule names the list.",
        severity: .warning
    )
    static let duplicateRule = FaultKind(
        "DW045",
        "duplicate rule name",
        "Rules are known by their names, in the journal too: each has its own."
    )
    static let unreachableRule = FaultKind(
        "DW046",
        "unreachable rule",
        "A rule above it always holds and decides, so this one is never tried."
    )
    static let combinationShape = FaultKind(
        "DW047",
        "bad combination",
        "all and any take a list of maps with conditions, not takes one map; to a depth of 32."
    )
    static let emptyWhen = FaultKind(
        "DW048",
        "empty condition",
        "An empty map of conditions does not mean always. Leave when out for a rule that always holds."
    )
    static let unknownDecision = FaultKind(
        "DW049",
        "unknown decision",
        "A decision is accept, reject, ask or ignore."
    )
    static let decisionShape = FaultKind(
        "DW050",
        "bad decision",
        "A decision is one word, or a map with one word and its options."
    )
    static let noRules = FaultKind(
        "DW051",
        "policy without rules",
        "Without rules every request waits for an operator.",
        severity: .warning
    )
    static let neverMet = FaultKind(
        "DW052",
        "condition that no rule meets",
        "Who sees the account already (from, both) or was asked by it first (to) is answered before the rules are tried.",
        severity: .warning
    )

    static let ofPolicy: [FaultKind] = [
        unknownList, emptyList, duplicateEntry, badListEntry, unusedList, duplicateRule, unreachableRule,
        combinationShape, emptyWhen, unknownDecision, decisionShape, noRules, neverMet,
    ]
}
