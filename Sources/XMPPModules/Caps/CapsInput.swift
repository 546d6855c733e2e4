import XMPPCore

/// What is hashed: texts as UTF-8, sorted by their bytes (`i;octet`).
enum CapsInput {
    /// XEP-0115 section 5.1.
    ///
    /// - Returns: Nil where the same identity, feature or kind of form stands twice (section 5.4), or where a text holds what
    ///   ends one: another set of texts could have the same hash.
    static func first(_ info: DiscoInfo) -> [UInt8]? {
        var output: [UInt8] = []
        var identities: [[UInt8]] = []
        for identity in info.identities {
            // The name is last, so it may hold a slash.
            guard let category = text(identity.category, not: "/<"), let type = text(identity.type, not: "/<"),
                let language = text(identity.language ?? "", not: "/<"), let name = text(identity.name ?? "", not: "<")
            else { return nil }
            identities.append(category + slash + type + slash + language + slash + name + end)
        }
        var features: [[UInt8]] = []
        for feature in info.features {
            guard let feature = text(feature, not: "<") else { return nil }
            features.append(feature + end)
        }
        guard let sortedIdentities = sorted(identities), let sortedFeatures = sorted(features),
            let forms = forms(info.forms)
        else { return nil }
        output += sortedIdentities.joined()
        output += sortedFeatures.joined()
        output += forms
        return output
    }

    private static let slash = Array("/".utf8)
    private static let end = Array("<".utf8)

    /// The forms, by kind; one without a hidden `FORM_TYPE` does not count (XEP-0115 section 5.4).
    private static func forms(_ forms: [DataForm]) -> [UInt8]? {
        var parts: [(type: [UInt8], bytes: [UInt8])] = []
        for form in forms {
            guard let field = form["FORM_TYPE"], field.kind == .hidden, let type = field.value else { continue }
            // More than one kind is none (section 5.4).
            guard field.values.allSatisfy({ sameBytes($0, type) }), let name = text(type, not: "<"),
                form.fields.count(where: { sameBytes($0.name, "FORM_TYPE") }) == 1
            else { return nil }
            var fields: [[UInt8]] = []
            for field in form.fields where !sameBytes(field.name, "FORM_TYPE") {
                guard let name = text(field.name ?? "", not: "<") else { return nil }
                var values: [[UInt8]] = []
                for value in field.values {
                    guard let value = text(value, not: "<") else { return nil }
                    values.append(value + end)
                }
                fields.append(name + end + values.sorted(by: precedes).joined())
            }
            parts.append((name, name + end + fields.sorted(by: precedes).joined()))
        }
        guard sorted(parts.map(\.type)) != nil else { return nil }
        return Array(parts.sorted { precedes($0.type, $1.type) }.map(\.bytes).joined())
    }

    /// XEP-0390 section 4.1.
    ///
    /// - Returns: Nil where a form is none that this protocol takes. Separators cannot stand in XML, so nothing else can be
    ///   mistaken.
    static func second(_ info: DiscoInfo) -> [UInt8]? {
        let (unit, record, group, file): (UInt8, UInt8, UInt8, UInt8) = (0x1F, 0x1E, 0x1D, 0x1C)
        let features = info.features.map { Array($0.utf8) + [unit] }
        let identities = info.identities.map { identity in
            [identity.category, identity.type, identity.language ?? "", identity.name ?? ""]
                .flatMap { Array($0.utf8) + [unit] } + [record]
        }
        var forms: [[UInt8]] = []
        for form in info.forms {
            guard form.columns.isEmpty, form.rows.isEmpty, form["FORM_TYPE"]?.kind == .hidden else { return nil }
            let fields = form.fields.map { field in
                Array((field.name ?? "").utf8) + [unit]
                    + field.values.map { Array($0.utf8) + [unit] }.sorted(by: precedes).joined() + [record]
            }
            forms.append(fields.sorted(by: precedes).joined() + [group])
        }
        let parts = [features, identities, forms].flatMap { $0.sorted(by: precedes).joined() + [file] }
        // From within the program a text may hold anything.
        let texts =
            info.features + info.identities.flatMap { [$0.category, $0.type, $0.language ?? "", $0.name ?? ""] }
        guard texts.allSatisfy({ $0.utf8.allSatisfy { !(0x1C...0x1F).contains($0) } }) else { return nil }
        return parts
    }

    private static func text(_ text: String, not forbidden: String) -> [UInt8]? {
        text.utf8.contains { forbidden.utf8.contains($0) } ? nil : Array(text.utf8)
    }

    private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }

    /// Nil where one stands twice.
    private static func sorted(_ texts: [[UInt8]]) -> [[UInt8]]? {
        let sorted = texts.sorted(by: precedes)
        return zip(sorted, sorted.dropFirst()).contains { $0 == $1 } ? nil : sorted
    }
}
