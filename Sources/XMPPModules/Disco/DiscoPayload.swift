public import XMPPCore

/// The payloads of service discovery (XEP-0030).
public enum DiscoPayload {
    /// Most features that are read of one answer.
    public static let limit = 1_000

    /// Asks what an entity is and can.
    public static func info() -> Element { Element("query", namespace: Namespace.discoInfo) }

    /// The features that an answer announces.
    public static func features(in query: Element) -> Set<[UInt8]> {
        var features: Set<[UInt8]> = []
        for child in query.elements.prefix(limit) where child.matches("feature", Namespace.discoInfo) {
            if let name = child[attribute: "var"] { features.insert(Array(name.utf8)) }
        }
        return features
    }
}
