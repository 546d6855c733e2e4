import DoorwardPolicy

/// Conditions whose values are words of the language.
extension ConditionReader {
    /// The values of a node that is one value or a list of them.
    func values(_ node: YAMLNode, _ what: String) -> [YAMLNode] {
        var nodes = [node]
        if case .sequence(let items) = node.content {
            if items.isEmpty {
                reader.report(FaultCatalogue.missingValue, node.mark, "an empty list of \(what) matches nothing")
            }
            nodes = items
        }
        return nodes.filter { reader.text($0, "one of the \(what)") != nil }
    }

    /// One word or a list of them.
    func words<Word>(_ node: YAMLNode, _ key: String, _ what: String? = nil) -> Set<Word>
    where Word: RawRepresentable<String> & CaseIterable & Hashable {
        let choices = Word.allCases.map(\.rawValue)
        return Set(
            values(node, what ?? "words of '\(key)'").compactMap { value in
                reader.choice(value, key, choices).flatMap(Word.init(rawValue:))
            })
    }

    func subscriptions(_ node: YAMLNode) -> Set<RosterFact.Subscription> {
        let wanted: Set<RosterFact.Subscription> = words(node, "subscription", "subscription states")
        if !wanted.isEmpty, !wanted.contains(.none) {
            reader.report(
                FaultCatalogue.neverMet,
                node.mark,
                "no request that a rule sees is in this state: who sees the account already (from, both) is answered "
                    + "again, and whom we asked first (to) is accepted, before any rule"
            )
        }
        return wanted
    }

    func tokens(_ node: YAMLNode) -> Set<TokenFact> {
        let wanted: Set<TokenFact> = words(node, "token")
        if wanted == [.valid] {
            reader.report(
                FaultCatalogue.neverMet,
                node.mark,
                "no request that a rule sees has a valid token: who shows one is accepted before any rule, since an "
                    + "operator has invited them"
            )
        }
        return wanted
    }
}
