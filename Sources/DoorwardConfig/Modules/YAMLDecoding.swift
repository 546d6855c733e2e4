/// Decodes one value of a file, and says where what does not fit stands.
///
/// A class, since all containers of one value report to the same one; it never leaves the call that made it.
final class YAMLDecoding {
    /// What ended a decoding that was reported already.
    struct Reported: Error {}

    let reader: FileReader
    /// What is read, for messages: `the settings of greeter`.
    let what: String
    /// The maps that were asked for keys, by their place, with what was asked for.
    private var asked: [YAMLMark: AskedMap] = [:]
    private var order: [YAMLMark] = []
    /// Keys that were reported already.
    private var reportedKeys: Set<YAMLMark> = []
    private var hasFaults = false
    /// How many values were put in place of others: what a type says of such a one does not count.
    private var standIns = 0
    private var root: YAMLNode?

    private struct AskedMap {
        let entries: [YAMLEntry]
        /// Whether all its keys were asked for, as a dictionary does.
        var isOpen = false
        var keys: [String] = []
    }

    init(reader: FileReader, what: String) {
        self.reader = reader
        self.what = what
    }

    /// The value, or nil where it was reported what does not fit: as far as it can be read, all of it.
    func value<Value>(of node: YAMLNode, by read: (any Decoder) throws -> Value) -> Value? {
        root = node
        do {
            let value = try read(YAMLNodeDecoder(node: node, codingPath: [], decoding: self))
            // A module without settings asks for nothing, and takes none.
            if case .mapping(let entries) = node.content, asked[node.mark] == nil { opened(entries, at: node.mark) }
            let hasOthers = reportUnasked()
            return hasFaults || hasOthers ? nil : value
        } catch {
            judge(error, since: 0)
            return nil
        }
    }

    /// Reads a value; what does not fit is reported, and something put in its place so that the rest is read too.
    ///
    /// - Throws: `Reported` where nothing can stand in for it.
    func part<Value>(_ type: Value.Type, _ read: () throws -> Value) throws -> Value {
        let before = standIns
        do { return try read() } catch {
            judge(error, since: before)
            guard let value = standIn(for: type) else { throw Reported() }
            standIns += 1
            return value
        }
    }

    /// Reports an error, unless it was, or comes of a value that only stands in for another.
    private func judge(_ error: any Error, since before: Int) {
        hasFaults = true
        guard !(error is Reported), standIns == before, let root else { return }
        if let error = error as? DecodingError { return report(error, root) }
        let words = (error as? any CustomStringConvertible)?.description ?? "\(type(of: error))"
        reader.report(FaultCatalogue.badSettings, root.mark, "\(what): \(shortened(words))")
    }

    // MARK: What containers tell

    func opened(_ entries: [YAMLEntry], at mark: YAMLMark) {
        guard asked[mark] == nil else { return }
        asked[mark] = AskedMap(entries: entries)
        order.append(mark)
    }

    func wasAsked(_ key: String, at mark: YAMLMark) { asked[mark]?.keys.append(key) }

    func wasAskedForAll(at mark: YAMLMark) { asked[mark]?.isOpen = true }

    func fault(_ kind: FaultKind, _ mark: YAMLMark, _ message: String, suggestion: String? = nil) -> Reported {
        hasFaults = true
        reader.report(kind, mark, message, suggestion: suggestion)
        return Reported()
    }

    /// A key is missing; where one is there that nobody asked for and that is near, that one is meant.
    func missing(_ key: String, of entries: [YAMLEntry], at mark: YAMLMark) -> Reported {
        let known = asked[mark]?.keys ?? []
        let others = entries.filter { entry in !known.contains { $0.utf8.elementsEqual(entry.key.utf8) } }
        if let meant = others.first(where: { EditDistance.nearest(to: $0.key, among: [key]) != nil }) {
            reportedKeys.insert(meant.mark)
            return fault(
                FaultCatalogue.unknownKey, meant.mark, "unknown key \(shown(meant)) in \(what)", suggestion: key)
        }
        guard reader.isComplete else { return Reported() }
        return fault(FaultCatalogue.missingKey, mark, "\(what): the key '\(key)' is needed")
    }

    // MARK: Parts

    /// - Returns: Whether there were keys that nobody asked for.
    private func reportUnasked() -> Bool {
        var found = false
        for mark in order {
            guard let map = asked[mark], !map.isOpen else { continue }
            for entry in map.entries where !map.keys.contains(where: { $0.utf8.elementsEqual(entry.key.utf8) }) {
                guard !reportedKeys.contains(entry.mark) else { continue }
                found = true
                let suggestion = EditDistance.nearest(to: entry.key, among: map.keys)
                var keys: [String] = []
                for key in map.keys where !keys.contains(key) { keys.append(key) }
                let takes = keys.isEmpty ? "it takes none" : "it takes \(FileReader.listed(keys))"
                let more = suggestion == nil ? ": \(takes)" : ""
                reader.report(
                    FaultCatalogue.unknownKey, entry.mark, "unknown key \(shown(entry)) in \(what)\(more)",
                    suggestion: suggestion)
            }
        }
        return found
    }

    private func shown(_ entry: YAMLEntry) -> String { reader.quoted(entry.key, entry.mark) }

    /// An error that the type itself threw.
    private func report(_ error: DecodingError, _ root: YAMLNode) {
        let (context, words): (DecodingError.Context, String)
        switch error {
        case .typeMismatch(_, let found), .valueNotFound(_, let found):
            (context, words) = (found, "the value does not fit: \(found.debugDescription)")
        case .keyNotFound(let key, let found):
            (context, words) = (found, "the key '\(key.stringValue)' is needed")
        case .dataCorrupted(let found):
            (context, words) = (found, found.debugDescription)
        @unknown default:
            return reader.report(FaultCatalogue.badSettings, root.mark, "\(what) cannot be read")
        }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
        let place = path.isEmpty ? what : "'\(path.joined(separator: "."))' in \(what)"
        reader.report(
            FaultCatalogue.badSettings, root.node(at: context.codingPath).mark, "\(place): \(shortened(words))")
    }

    /// Words of a module: one short line.
    private func shortened(_ words: String) -> String {
        words.unicodeScalars.count > 300 ? String(words.unicodeScalars.prefix(300)) + "…" : words
    }
}

extension YAMLNode {
    /// The node at a path, or the last one on it that is there.
    fileprivate func node(at path: [any CodingKey]) -> YAMLNode {
        var node = self
        for key in path {
            switch node.content {
            case .mapping(let entries):
                guard let entry = entries.first(where: { $0.key.utf8.elementsEqual(key.stringValue.utf8) }) else {
                    return node
                }
                node = entry.value
            case .sequence(let items):
                guard let index = key.intValue, items.indices.contains(index) else { return node }
                node = items[index]
            case .scalar, .invalid:
                return node
            }
        }
        return node
    }
}
