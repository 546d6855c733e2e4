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
///
/// A program that keeps the roster writes what each ``RosterEvent`` brings, with its version, and gives both to the next
/// module; where the server keeps versions it then sends only what has changed (RFC 6121 section 2.6).
public final class RosterModule: SessionModule {
    /// Most items that are kept.
    ///
    /// More than any server allows; a server that sends more is not believed, and no version is kept of such a roster.
    public static let limit = 50_000

    let account: JID
    private var listeners: [(RosterEvent) -> Void] = []
    /// Told whose item a push is about to change.
    var observers: [(BareJID) -> Void] = []

    // Overlapping access to these is not checked at run time: neither is lent out over a call.
    /// The items; until ``isLoaded`` those that it was made with.
    @exclusivity(unchecked) public private(set) var items: Roster
    /// The version of the items, as the server counts (RFC 6121 section 2.6); nil where it keeps none.
    public private(set) var version: String?
    /// Whether the roster of this session has arrived.
    public private(set) var isLoaded = false
    /// The session in which it asks and sends.
    private(set) var session: ModuleSession?
    /// Whether there were more items than are kept: of a part no version is kept, or the rest would never come.
    private var isPartial = false
    /// The version that the request which is out was made with.
    private var askedVersion: String?
    /// What the account calls itself to those whom it asks (XEP-0172 section 4.2); nil for nothing.
    public var nickname: String?
    /// What was last asked of the server for an item, while no answer has come.
    var settings: [BareJID: RosterSetting] = [:]
    /// Contacts whose removal the server has confirmed and not pushed yet.
    var leaving: Set<BareJID> = []
    /// The requests to see a contact that may still come back as an error, by the contact; their ids.
    var questions: [BareJID: String] = [:]
    /// Contacts of whom an error was reported in this session.
    var refusals: Set<BareJID> = []

    /// A mirror.
    ///
    /// - Parameters:
    ///   - account: Whose roster it is.
    ///   - cached: The items as they were kept with `version`; empty where none were.
    ///   - version: The version of `cached`; nil where none was kept, and then the items are asked for as a whole.
    ///   - onEvent: Told each event after it was applied.
    public init(
        account: BareJID, cached: Roster, version: String?, onEvent: @escaping (RosterEvent) -> Void
    ) {
        self.account = JID(account)
        (items, self.version) = (cached, version)
        listeners = [onEvent]
    }

    /// A mirror that is asked rather than listened to.
    ///
    /// - Parameters:
    ///   - account: Whose roster it is.
    ///   - onLoaded: Told the items once the roster has arrived.
    ///   - onChange: Told each push after it was applied.
    public convenience init(
        account: BareJID, onLoaded: @escaping (Roster) -> Void = { _ in },
        onChange: @escaping (RosterPayload.Change) -> Void
    ) {
        self.init(account: account, cached: Roster(), version: nil, onEvent: { _ in })
        // It holds the closure, which must not hold it.
        listeners = [
            { [unowned self] event in
                switch event {
                case .ended(.whole), .ended(.unchanged): onLoaded(items)
                case .changed(let change, _, _): onChange(change)
                case .began, .item, .ended(.failed), .refused, .left: break
                }
            }
        ]
    }

    /// Adds somebody who is told each event after it was applied, behind those who are told already.
    public func listen(_ listener: @escaping (RosterEvent) -> Void) { listeners.append(listener) }

    /// The roster's namespace.
    public var namespaces: [String] { [Namespace.roster] }
    /// None: only the server sends requests of it.
    public var features: [String] { [] }

    /// Asks for the roster, unless it is there and the session goes on.
    ///
    /// It is asked for before presence, so that the server sends its pushes from then on (RFC 6121 section 2.2).
    public func began(_ session: ModuleSession) {
        self.session = session
        guard !session.isResumed || !isLoaded else {
            // What was on its way when the link broke may be lost: whether a contact is asked, its item says.
            questions = [:]
            return
        }
        (isLoaded, settings, leaving, questions, refusals) = (false, [:], [], [:], [])
        ask(session)
    }

