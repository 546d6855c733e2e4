import XMPPCore

extension FileReader {
    /// True or false, without quotes.
    func boolean(_ node: YAMLNode, _ what: String) -> Bool? {
        if case .invalid = node.content { return nil }
        guard case .scalar(let text, let isPlain) = node.content, !node.isNull else {
            wrongType(node, "\(what) is true or false")
            return nil
        }
        switch (text, isPlain) {
        case ("true", true): return true
        case ("false", true): return false
        case (_, _):
            let meant = ["yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"]
            let lowered = text.lowercased()
            let suggestion = meant[lowered] ?? EditDistance.nearest(to: lowered, among: ["true", "false"])
            // In quotes it is a text, whatever it says: to suggest the same word would not tell what is wrong.
            let isSame = suggestion.map { sameBytes($0, text) } ?? false
            report(
                FaultCatalogue.notABoolean,
                node.mark,
                isSame
                    ? "\(what) needs a boolean: take the quotes away, \(text) in them is a text"
                    : "\(what) is true or false, without quotes; this is \(quoted(text, node.mark))",
                suggestion: isSame ? nil : suggestion
            )
            return nil
        }
    }
}
