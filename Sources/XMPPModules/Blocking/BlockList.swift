public import XMPPCore

/// A block list (XEP-0191): whom the account's server keeps away.
///
/// An entry is a whole contact (`ann@example.org`), one of its resources, a domain with all its users and resources, or one
/// resource of a domain itself. Domains are compared as a whole: `bad.example` covers neither `notbad.example` nor
/// `sub.bad.example`.
public struct BlockList: Hashable, Sendable {
    /// Most entries that are kept; what comes beyond is counted and left out.
    public static let limit = 50_000

    /// The entries, in no order.
    public private(set) var items: Set<JID> = []
    /// How many entries found no room.
    public private(set) var omitted = 0

    /// A list.
    ///
    /// - Parameter items: Its entries; at most ``limit`` are kept.
    public init(_ items: some Sequence<JID> = []) {
        for item in items { insert(item) }
    }

    /// Whether an entry covers an address (XEP-0191 section 3.2).
    public func isBlocked(_ jid: JID) -> Bool { entry(for: jid) != nil }

    /// Whether an entry covers all of a contact, or of a server.
    public func isBlocked(_ jid: BareJID) -> Bool { entry(for: JID(jid)) != nil }

    /// The entry that covers an address: of several the widest, or nil where there is none.
    public func entry(for jid: JID) -> JID? {
        guard !items.isEmpty else { return nil }
        return [JID(jid.bare.server), JID(jid.bare), jid].first(where: items.contains)
    }

    /// Adds an entry.
    public mutating func insert(_ item: JID) {
        guard items.count < Self.limit || items.contains(item) else {
            omitted = omitted < .max ? omitted + 1 : omitted
            return
        }
        items.insert(item)
    }

    /// Takes an entry out; entries that are wider or narrower stay.
    public mutating func remove(_ item: JID) { items.remove(item) }

    /// Takes all entries out.
    public mutating func removeAll() { self = BlockList() }
}
