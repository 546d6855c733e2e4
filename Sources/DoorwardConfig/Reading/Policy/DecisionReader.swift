import DoorwardPolicy

/// Reads what follows `then`.
struct DecisionReader {
    private static let built = ["accept", "reject", "ask", "ignore"]
    private static let notBuilt = ["challenge", "defer"]
    private static let synonyms = [
        "allow": "accept", "approve": "accept", "yes": "accept", "permit": "accept", "deny": "reject",
        "refuse": "reject", "no": "reject", "block": "reject", "decline": "reject", "queue": "ask", "hold": "ask",
        "drop": "ignore", "skip": "ignore", "none": "ignore",
    ]
    private static let acceptance = Schema(
        "accept",
        keys: ["subscribe_back", "groups", "name"],
        notBuilt: ["message"],
        synonyms: ["group": "groups", "nick": "name", "mutual": "subscribe_back", "reciprocate": "subscribe_back"]
    )
    private static let rejection = Schema("reject", keys: ["block", "report"], notBuilt: ["message"])
    private static let asking = Schema("ask", keys: [], notBuilt: ["operators", "within", "otherwise"])
    private static let ignoring = Schema("ignore", keys: [])

    let reader: FileReader

    /// Nil where it is no decision; what is wrong is reported.
    func decision(_ node: YAMLNode) -> Decision? {
        switch node.content {
        case .scalar:
            guard let word = reader.text(node, "a decision") else { return nil }
            return decision(word, at: node.mark, options: nil)
        case .mapping(let entries):
            guard let entry = entries.first, entries.count == 1 else {
                reader.report(
                    FaultCatalogue.decisionShape,
                    node.mark,
                    "a decision is one word, or a map with that one word and its options; this has \(entries.count)"
                )
                return nil
            }
            return decision(entry.key, at: entry.mark, options: entry.value)
        case .sequence:
            reader.report(FaultCatalogue.decisionShape, node.mark, "one rule has one decision, not a list of them")
            return nil
        case .invalid: return nil
        }
    }

    private func decision(_ word: String, at mark: YAMLMark, options node: YAMLNode?) -> Decision? {
        switch word {
        case "accept": return options(node, DecisionReader.acceptance, mark).map { .accept(acceptance($0)) }
        case "reject":
            return options(node, DecisionReader.rejection, mark).map { options in
                let block = options["block"].flatMap { reader.boolean($0.value, "block") }
                let report = options["report"].flatMap {
                    reader.choice($0.value, "report", Rejection.Report.allCases.map(\.rawValue))
                }
                return .reject(
                    Rejection(block: block ?? false, report: report.flatMap(Rejection.Report.init(rawValue:))))
            }
        case "ask": return options(node, DecisionReader.asking, mark).map { _ in .ask }
        case "ignore": return options(node, DecisionReader.ignoring, mark).map { _ in .ignore }
        default:
            if DecisionReader.notBuilt.contains(where: { $0.utf8.elementsEqual(word.utf8) }) {
                reader.report(FaultCatalogue.notBuiltYet, mark, "the decision '\(word)' is not built yet")
                return nil
            }
            let suggestion =
                DecisionReader.synonyms[word.lowercased()]
                ?? EditDistance.nearest(to: word, among: DecisionReader.built)
            reader.report(
                FaultCatalogue.unknownDecision,
                mark,
                "unknown decision \(reader.quoted(word, mark)): it is \(FileReader.listed(DecisionReader.built))",
                suggestion: suggestion
            )
            return nil
        }
    }

    private func options(_ node: YAMLNode?, _ schema: Schema, _ mark: YAMLMark) -> SchemaEntries? {
        guard let node else { return reader.entries([], of: schema, at: mark) }
        guard let entries = reader.mapping(node, "what follows '\(schema.what)'", example: "{}") else { return nil }
        return reader.entries(entries, of: schema, at: mark)
    }

    private func acceptance(_ options: SchemaEntries) -> Acceptance {
        var acceptance = Acceptance()
        if let back = options["subscribe_back"].flatMap({ reader.boolean($0.value, "subscribe_back") }) {
            acceptance.subscribeBack = back
        }
        if let entry = options["groups"] { acceptance.groups = groups(entry.value) }
        if let entry = options["name"] { acceptance.name = reader.text(entry.value, "name", limit: 1_023) }
        return acceptance
    }

    private func groups(_ node: YAMLNode) -> [String] {
        guard let items = reader.sequence(node, "groups", example: "[Staff]") else { return [] }
        if items.count > 32 {
            reader.report(FaultCatalogue.outOfRange, node.mark, "more than 32 groups")
            return []
        }
        var groups: [String] = []
        for item in items {
            guard let group = reader.text(item, "a group", limit: 1_023) else { continue }
            if groups.contains(where: { $0.utf8.elementsEqual(group.utf8) }) {
                reader.report(
                    FaultCatalogue.duplicateEntry,
                    item.mark,
                    "the group \(reader.quoted(group, item.mark)) stands here twice"
                )
            } else {
                groups.append(group)
            }
        }
        return groups
    }
}
