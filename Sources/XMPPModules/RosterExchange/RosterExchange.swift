public import XMPPCore

/// Contacts that somebody suggests (XEP-0144).
public struct RosterExchange: Hashable, Sendable {
    /// What is suggested; one stanza holds one kind.
    public enum Action: String, Hashable, Sendable, CaseIterable { case add, delete, modify }

    /// One contact.
    public struct Item: Hashable, Sendable {
        /// Whom; a resource is dropped.
        public var jid: BareJID
        /// The suggested name.
        public var name: String?
        /// The suggested groups, each once.
        public var groups: [String]
    }

    /// Why a suggestion is refused as a whole.
    public enum Refusal: Error, Hashable, Sendable {
        /// No items, an item without an address, or several kinds of actions in one stanza.
        case malformed
        /// More items than anybody suggests in good faith (section 8).
        case tooMany
    }

    /// Most items of one stanza.
    public static let limit = 150
    /// Most groups of one item.
    public static let groupLimit = 32

    /// What is suggested of all of them.
    public var action: Action
    /// Whom, each once.
    public var items: [Item]

    /// Reads the `<x/>` of a message or a request.
    ///
    /// - Parameter element: The element.
    /// - Throws: `Refusal`.
    public init(_ element: Element) throws(Refusal) {
        let items = element.elements.filter { $0.matches("item", Namespace.rosterExchange) }
        guard !items.isEmpty else { throw .malformed }
        guard items.count <= Self.limit else { throw .tooMany }
        var action: Action?
        var seen: Set<BareJID> = []
        self.items = []
        for item in items {
            let word = item[attribute: "action"] ?? Action.add.rawValue
            guard let kind = Action.allCases.first(where: { sameBytes($0.rawValue, word) }),
                action ?? kind == kind, let text = item[attribute: "jid"], let jid = try? JID(text)
            else { throw .malformed }
            action = kind
            guard seen.insert(jid.bare).inserted else { continue }
            self.items.append(Item(jid: jid.bare, name: Self.name(item), groups: Self.groups(item)))
        }
        self.action = action ?? .add
    }

    private static func name(_ item: Element) -> String? {
        item[attribute: "name"].flatMap { (1...1023).contains($0.utf8.count) ? $0 : nil }
    }

    private static func groups(_ item: Element) -> [String] {
        var seen: Set<[UInt8]> = []
        let texts = item.elements.filter { $0.matches("group", Namespace.rosterExchange) }.map(\.text)
        return texts.filter { (1...1023).contains($0.utf8.count) && seen.insert(Array($0.utf8)).inserted }
            .prefix(groupLimit).map { $0 }
    }
}
