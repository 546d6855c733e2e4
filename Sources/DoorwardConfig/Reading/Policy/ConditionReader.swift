import DoorwardPolicy

/// Reads the conditions of a `when`.
struct ConditionReader {
    static let depthLimit = 32
    /// So many texts are looked for in a message by one condition.
    static let textLimit = 1_000

    private static let built = [
        "from", "user", "domain", "account", "message", "subscription", "in_roster", "token", "moved", "gateway", "all",
        "any", "not",
    ]
    private static let notBuilt = [
        "nickname", "groups", "asked_by_us", "known_to_fleet", "history", "rate", "queue",
        "time", "date", "score", "avatar", "avatar_seen", "vcard", "server", "asked", "unreachable", "last_seen",
    ]
    private static let synonyms = [
        "jid": "from", "sender": "from", "requester": "from", "contact": "from", "host": "domain", "localpart": "user",
        "local": "user", "node": "user", "username": "user", "text": "message", "body": "message", "and": "all",
        "or": "any", "to": "account", "roster": "in_roster", "or_any": "any", "invitation": "token", "preauth": "token",
    ]

    let reader: FileReader
    let lists: PolicyLists

    /// The conditions of one map, in the file's order.
    func conditions(_ node: YAMLNode, depth: Int = 0) -> [Condition] {
        guard let entries = reader.mapping(node, "a condition", example: "{ from: \"*@example.org\" }") else {
            return []
        }
        if entries.isEmpty, reader.isComplete {
            reader.report(
                FaultCatalogue.emptyWhen,
                node.mark,
                "an empty map of conditions does not mean always; leave 'when' out for a rule that always holds"
            )
        }
        var conditions: [Condition] = []
        for entry in entries { conditions += read(entry, depth: depth) }
        return conditions
    }

    private func read(_ entry: YAMLEntry, depth: Int) -> [Condition] {
        let node = entry.value
        switch entry.key {
        case "from": return [condition(entry, .from(sets(node)), shown(node))]
        case "account": return [condition(entry, .account(sets(node)), shown(node))]
        case "user": return [condition(entry, .user(sets(node)), shown(node))]
        case "domain": return [condition(entry, .domain(sets(node)), shown(node))]
        case "message": return message(entry)
        case "subscription":
            let wanted = subscriptions(node)
            return [condition(entry, .subscription(wanted), shown(node))]
        case "in_roster":
            guard let wanted = reader.boolean(node, "in_roster") else { return [] }
            return [condition(entry, .inRoster(wanted), "\(wanted)")]
        case "token": return [condition(entry, .token(tokens(node)), shown(node))]
        case "moved": return [condition(entry, .moved(words(node, "moved")), shown(node))]
        case "gateway":
            guard let wanted = reader.boolean(node, "gateway") else { return [] }
            return [condition(entry, .gateway(wanted), "\(wanted)")]
        case "all", "any", "not": return combination(entry, depth: depth + 1)
        default:
            reportUnknown(entry)
            return []
        }
    }

    private func condition(_ entry: YAMLEntry, _ test: Condition.Test, _ asked: String) -> Condition {
        Condition(test, label: "\(entry.key): \(asked)", place: reader.place(entry.mark))
    }

    private func reportUnknown(_ entry: YAMLEntry) {
        if ConditionReader.notBuilt.contains(where: { $0.utf8.elementsEqual(entry.key.utf8) }) {
            reader.report(FaultCatalogue.notBuiltYet, entry.mark, "the condition '\(entry.key)' is not built yet")
            return
        }
        let suggestion =
            ConditionReader.synonyms[entry.key.lowercased()]
            ?? EditDistance.nearest(to: entry.key, among: ConditionReader.built + ConditionReader.notBuilt)
        reader.report(
            FaultCatalogue.unknownCondition,
            entry.mark,
            "unknown condition \(reader.quoted(entry.key, entry.mark))",
            suggestion: suggestion
        )
    }

    // MARK: Combinations

    private func combination(_ entry: YAMLEntry, depth: Int) -> [Condition] {
        guard depth <= ConditionReader.depthLimit else {
            reader.report(
                FaultCatalogue.combinationShape,
                entry.mark,
                "all, any and not stand inside each other to a depth over \(ConditionReader.depthLimit)"
            )
            return []
        }
        let place = reader.place(entry.mark)
        if entry.key == "not" {
            if case .sequence = entry.value.content {
                reader.report(
                    FaultCatalogue.combinationShape,
                    entry.value.mark,
                    "not takes one map of conditions; for several lists write not: { any: [ … ] }"
                )
                return []
            }
            return [Condition(.not(conditions(entry.value, depth: depth)), label: "not", place: place)]
        }
        guard case .sequence(let items) = entry.value.content, !items.isEmpty else {
            if case .invalid = entry.value.content { return [] }
            reader.report(
                FaultCatalogue.combinationShape,
                entry.value.mark,
                "\(entry.key) takes a list of maps, such as \(entry.key): [ { domain: a.example }, { domain: b.example } ]"
            )
            return []
        }
        var parts: [Condition] = []
        for item in items {
            let inner = conditions(item, depth: depth)
            if inner.count == 1 {
                parts += inner
            } else {
                parts.append(Condition(.all(inner), label: "all", place: reader.place(item.mark)))
            }
        }
        return [Condition(entry.key == "all" ? .all(parts) : .any(parts), label: entry.key, place: place)]
    }

