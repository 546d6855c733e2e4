public import XMPPClient
public import XMPPCore

/// The account's mirror of its roster: filled by the answer at login, kept by the server's pushes.
///
/// With a `Client` it asks for the roster by itself when a session begins; `Client.withModule` looks into it:
///
/// ```swift
/// options.modules = { [RosterModule(account: account) { change in sink.yield(change) }] }
/// let names = await client.withModule(RosterModule.self) { $0.items.values.compactMap(\.name) }
/// ```
public final class RosterModule: SessionModule {
    /// Most items that are kept.
    ///
    /// More than any server allows; a server that sends more is not believed.
    public static let limit = 50_000

    private let account: JID
    private let onLoaded: ([BareJID: RosterItem]) -> Void
    private let onChange: (RosterPayload.Change) -> Void

    // Overlapping access to these is not checked at run time: neither is lent out over a call.
    /// The items by address.
    @exclusivity(unchecked) public private(set) var items: [BareJID: RosterItem] = [:]
    /// Whether the roster of this session has arrived.
    public private(set) var isLoaded = false

    /// An empty mirror.
    ///
    /// - Parameters:
    ///   - account: Whose roster it is.
    ///   - onLoaded: Told the items once the roster has arrived.
    ///   - onChange: Told each push after it was applied.
    public init(
        account: BareJID, onLoaded: @escaping ([BareJID: RosterItem]) -> Void = { _ in },
        onChange: @escaping (RosterPayload.Change) -> Void
    ) {
        self.account = JID(account)
        self.onLoaded = onLoaded
        self.onChange = onChange
    }

    /// The roster's namespace.
    public var namespaces: [String] { [Namespace.roster] }
    /// None: only the server sends requests of it.
    public var features: [String] { [] }

    /// Asks for the roster, unless it is there and the session goes on.
    ///
    /// It is asked for before presence, so that the server sends its pushes from then on (RFC 6121 section 2.2).
    public func began(_ session: ModuleSession) {
        guard !session.isResumed || !isLoaded else { return }
        session.request(.get, RosterPayload.get()) { [weak self] answer in
            // Where there is none it stays as it was; the next session asks again.
            if case .success(let query) = answer { self?.loaded(query) }
        }
    }

    /// Whether somebody may know that the account is online: the account itself, its server, and whoever sees its presence
    /// (RFC 6120 section 8.3.3.19).
    ///
    /// - Parameter sender: Of a stanza; nil is the account's server.
    /// - Returns: No for whoever is not in the roster, and before it is loaded.
    public func mayKnow(_ sender: BareJID?) -> Bool {
        guard let sender, sender != account.bare, sender != account.bare.server else { return true }
        guard let item = items[sender] else { return false }
        return item.subscription == .from || item.subscription == .both
    }

    /// The answer to the request for the roster.
    ///
    /// - Parameter query: The payload; nil is an empty result, which means that there is nothing (we ask without a
    ///   version).
    public func loaded(_ query: Element?) {
        items = [:]
        for item in query.map(RosterPayload.items) ?? [] where items.count < Self.limit {
            items[item.jid] = item
        }
        isLoaded = true
        onLoaded(items)
    }

    /// The items as they were kept of a session that goes on: a resumed stream does not give the roster again.
    package func restored(_ kept: [RosterItem]) {
        items = [:]
        for item in kept.prefix(Self.limit) { items[item.jid] = item }
        isLoaded = true
    }

    /// A roster push.
    ///
    /// Only the account itself may send one (RFC 6121 section 2.1.6). From anyone else it is a forgery, and is refused as
    /// anything unknown is: no answer, or another one, would tell the sender that somebody is here.
    public func received(request: IQ) -> IQAnswer {
        guard request.from == nil || request.from == account else { return .error(.serviceUnavailable) }
        guard case .set = request.type, let query = request.payload, query.matches("query", Namespace.roster) else {
            return .error(.badRequest)
        }
        // One item, no more and no fewer (RFC 6121 section 2.1.6).
        var item: Element?
        for case .element(let child) in query.children where child.matches("item", Namespace.roster) {
            guard item == nil else { return .error(.badRequest) }
            item = child
        }
        guard let item else { return .error(.badRequest) }
        if let change = RosterPayload.change(in: item) { apply(change) }
        return .result(nil)
    }

    private func apply(_ change: RosterPayload.Change) {
        switch change {
        case .set(let item):
            guard items.count < Self.limit || items[item.jid] != nil else { return }
            items[item.jid] = item
        case .remove(let jid):
            items[jid] = nil
        }
        onChange(change)
    }
}
