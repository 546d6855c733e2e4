import XMPPCore

/// What the main file says.
struct MainSettings {
    var storePath: String?
    var controlPath: String?
    var operators: [OperatorConfiguration] = []
    var defaultPolicy: NamedPlace?
    /// Whether the file names a default policy, or may do so where it could not be read.
    var mayHaveDefaultPolicy = true
    /// Patterns of the policies' files, and of the bots'.
    var policies = PathPatterns()
    var bots = PathPatterns()
    var redeliveryWait: Duration = .seconds(30)
    var stop = Configuration.StopMode.close
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

/// The paths and patterns under one key.
struct PathPatterns {
    var patterns: [PathPattern] = []
    /// False where some could not be read: what is not found may be there.
    var areAll = false
}

/// Reads `doorward.yaml`.
struct MainReader {
    private static let schema = Schema(
        "the configuration",
        keys: ["version", "store", "control", "operators", "defaults", "policies", "bots", "redelivery_wait", "stop"],
        required: ["version", "store", "control", "policies", "bots"],
        notBuilt: ["web", "pruning", "guard", "lists", "metrics", "limits"],
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
    let isUser: (String) -> Bool?

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
        if let mode = entries["stop"].flatMap({ reader.stopMode($0.value) }) { settings.stop = mode }
        if let entry = entries["operators"] { settings.operators = operators(entry.value) }
        // A key that is not known may be meant as one that is.
        let isWhole = reader.isComplete && !root.isFaulty && entries.count == map.count
        let defaults = defaultPolicy(entries["defaults"], isWhole: isWhole)
        settings.defaultPolicy = defaults.policy
        settings.mayHaveDefaultPolicy = defaults.mayBe
        settings.policies = patterns(entries["policies"])
        settings.bots = patterns(entries["bots"])
        return settings
    }

    private func defaultPolicy(_ entry: YAMLEntry?, isWhole: Bool) -> (policy: NamedPlace?, mayBe: Bool) {
        guard let node = entry?.value else { return (nil, !isWhole) }
        guard let map = reader.mapping(node, "defaults", example: "{ policy: community }") else { return (nil, true) }
        let entries = reader.entries(map, of: MainReader.defaultsSchema, at: node.mark)
        let mayBe = !isWhole || entries["policy"] != nil || entries.count < map.count
        return (entries["policy"].flatMap { reader.policyName($0) }, mayBe)
    }

    private func patterns(_ entry: YAMLEntry?) -> PathPatterns {
        guard let entry,
            let items = reader.sequence(entry.value, entry.key, example: "[\(entry.key)/*.yaml]")
        else { return PathPatterns() }
        let patterns = items.compactMap { item in
            reader.text(item, "a path of \(entry.key)").map { PathPattern(path: $0, mark: item.mark) }
        }
        return PathPatterns(patterns: patterns, areAll: reader.isComplete && patterns.count == items.count)
    }

    // MARK: Operators

    /// An operator as far as the file could be read.
    private struct OperatorDraft {
        var name: String?
        var user: String?
        var jid: BareJID?
        var role: OperatorConfiguration.Role?

        /// What both have, and nobody but one may have.
        func shared(with other: OperatorDraft) -> String? {
            if let name, let their = other.name, name.utf8.elementsEqual(their.utf8) { return "name" }
            if let user, let their = other.user, user.utf8.elementsEqual(their.utf8) { return "user" }
            if let jid, jid == other.jid { return "jid" }
            return nil
        }
    }

    private func operators(_ node: YAMLNode) -> [OperatorConfiguration] {
        let example = "[ { name: ana, user: ana, role: admin } ]"
        guard let items = reader.sequence(node, "operators", example: example) else { return [] }
        var drafts: [(draft: OperatorDraft, mark: YAMLMark)] = []
        for item in items {
            guard let map = reader.mapping(item, "an operator", example: "{ name: ana, user: ana, role: admin }") else {
                continue
            }
            let one = readOperator(map, at: item.mark)
            for (other, mark) in drafts {
                guard let same = one.shared(with: other) else { continue }
                let owner = other.name.map { "'\($0)' at" } ?? "at"
                reader.report(
                    FaultCatalogue.duplicateOperator,
                    item.mark,
                    "the \(same) of this operator belongs to the operator \(owner) \(mark.line):\(mark.column) already"
                )
            }
            drafts.append((one, item.mark))
        }
        return drafts.compactMap { draft, _ in
            guard let name = draft.name, let role = draft.role else { return nil }
            return OperatorConfiguration(name: name, user: draft.user, jid: draft.jid, role: role)
        }
    }

    private func readOperator(_ map: [YAMLEntry], at mark: YAMLMark) -> OperatorDraft {
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
        if let user, let entry = entries["user"] {
            checkUser(user, at: entry.value.mark, name: name, at: entries["name"]?.value.mark ?? mark)
        }
        return OperatorDraft(name: name, user: user, jid: jid, role: role)
    }

    /// Holds an operator's Unix user against those of this machine.
    private func checkUser(_ user: String, at mark: YAMLMark, name: String?, at nameMark: YAMLMark) {
        guard isUser(user) != false else {
            reader.report(
                FaultCatalogue.unknownUser,
                mark,
                "this machine has no user \(reader.quoted(user, mark)), so the control socket will never know this operator"
            )
            return
        }
        guard let name, !name.utf8.elementsEqual(user.utf8), isUser(name) == true else { return }
        reader.report(
            FaultCatalogue.nameOfAnotherUser,
            nameMark,
            "the journal would call what the Unix user '\(user)' does by the name of the Unix user '\(name)'"
        )
    }
}
