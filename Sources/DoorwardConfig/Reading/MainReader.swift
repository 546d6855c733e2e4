import XMPPCore

/// What the main file says.
struct MainSettings {
    var storePath: String?
    var controlPath: String?
    var operators: [OperatorConfiguration] = []
    var defaultPolicy: NamedPlace?
    /// Patterns of the policies' files, and of the bots'; nil where they cannot be read.
    var policies: [PathPattern]?
    var bots: [PathPattern]?
    var redeliveryWait: Duration = .seconds(30)
}

/// A name, and where the file has it.
struct NamedPlace {
    var name: String
    var mark: YAMLMark
    var reader: FileReader
}

/// A path or a pattern of paths, and where the file has it.
struct PathPattern {
    var path: String
    var mark: YAMLMark
}

/// Reads `doorward.yaml`.
struct MainReader {
    private static let schema = Schema(
        "the configuration",
        keys: ["version", "store", "control", "operators", "defaults", "policies", "bots", "redelivery_wait"],
        required: ["version", "store", "control", "policies", "bots"],
        notBuilt: ["web", "stop", "pruning", "guard", "lists", "metrics", "limits"],
        synonyms: [
            "database": "store", "socket": "control", "accounts": "bots", "policy": "policies", "admins": "operators",
        ]
    )
    private static let defaultsSchema = Schema("defaults", keys: ["policy"], notBuilt: ["mode", "resource", "connect"])
    private static let operatorSchema = Schema(
        "an operator",
        keys: ["name", "user", "jid", "role"],
        required: ["name", "role"]
    )

    let reader: FileReader

    func settings(_ root: YAMLNode) -> MainSettings {
        var settings = MainSettings()
        guard let map = reader.mapping(root, "the configuration", example: "{ version: 1, store: sqlite:doorward.db }")
        else { return settings }
        let entries = reader.entries(map, of: MainReader.schema, at: root.mark)
        reader.checkVersion(entries["version"])
        settings.storePath = entries["store"].flatMap { reader.storePath($0.value) }
        settings.controlPath = entries["control"].flatMap { reader.controlPath($0.value) }
        if let wait = entries["redelivery_wait"].flatMap({ reader.redeliveryWait($0.value) }) {
            settings.redeliveryWait = wait
        }
        if let entry = entries["operators"] { settings.operators = operators(entry.value) }
        if let entry = entries["defaults"] { settings.defaultPolicy = defaultPolicy(entry.value) }
        settings.policies = patterns(entries["policies"])
        settings.bots = patterns(entries["bots"])
        return settings
    }

    private func defaultPolicy(_ node: YAMLNode) -> NamedPlace? {
        guard let map = reader.mapping(node, "defaults", example: "{ policy: community }") else { return nil }
        let entries = reader.entries(map, of: MainReader.defaultsSchema, at: node.mark)
        return entries["policy"].flatMap { reader.policyName($0) }
    }

    private func patterns(_ entry: YAMLEntry?) -> [PathPattern]? {
        guard let entry,
            let items = reader.sequence(entry.value, entry.key, example: "[\(entry.key)/*.yaml]")
        else { return nil }
        return items.compactMap { item in
            reader.text(item, "a path of \(entry.key)").map { PathPattern(path: $0, mark: item.mark) }
        }
    }

    // MARK: Operators

    private func operators(_ node: YAMLNode) -> [OperatorConfiguration] {
        let example = "[ { name: ana, user: ana, role: admin } ]"
        guard let items = reader.sequence(node, "operators", example: example) else { return [] }
        var operators: [OperatorConfiguration] = []
        for item in items {
            guard let map = reader.mapping(item, "an operator", example: "{ name: ana, user: ana, role: admin }") else {
                continue
            }
            guard let one = readOperator(map, at: item.mark) else { continue }
            for other in operators {
                let same =
                    other.name.utf8.elementsEqual(one.name.utf8)
                    ? "name"
                    : other.user != nil && other.user == one.user
                        ? "user" : other.jid != nil && other.jid == one.jid ? "jid" : nil
                guard let same else { continue }
                reader.report(
                    FaultCatalogue.duplicateOperator,
                    item.mark,
                    "the \(same) of this operator belongs to the operator '\(other.name)' already"
                )
            }
            operators.append(one)
        }
        return operators
    }

    private func readOperator(_ map: [YAMLEntry], at mark: YAMLMark) -> OperatorConfiguration? {
        let entries = reader.entries(map, of: MainReader.operatorSchema, at: mark)
        let name = entries["name"].flatMap { reader.word($0.value, "an operator's name") }
        let roles = OperatorConfiguration.Role.allCases.map(\.rawValue)
        let role = entries["role"].flatMap { reader.choice($0.value, "role", roles) }
            .flatMap { OperatorConfiguration.Role(rawValue: $0) }
        let user = entries["user"].flatMap { reader.text($0.value, "user", limit: 256) }
        let jid = entries["jid"].flatMap { reader.accountAddress($0.value, "jid") }
        if entries["user"] == nil, entries["jid"] == nil, reader.isComplete {
            reader.report(
                FaultCatalogue.operatorWithoutAccess,
                mark,
                "an operator needs 'user', the name of a user of this machine, or 'jid'"
            )
        }
        guard let name, let role else { return nil }
        return OperatorConfiguration(name: name, user: user, jid: jid, role: role)
    }
}
