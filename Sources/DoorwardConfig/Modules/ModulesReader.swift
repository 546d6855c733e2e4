import XMPPCore
import XMPPCrypto

/// Reads `modules:` of a bot or of an account.
struct ModulesReader {
    /// The longest name of a module.
    private static let nameLimit = 64
    /// The most modules of one account.
    private static let limit = 32

    let reader: FileReader
    let registry: ModuleRegistry

    /// The modules in the order of the file; those with faults are left out.
    func modules(_ node: YAMLNode) -> [ModuleConfiguration] {
        let example = registry.names.first.map { "{ \($0): {} }" } ?? "{}"
        // Nothing at all is as good as an empty map, which is what is left when the last one is taken out.
        guard !node.isNull, let entries = reader.mapping(node, "modules", example: example) else { return [] }
        if let first = entries.dropFirst(Self.limit).first {
            reader.report(FaultCatalogue.outOfRange, first.mark, "an account has at most \(Self.limit) modules")
        }
        return entries.prefix(Self.limit).compactMap(module)
    }

    private func module(_ entry: YAMLEntry) -> ModuleConfiguration? {
        guard let known = registry.entry(entry.key) else {
            reportUnknown(entry)
            return nil
        }
        guard !entry.value.isFaulty else { return nil }
        let decoding = YAMLDecoding(reader: reader, what: "the settings of \(known.name)")
        guard let settings = decoding.value(of: entry.value, by: known.read) else { return nil }
        var text: [UInt8] = []
        entry.value.spell(into: &text)
        let digest = hexadecimal(Array(digest(.sha256, text).prefix(16)))
        return ModuleConfiguration(name: known.name, settings: settings, digest: digest)
    }

    private func reportUnknown(_ entry: YAMLEntry) {
        let suggestion = EditDistance.nearest(to: entry.key, among: registry.names)
        let there =
            registry.names.isEmpty
            ? "this program has none" : "this program has \(FileReader.listed(registry.names.sorted()))"
        let name = String(entry.key.prefix(Self.nameLimit))
        reader.report(
            FaultCatalogue.unknownModule, entry.mark,
            "unknown module \(reader.quoted(name, entry.mark)): \(there)", suggestion: suggestion)
    }
}

extension YAMLNode {
    /// What it says, however it is written: for a digest.
    ///
    /// Keys are in the order of their bytes.
    func spell(into bytes: inout [UInt8]) {
        func text(_ value: String) {
            bytes += "\(value.utf8.count):".utf8
            bytes += value.utf8
        }
        switch content {
        case .scalar(let value, let isPlain):
            bytes.append(UInt8(ascii: isPlain ? "p" : "q"))
            text(value)
        case .sequence(let items):
            bytes += "[\(items.count)".utf8
            for item in items { item.spell(into: &bytes) }
        case .mapping(let entries):
            bytes += "{\(entries.count)".utf8
            for entry in entries.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                text(entry.key)
                entry.value.spell(into: &bytes)
            }
        case .invalid:
            bytes.append(UInt8(ascii: "!"))
        }
    }
}
