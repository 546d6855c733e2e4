public import XMPPCore

/// The payloads of service discovery (XEP-0030).
public enum DiscoPayload {
    /// Most features, and most items, that are read of one answer.
    public static let limit = 1_000
    /// Most identities, and most forms.
    public static let fewLimit = 64

    /// Asks what an entity is and can.
    public static func info() -> Element { query(Namespace.discoInfo, node: nil) }

    /// Asks what a node of an entity is and can.
    public static func info(node: String?) -> Element { query(Namespace.discoInfo, node: node) }

    /// Asks what an entity, or a node of it, has.
    public static func items(node: String? = nil) -> Element { query(Namespace.discoItems, node: node) }

    /// The features that an answer announces.
    public static func features(in query: Element) -> Set<[UInt8]> {
        var features: Set<[UInt8]> = []
        for child in query.elements.prefix(limit) where child.matches("feature", Namespace.discoInfo) {
            if let name = child[attribute: "var"] { features.insert(Array(name.utf8)) }
        }
        return features
    }

    /// Reads what an entity says it is and can.
    ///
    /// Everything is there as it was written, also what stands twice.
    ///
    /// - Returns: Nil where it is no such answer, or over the bounds.
    public static func info(in query: Element) -> DiscoInfo? {
        guard query.matches("query", Namespace.discoInfo) else { return nil }
        var info = DiscoInfo(identities: [], features: [])
        for case .element(let child) in query.children {
            if child.matches("identity", Namespace.discoInfo) {
                guard info.identities.count < fewLimit, let category = child[attribute: "category"],
                    let type = child[attribute: "type"]
                else { return nil }
                let language = child.attributes.first {
                    sameBytes($0.name, "lang") && sameBytes($0.namespace, Namespace.xml)
                }
                info.identities.append(
                    DiscoInfo.Identity(category, type, language: language?.value, name: child[attribute: "name"]))
            } else if child.matches("feature", Namespace.discoInfo) {
                guard info.features.count < limit, let name = child[attribute: "var"] else { return nil }
                info.features.append(name)
            } else if child.matches("x", Namespace.dataForms) {
                guard info.forms.count < fewLimit, let form = DataForm(child) else { return nil }
                info.forms.append(form)
            }
        }
        return info
    }

    /// Writes it.
    public static func query(_ info: DiscoInfo, node: String? = nil) -> Element {
        var query = query(Namespace.discoInfo, node: node)
        for identity in info.identities {
            var element = Element("identity", namespace: Namespace.discoInfo)
            if let language = identity.language {
                element.attributes.append(.init("lang", namespace: Namespace.xml, language))
            }
            element[attribute: "category"] = identity.category
            element[attribute: "type"] = identity.type
            element[attribute: "name"] = identity.name
            query.children.append(.element(element))
        }
        query.children += info.features.map {
            .element(Element("feature", namespace: Namespace.discoInfo, attributes: [.init("var", $0)]))
        }
        query.children += info.forms.map { .element($0.element) }
        return query
    }

    /// Reads what an entity has; at most ``limit`` items, further ones are left out.
    ///
    /// - Returns: Nil where it is no such answer.
    public static func items(in query: Element) -> [DiscoItem]? {
        guard query.matches("query", Namespace.discoItems) else { return nil }
        var items: [DiscoItem] = []
        for case .element(let child) in query.children where child.matches("item", Namespace.discoItems) {
            guard items.count < limit, let jid = child[attribute: "jid"] else { continue }
            items.append(DiscoItem(jid: jid, node: child[attribute: "node"], name: child[attribute: "name"]))
        }
        return items
    }

    /// Writes it.
    public static func query(_ items: [DiscoItem], node: String? = nil) -> Element {
        var query = query(Namespace.discoItems, node: node)
        query.children = items.map { item in
            var element = Element("item", namespace: Namespace.discoItems, attributes: [.init("jid", item.jid)])
            element[attribute: "node"] = item.node
            element[attribute: "name"] = item.name
            return .element(element)
        }
        return query
    }

    private static func query(_ namespace: String, node: String?) -> Element {
        Element("query", namespace: namespace, attributes: node.map { [.init("node", $0)] } ?? [])
    }
}