    private func ask(_ session: ModuleSession) {
        let asked = versionToAsk(session.features)
        askedVersion = asked
        tell(.began(version: asked))
        session.request(.get, RosterPayload.get(version: asked)) { [weak self] answer in
            switch answer {
            case .success(let query): self?.loaded(query)
            // Never an empty roster: rules would see strangers where there are contacts.
            case .failure(let error): self?.failed(RosterError(error))
            }
        }
    }

    /// Asks again after a load that failed; does nothing where the roster is there.
    public func reload() {
        guard !isLoaded, let session, session.isOnline else { return }
        ask(session)
    }

    /// A version is sent to a server that announces them, and an empty one to begin with.
    ///
    /// Where its features are still to come, one that it gave is as good as its announcement.
    private func versionToAsk(_ features: StreamFeatures?) -> String? {
        guard let features else { return version }
        return features.rosterVersions ? version ?? "" : nil
    }

    /// Whether somebody may know that the account is online: the account itself, its server, and whoever sees its presence
    /// (RFC 6120 section 8.3.3.19).
    ///
    /// - Parameter sender: Of a stanza; nil is the account's server.
    /// - Returns: No for whoever is not in the roster, and before it is loaded.
    public func mayKnow(_ sender: BareJID?) -> Bool {
        guard let sender, sender != account.bare, sender != account.bare.server else { return true }
        switch items.subscription(of: sender) {
        case .from, .both: return isLoaded
        case .none, .to: return false
        }
    }

    // MARK: Loading

    /// The answer to the request for the roster.
    ///
    /// - Parameter query: The payload; nil is an empty result: the items at hand hold where the request had their version
    ///   (RFC 6121 section 2.6.3), and else there are none.
    public func loaded(_ query: Element?) {
        guard let query else { return unchanged() }
        var roster = Roster()
        roster.reserve(min(query.children.count, Self.limit))
        var isWhole = true
        RosterPayload.forEachItem(in: query) { item in
            guard roster.count < Self.limit || roster.contains(item.jid) else {
                isWhole = false
                return
            }
            roster.set(item)
            tell(.item(item))
        }
        items = roster
        isPartial = !isWhole || roster.isOverfull
        version = isPartial ? nil : RosterPayload.version(of: query)
        askedVersion = nil
        isLoaded = true
        tell(.ended(.whole(version: version)))
    }

    private func unchanged() {
        guard let asked = askedVersion, !asked.isEmpty else {
            return loaded(Element("query", namespace: Namespace.roster))
        }
        askedVersion = nil
        isLoaded = true
        tell(.ended(.unchanged(version: version)))
    }

    private func failed(_ error: RosterError) {
        guard !isLoaded else { return }
        askedVersion = nil
        tell(.ended(.failed(error)))
    }

    /// The items as they were kept of a session that goes on: a resumed stream does not give the roster again.
    package func restored(_ kept: some Sequence<RosterItem>, version: String? = nil) {
        items = Roster(kept.prefix(Self.limit))
        self.version = version
        isLoaded = true
    }

    // MARK: Pushes

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
        if let change = RosterPayload.change(in: item) { apply(change, RosterPayload.version(of: query)) }
        return .result(nil)
    }

    private func apply(_ change: RosterPayload.Change, _ pushed: String?) {
        let before: RosterItem?
        switch change {
        case .set(let item):
            guard items.count < Self.limit || items.contains(item.jid) else {
                (isPartial, version) = (true, nil)
                return
            }
            for observer in observers { observer(item.jid) }
            before = items.set(item)
            leaving.remove(item.jid)
            settle(item.jid) { $0.push() }
            // Answered, or taken back. A push of before the question says nothing of it.
            if item.isSeen || (before?.asked == true && !item.asked) { questions[item.jid] = nil }
        case .remove(let jid):
            for observer in observers { observer(jid) }
            before = items.remove(jid)
            leaving.remove(jid)
            if settings[jid]?.isAnswered == true { settings[jid] = nil }
            questions[jid] = nil
        }
        isPartial = isPartial || items.isOverfull
        version = isPartial ? nil : pushed ?? version
        tell(.changed(change, before: before, version: version))
    }

    func tell(_ event: RosterEvent) {
        for listener in listeners { listener(event) }
    }
}
