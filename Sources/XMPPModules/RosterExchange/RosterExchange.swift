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
        /// No items that could be taken, or several kinds of actions in one stanza.
        case malformed
        /// More items than anybody suggests in good faith (section 8).
        case tooMany
    }

    /// Most items of one stanza.
    public static let limit = 150
    /// Most bytes of a name or a group.
    public static let textLimit = 1023
    /// Most groups of one item.
    public static let groupLimit = 50

    /// What is suggested of all of them.
    public var action: Action
    /// Whom, each once.
    public var items: [Item]
    /// How many items were passed over: without a good address, with a name or a group of over 1,023 bytes, or with too many
    /// groups.
    public var passedOver = 0

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
            guard let kind = Action.allCases.first(where: { sameBytes($0.rawValue, word) }), action ?? kind == kind
            else { throw .malformed }
            action = kind
            guard let text = item[attribute: "jid"], let jid = try? JID(text), let groups = Self.groups(item),
                item[attribute: "name"].map({ $0.utf8.count <= Self.textLimit }) ?? true
            else {
                passedOver += 1
                continue
            }
            guard seen.insert(jid.bare).inserted else { continue }
            let name = item[attribute: "name"].flatMap { $0.isEmpty ? nil : $0 }
            self.items.append(Item(jid: jid.bare, name: name, groups: groups))
        }
        guard !self.items.isEmpty else { throw .malformed }
        self.action = action ?? .add
    }

    /// Each once, without empty ones; nil where they are too many, or one is too long.
    private static func groups(_ item: Element) -> [String]? {
        var seen: Set<[UInt8]> = []
        let texts = item.elements.filter { $0.matches("group", Namespace.rosterExchange) }.map(\.text)
        let groups = texts.filter { !$0.isEmpty && seen.insert(Array($0.utf8)).inserted }
        return groups.count <= groupLimit && groups.allSatisfy { $0.utf8.count <= textLimit } ? groups : nil
    }
}