    // MARK: Values

    /// One value or a list of them, with the lists that they name.
    private func sets<Values: ValueSet>(_ node: YAMLNode) -> [Values] {
        var inline = Values()
        var sets: [Values] = []
        for value in values(node, Values.kind.rawValue) {
            guard case .scalar(let text, _) = value.content else { continue }
            if text.utf8.first == UInt8(ascii: "@") {
                let name = String(text.dropFirst())
                if let set: Values = lists.set(named: name, at: value.mark) { sets.append(set) }
                continue
            }
            do {
                guard try inline.insert(text) else {
                    reader.report(
                        FaultCatalogue.duplicateEntry,
                        value.mark,
                        "\(reader.quoted(text, value.mark)) stands here twice"
                    )
                    continue
                }
                PatternWarnings.report(text, as: Values.kind, in: reader, at: value.mark)
            } catch {
                report(error, of: text, at: value.mark)
            }
        }
        return inline.isEmpty ? sets : [inline] + sets
    }

    private func report(_ error: PatternError, of text: String, at mark: YAMLMark) {
        let kind =
            switch error.code {
            case .regularExpression: FaultCatalogue.notBuiltYet
            case .notAnAddress, .resource: FaultCatalogue.notAnAddress
            default: FaultCatalogue.badPattern
            }
        reader.report(kind, mark, "\(reader.quoted(text, mark)): \(error)")
    }

    // MARK: Message

    private static let messageSchema = Schema(
        "message",
        keys: ["contains", "absent", "longer_than"],
        notBuilt: ["matches", "shorter_than", "script"],
        synonyms: ["contain": "contains", "includes": "contains", "present": "absent", "regex": "matches"]
    )

    /// Each test of a message is a condition of its own; all must hold.
    private func message(_ entry: YAMLEntry) -> [Condition] {
        if case .scalar("absent", _) = entry.value.content {
            return [condition(entry, .messageAbsent(true), "absent")]
        }
        guard
            let entries = reader.mapping(
                entry.value,
                "message",
                example: "{ contains: casino }, { absent: true } or { longer_than: 500 }"
            )
        else { return [] }
        if entries.isEmpty, reader.isComplete {
            reader.report(FaultCatalogue.emptyWhen, entry.value.mark, "message asks for nothing")
        }
        _ = reader.entries(entries, of: ConditionReader.messageSchema, at: entry.value.mark)
        return entries.compactMap { test -> Condition? in
            let place = reader.place(test.mark)
            switch test.key {
            case "contains":
                let label = "message: { contains: \(shown(test.value)) }"
                return Condition(.messageContains(texts(test.value)), label: label, place: place)
            case "absent":
                guard let absent = reader.boolean(test.value, "absent") else { return nil }
                return Condition(.messageAbsent(absent), label: "message: { absent: \(absent) }", place: place)
            case "longer_than":
                guard let limit = reader.integer(test.value, "longer_than", in: 0...1_000_000) else { return nil }
                return Condition(.messageLongerThan(limit), label: "message: { longer_than: \(limit) }", place: place)
            default: return nil
            }
        }
    }

    private func texts(_ node: YAMLNode) -> [TextSet] {
        let sets: [TextSet] = sets(node)
        if sets.reduce(0, { $0 + $1.count }) > ConditionReader.textLimit {
            reader.report(
                FaultCatalogue.outOfRange,
                node.mark,
                "more than \(ConditionReader.textLimit) texts to look for in one message"
            )
        }
        return sets
    }

    // MARK: Words of a trace

    /// What a condition asks, as the policy has it, cut after a few values.
    private func shown(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let text, _): return ConditionReader.quoted(text)
        case .sequence(let items):
            let shown = items.prefix(4).map { self.shown($0) }.joined(separator: ", ")
            return "[\(shown)\(items.count > 4 ? ", …" : "")]"
        case .mapping, .invalid: return "…"
        }
    }

    private static func quoted(_ text: String) -> String {
        let short = text.unicodeScalars.count > 80 ? String(text.unicodeScalars.prefix(80)) + "…" : text
        let needsQuotes = short.utf8.contains { "*@/\"'#:,{}[] ".utf8.contains($0) && $0 != UInt8(ascii: "@") }
        let startsSpecial = short.utf8.first == UInt8(ascii: "@")
        return needsQuotes || startsSpecial ? "\"\(short)\"" : short
    }
}
