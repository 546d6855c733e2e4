public import XMPPCore

/// What a presence says of its sender's capabilities.
public struct CapsAnnouncement: Hashable, Sendable {
    /// The node to ask, with the hash in it.
    public var node: String
    /// What the answer must have; nil where the function is not known, so that the answer is good for this sender only.
    public var hash: CapsHash?

    /// An announcement.
    public init(node: String, hash: CapsHash?) {
        self.node = node
        self.hash = hash
    }
}

/// The payloads of capabilities in presence (XEP-0115, XEP-0390).
public enum CapsPayload {
    /// Longest node that is read, in bytes.
    public static let nodeLimit = 1_024
    /// Most hashes that are looked at of one presence.
    private static let hashLimit = 16

    /// The first protocol: names the program and its hash.
    public static func first(node: String, _ hash: CapsHash) -> Element {
        Element(
            "c", namespace: Namespace.caps,
            attributes: [
                .init("hash", hash.function.rawValue), .init("node", node), .init("ver", hash.text),
            ])
    }

    /// The second protocol: hashes alone.
    public static func second(_ hashes: [CapsHash]) -> Element {
        let children = hashes.map { hash in
            Element.Node.element(
                Element(
                    "hash", namespace: Namespace.hashes, attributes: [.init("algo", hash.function.rawValue)],
                    children: [.text(hash.text)]))
        }
        return Element("c", namespace: Namespace.caps2, children: children)
    }

    /// What a presence announces: by the second protocol where a function of it is known, else by the first.
    ///
    /// - Returns: Nil where it announces nothing: its server may have left it out, so that what was known of the sender holds
    ///   (XEP-0115 section 8.4). Also nil for what stood there before hashes (section 11).
    public static func announcement(in presence: Element) -> CapsAnnouncement? {
        if let element = presence.first("c", Namespace.caps2) {
            var best: CapsHash?
            for child in element.elements.prefix(hashLimit) where child.matches("hash", Namespace.hashes) {
                guard let function = child[attribute: "algo"].flatMap(CapsHash.Function.init(named:)),
                    let hash = CapsHash(.second, function, child.text)
                else { continue }
                if best == nil || hash.function == .sha256 { best = hash }
            }
            if let best { return CapsAnnouncement(node: best.node, hash: best) }
        }
        guard let element = presence.first("c", Namespace.caps), let name = element[attribute: "hash"],
            let node = element[attribute: "node"], let version = element[attribute: "ver"], !version.isEmpty,
            node.utf8.count + version.utf8.count < nodeLimit
        else { return nil }
        let hash = CapsHash.Function(named: name).flatMap { CapsHash(.first, $0, version) }
        return CapsAnnouncement(node: node + "#" + version, hash: hash)
    }
}
