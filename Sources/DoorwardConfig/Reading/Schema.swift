/// The keys of one kind of map.
struct Schema {
    /// What the map is, for messages: `an account`.
    let what: String
    let keys: [String]
    let required: [String]
    /// Keys of the design whose part this version does not have.
    let notBuilt: [String]
    /// Words that people write instead.
    let synonyms: [String: String]
    /// Whether its keys are never shown: one may be a secret in the wrong place.
    let hidesKeys: Bool

    init(
        _ what: String,
        keys: [String],
        required: [String] = [],
        notBuilt: [String] = [],
        synonyms: [String: String] = [:],
        hidesKeys: Bool = false
    ) {
        self.what = what
        self.keys = keys
        self.required = required
        self.notBuilt = notBuilt
        self.synonyms = synonyms
        self.hidesKeys = hidesKeys
    }
}

/// The known entries of one map.
struct SchemaEntries {
    private let entries: [String: YAMLEntry]

    fileprivate init(_ entries: [String: YAMLEntry]) { self.entries = entries }

    var count: Int { entries.count }

    subscript(_ key: String) -> YAMLEntry? { entries[key] }
}

extension FileReader {
    /// The known entries of a map, after every other key was reported; a missing key is reported at `mark`.
    func entries(_ all: [YAMLEntry], of schema: Schema, at mark: YAMLMark) -> SchemaEntries {
        var known: [String: YAMLEntry] = [:]
        for entry in all {
            if let key = schema.keys.first(where: { $0.utf8.elementsEqual(entry.key.utf8) }) {
                known[key] = entry
            } else if schema.notBuilt.contains(where: { $0.utf8.elementsEqual(entry.key.utf8) }) {
                report(
                    FaultCatalogue.notBuiltYet,
                    entry.mark,
                    "'\(entry.key)' in \(schema.what) is not built yet; remove it"
                )
            } else {
                reportUnknown(entry, beside: all, schema)
            }
        }
        for key in schema.required where known[key] == nil && isComplete {
            report(FaultCatalogue.missingKey, mark, "\(schema.what) needs the key '\(key)'")
        }
        return SchemaEntries(known)
    }

    private func reportUnknown(_ entry: YAMLEntry, beside all: [YAMLEntry], _ schema: Schema) {
        let suggestion =
            schema.synonyms[entry.key.lowercased()]
            ?? EditDistance.nearest(to: entry.key, among: schema.keys + schema.notBuilt)
        let hidesKey = schema.hidesKeys || (file.mayHoldSecrets && SecretLines.isMoreThanKey(entry.key.utf8))
        var message =
            hidesKey
            ? "unknown key in \(schema.what)" : "unknown key '\(entry.key.prefix(60))' in \(schema.what)"
        if suggestion == nil { message += ": it takes \(FileReader.listed(schema.keys))" }
        // A key that stands one level too shallow leaves the one above it without its value.
        if let empty = all.first(where: { $0.value.isNull && $0.mark.line <= entry.mark.line && $0.key != entry.key }),
            !schema.hidesKeys
        {
            message += "; '\(empty.key)' at \(empty.mark.line):\(empty.mark.column) has no value: check the indentation"
        }
        report(FaultCatalogue.unknownKey, entry.mark, message, suggestion: suggestion)
    }

    /// Reads `version: 1`.
    func checkVersion(_ entry: YAMLEntry?) {
        guard let entry, let version = integer(entry.value, "version", in: 0...Int.max), version != 1 else { return }
        report(
            FaultCatalogue.unsupportedVersion,
            entry.value.mark,
            "version \(version) is not known; this program reads version 1",
            suggestion: "1"
        )
    }
}
