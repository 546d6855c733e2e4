import DoorwardPolicy

/// Reads one policy file with its list files.
struct PolicyReader {
    private static let policySchema = Schema(
        "the policy",
        keys: ["version", "policy", "lists", "subscription"],
        required: ["version", "policy"],
        notBuilt: ["guard", "pruning", "tests"],
        synonyms: ["rules": "subscription", "name": "policy", "list": "lists", "subscriptions": "subscription"]
    )
    private static let ruleSchema = Schema(
        "a rule",
        keys: ["rule", "when", "then"],
        required: ["rule"],
        notBuilt: ["score", "enabled", "expires", "shadow", "if_unknown", "include"],
        synonyms: ["name": "rule", "if": "when", "match": "when", "action": "then", "do": "then"]
    )

    /// What is known of a policy's file, also where it has faults.
    struct Outcome {
        var name: String?
        var nameMark: YAMLMark = .wholeFile
        /// Nil where the file has an error.
        var policy: Policy?
    }

    private let reader: FileReader
    private let lists: PolicyLists

    static func read(_ file: SourceFile, into faults: FaultCollector) -> Outcome {
        guard let document = YAMLReader.read(file, into: faults) else { return Outcome() }
        let reader = FileReader(file: file, faults: faults, isComplete: document.isComplete)
        return PolicyReader(reader: reader, lists: PolicyLists(policy: reader)).outcome(document.root)
    }

    private func outcome(_ root: YAMLNode) -> Outcome {
        guard let map = reader.mapping(root, "a policy", example: "{ version: 1, policy: community }") else {
            return Outcome()
        }
        let entries = reader.entries(map, of: PolicyReader.policySchema, at: root.mark)
        reader.checkVersion(entries["version"])
        var outcome = Outcome()
        if let entry = entries["policy"] {
            outcome.name = reader.word(entry.value, "a policy's name")
            outcome.nameMark = entry.value.mark
        }
        if let entry = entries["lists"] {
            lists.read(entry.value)
        } else if entries.count < map.count {
            lists.areUnread()
        }
        let rules = entries["subscription"].map { self.rules($0.value) } ?? []
        if rules.isEmpty, reader.isComplete, !reader.faults.hasError(in: reader.file.path) {
            reader.report(
                FaultCatalogue.noRules,
                entries["subscription"]?.mark ?? root.mark,
                "the policy has no rules, so every request waits for an operator"
            )
        }
        if reader.faults.hasError(in: reader.file.path) {
            for entry in map where entry.key != "lists" { lists.noteMentions(in: entry.value) }
        }
        // What was left out may have used any of them.
        if !root.isFaulty { lists.warnUnused() }
        let paths = [reader.file.path] + lists.usedFiles.map(\.path)
        let isFaulty = !reader.isComplete || paths.contains { reader.faults.hasError(in: $0) }
        if let name = outcome.name, !isFaulty {
            let digest = policyDigest([reader.file.bytes] + lists.usedFiles.map(\.bytes))
            outcome.policy = Policy(name: name, digest: digest, rules: rules)
        }
        return outcome
    }

    // MARK: Rules

    private func rules(_ node: YAMLNode) -> [Rule] {
        guard let items = reader.sequence(node, "subscription", example: "[ { rule: everyone, then: ask } ]") else {
            return []
        }
        var rules: [Rule] = []
        var names: [[UInt8]: YAMLMark] = [:]
        var always: (name: String, mark: YAMLMark)?
        for (index, item) in items.enumerated() {
            // The rule in which a fault of syntax ended the reading.
            let isCut = !reader.isComplete && index == items.count - 1
            guard let map = reader.mapping(item, "a rule", example: "{ rule: everyone, then: ask }") else { continue }
            if let include = map.first(where: { $0.key == "include" }), map.count == 1 {
                reader.report(FaultCatalogue.notBuiltYet, include.mark, "'include' is not built yet")
                continue
            }
            let entries = reader.entries(map, of: PolicyReader.ruleSchema, at: item.mark)
            let name = entries["rule"].flatMap { reader.name($0.value, "a rule's name") }
            if let name, let entry = entries["rule"] { check(name, at: entry.value.mark, against: &names) }
            if let always, !isCut {
                reader.report(
                    FaultCatalogue.unreachableRule,
                    item.mark,
                    "this rule is never tried: '\(always.name)' at \(always.mark.line):\(always.mark.column) always holds"
                )
            }
            let conditions = entries["when"].map { condition in
                ConditionReader(reader: reader, lists: lists).conditions(condition.value)
            }
            let decision = decision(entries, of: map, at: item.mark)
            guard let name, let decision else { continue }
            // Without `when`, and without a key that may be meant as one.
            let hasAllKeys = entries.count == map.count && !item.isFaulty
            if conditions == nil, hasAllKeys, always == nil { always = (name, item.mark) }
            rules.append(
                Rule(name: name, place: reader.place(item.mark), conditions: conditions ?? [], decision: decision)
            )
        }
        return rules
    }

    private func check(_ name: String, at mark: YAMLMark, against names: inout [[UInt8]: YAMLMark]) {
        if let first = names[Array(name.utf8)] {
            reader.report(
                FaultCatalogue.duplicateRule,
                mark,
                "the rule \(reader.quoted(name, mark)) stands at \(first.line):\(first.column) already; "
                    + "each rule has its own name"
            )
        } else {
            names[Array(name.utf8)] = mark
        }
    }

    private func decision(_ entries: SchemaEntries, of map: [YAMLEntry], at mark: YAMLMark) -> Decision? {
        guard let entry = entries["then"] else {
            // A rule with a score needs no `then`, and was reported as not built.
            if reader.isComplete, !map.contains(where: { $0.key == "score" }) {
                reader.report(FaultCatalogue.missingKey, mark, "a rule needs the key 'then': what is to be done")
            }
            return nil
        }
        return DecisionReader(reader: reader).decision(entry.value)
    }
}
