import DoorwardPolicy

/// One entry of a list, and where it stands.
struct ListEntry {
    var text: String
    var mark: YAMLMark
}

/// The lists of one policy: read once, compiled once for each kind of fact that they are compared with.
final class PolicyLists {
    private struct NamedList {
        var name: String
        /// The file that its entries stand in: the policy's, or its own.
        var reader: FileReader
        var entries: [ListEntry]
        /// Where the policy names it.
        var mark: YAMLMark
        var listFile: SourceFile?
        var isUsed = false
    }

    private static let fileLimit = 32 * 1_048_576
    private static let schema = Schema(
        "a list",
        keys: ["file"],
        required: ["file"],
        notBuilt: ["url", "refresh", "max_age", "on_unavailable", "pubsub", "hash", "service", "node"],
        synonyms: ["path": "file"]
    )

    private let policy: FileReader
    private var lists: [String: NamedList] = [:]
    private var order: [String] = []
    /// Names that stand somewhere as `@name`, though not where they could be looked up.
    private var mentioned: Set<String> = []
    /// Whether there may be lists whose names could not be read.
    private var hasUnread = false
    private var compiled: [String: any ValueSet] = [:]
    /// The bytes of the list files, in order of use.
    private(set) var usedFiles: [SourceFile] = []

    init(policy: FileReader) { self.policy = policy }

    // MARK: Reading

    func read(_ node: YAMLNode) {
        guard let entries = policy.mapping(node, "lists", example: "{ staff: [\"*@corp.example\"] }") else {
            hasUnread = true
            return
        }
        for entry in entries {
            if entry.key == "include" {
                hasUnread = true
                policy.report(FaultCatalogue.notBuiltYet, entry.mark, "'include' in lists is not built yet; remove it")
                continue
            }
            guard let name = name(of: entry) else {
                hasUnread = true
                continue
            }
            var list = NamedList(name: name, reader: policy, entries: [], mark: entry.mark)
            if case .mapping(let map) = entry.value.content {
                readFile(map, at: entry, into: &list)
            } else {
                readInline(entry, into: &list)
            }
            lists[name] = list
            order.append(name)
        }
    }

    private func name(of entry: YAMLEntry) -> String? {
        let node = YAMLNode(content: .scalar(entry.key, isPlain: false), mark: entry.mark, count: 1, depth: 1)
        if entry.key.utf8.first == UInt8(ascii: "@") {
            policy.report(
                FaultCatalogue.badName,
                entry.mark,
                "a list's name is written without '@' here",
                suggestion: String(entry.key.dropFirst())
            )
            return nil
        }
        return policy.word(node, "a list's name")
    }

    private func readInline(_ entry: YAMLEntry, into list: inout NamedList) {
        guard
            let items = policy.sequence(
                entry.value,
                "the list '\(entry.key)'",
                example: "[ann@example.org] or { file: lists/\(entry.key).txt }"
            )
        else { return }
        for item in items {
            if case .mapping = item.content {
                policy.report(
                    FaultCatalogue.notBuiltYet,
                    item.mark,
                    "list entries with a comment or an expiry are not built yet"
                )
                continue
            }
            guard let text = policy.text(item, "a list entry") else { continue }
            list.entries.append(ListEntry(text: text, mark: item.mark))
        }
        if items.isEmpty, policy.isComplete { warnEmpty(entry.key, policy, entry.value.mark) }
    }

    private func readFile(_ map: [YAMLEntry], at entry: YAMLEntry, into list: inout NamedList) {
        let known = policy.entries(map, of: PolicyLists.schema, at: entry.value.mark)
        guard let value = known["file"]?.value, let path = policy.text(value, "file") else { return }
        let resolved = policy.resolve(path)
        do {
            let bytes = try FileLoading.bytes(of: resolved, limit: PolicyLists.fileLimit)
            let file = SourceFile(openedPath: resolved, bytes: bytes, mayHoldSecrets: false)
            let (entries, isWhole) = ListFileReader.entries(of: file, faults: policy.faults)
            list.listFile = file
            list.reader = FileReader(file: file, faults: policy.faults, isComplete: isWhole)
            list.entries = entries
            if entries.isEmpty, isWhole { warnEmpty(list.name, list.reader, .wholeFile) }
        } catch {
            policy.report(
                FaultCatalogue.fileUnreadable,
                value.mark,
                "the list file \(FilePath.shown(resolved)) cannot be read: \(error.words)"
            )
        }
    }

    private func warnEmpty(_ name: String, _ reader: FileReader, _ mark: YAMLMark) {
        reader.report(FaultCatalogue.emptyList, mark, "the list '\(name)' is empty: nothing is ever in it")
    }

    // MARK: Use

    /// The list that a value such as `@staff` names, as a set of the kind it is compared as.
    func set<Values: ValueSet>(named name: String, at mark: YAMLMark) -> Values? {
        guard var list = lists[name] else {
            // Behind a fault that cut the file the list may still come.
            if policy.isComplete, !hasUnread {
                let meant = EditDistance.nearest(to: name, among: order)
                policy.report(FaultCatalogue.unknownList, mark, "unknown list '\(name)'", suggestion: meant)
                if let meant { mentioned.insert(meant) }
            }
            return nil
        }
        if !list.isUsed {
            list.isUsed = true
            lists[name] = list
            if let file = list.listFile { usedFiles.append(file) }
        }
        let key = "\(Values.kind) \(name)"
        if let known = compiled[key] as? Values { return known }
        var values = Values()
        for entry in list.entries { insert(entry, of: list, into: &values) }
        compiled[key] = values
        return values
    }

    private func insert<Values: ValueSet>(_ entry: ListEntry, of list: NamedList, into values: inout Values) {
        let shown = list.reader.quoted(entry.text, entry.mark)
        if entry.text.utf8.first == UInt8(ascii: "@") {
            list.reader.report(
                FaultCatalogue.badListEntry,
                entry.mark,
                "\(shown) in the list '\(list.name)': a list holds no other list; for a whole domain write '*\(entry.text)'"
            )
            return
        }
        do {
            guard try values.insert(entry.text) else {
                list.reader.report(
                    FaultCatalogue.duplicateEntry,
                    entry.mark,
                    "\(shown) is in the list '\(list.name)' already"
                )
                return
            }
            PatternWarnings.report(entry.text, as: Values.kind, in: list.reader, at: entry.mark)
        } catch {
            let code = error.code == .regularExpression ? FaultCatalogue.notBuiltYet : FaultCatalogue.badListEntry
            list.reader.report(
                code,
                entry.mark,
                "\(shown) in the list '\(list.name)', which is compared with \(Values.kind): \(error)"
            )
        }
    }

    /// Nothing is known of the lists: what should hold them is a key that was not understood.
    func areUnread() { hasUnread = true }

    /// Takes every `@name` inside a value for a use, where a fault kept conditions from being read.
    func noteMentions(in node: YAMLNode) {
        switch node.content {
        case .scalar(let text, _):
            if text.utf8.first == UInt8(ascii: "@") { mentioned.insert(String(text.dropFirst())) }
        case .sequence(let items): for item in items { noteMentions(in: item) }
        case .mapping(let entries): for entry in entries { noteMentions(in: entry.value) }
        case .invalid: break
        }
    }

    func warnUnused() {
        for name in order where !mentioned.contains(name) {
            guard let list = lists[name], !list.isUsed else { continue }
            policy.report(FaultCatalogue.unusedList, list.mark, "no rule uses the list '\(name)'")
        }
    }
}
