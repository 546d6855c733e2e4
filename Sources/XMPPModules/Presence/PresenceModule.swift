public import XMPPClient
public import XMPPCore

/// Who is there: the resources of contacts and the account's own other ones (RFC 6121 section 4).
///
/// It lives with a ``RosterModule``, behind which it stands in the list of modules: whose presence is kept, the roster says.
///
/// ```swift
/// let roster = RosterModule(account: account) { _ in }
/// let presence = PresenceModule(account: account, roster: roster) { event in sink.yield(event) }
/// return [roster, presence]
/// ```
public final class PresenceModule: SessionModule {
    /// Most resources that are kept; further ones are not known to be there.
    public static let limit = 50_000
    /// Most resources of one contact; of more the one that has been silent for longest is forgotten.
    public static let limitOfOne = 64
    /// Most strangers with whom there is a conversation; of more the first is forgotten.
    public static let strangerLimit = 256
    /// Presences that are held until the roster is there; what comes after them is not kept.
    static let earlyLimit = 10_000

    let account: BareJID
    private let isLoaded: () -> Bool
    private let isContact: (BareJID) -> Bool
    private let clock: (() -> Timestamp)?
    private var listeners: [(PresenceEvent) -> Void]
    private var session: ModuleSession?
    private(set) var table = PresenceTable()
    /// What came before the roster, in order, without what is not kept of it; nil is unavailable.
    private var early: [(from: JID, said: ResourcePresence?)] = []
    /// Strangers whose presence is of interest, the oldest first.
    private var strangers: [BareJID] = []
    /// Contacts that the account no longer wants to see, until the server says so too.
    private var left: Set<BareJID> = []
    /// Contacts of whom was told that they are elsewhere.
    private var moved: Set<BareJID> = []

    /// A module that follows a roster.
    ///
    /// - Parameters:
    ///   - account: Whose it is.
    ///   - roster: Of the same session; it comes before this one in the list of modules.
    ///   - clock: The wall clock; nil takes that of the session.
    ///   - onEvent: Told each event after it was applied.
    public init(
        account: BareJID, roster: RosterModule, clock: (() -> Timestamp)? = nil,
        onEvent: @escaping (PresenceEvent) -> Void
    ) {
        self.account = account
        self.clock = clock
        (isLoaded, isContact) = ({ roster.isLoaded }, { roster.items.contains($0) })
        listeners = [onEvent]
        roster.listen { [weak self] in self?.rosterChanged($0) }
    }

    /// A module that is asked rather than listened to.
    ///
    /// - Parameters:
    ///   - account: Whose it is.
    ///   - roster: Of the same session; it comes before this one in the list of modules.
    ///   - clock: The wall clock; nil takes that of the session.
    public convenience init(account: BareJID, roster: RosterModule, clock: (() -> Timestamp)? = nil) {
        self.init(account: account, roster: roster, clock: clock, onEvent: { _ in })
    }

    /// Adds somebody who is told each event after it was applied, behind those who are told already.
    public func listen(_ listener: @escaping (PresenceEvent) -> Void) { listeners.append(listener) }

    /// It answers no requests.
    public var namespaces: [String] { [] }

    /// A session that does not go on is told of everybody anew.
    public func began(_ session: ModuleSession) {
        self.session = session
        guard !session.isResumed else { return }
        (early, left, strangers, moved) = ([], [], [], [])
        clear()
    }

    /// Without a session nobody is known to be there.
    public func ended() { clear() }

    /// Forgets everybody: there is no session that would say who leaves (RFC 6121 section 4.5).
    ///
    /// Also for a program that says it is unavailable and stays connected: from then on the server tells it nothing more.
    public func clear() {
        guard table.count > 0 else { return }
        table = PresenceTable()
        tell(.cleared)
    }

    /// What was kept of a session that goes on: a resumed stream does not tell it again.
    public func restored(_ kept: some Sequence<JID>) {
        restored(kept.lazy.map { ($0, ResourcePresence()) })
    }

    /// The same, with what the resources said.
    public func restored(_ kept: some Sequence<(JID, ResourcePresence)>) {
        table = PresenceTable()
        for (jid, presence) in kept where table.count < Self.limit { _ = table.set(jid, presence) }
    }

    // MARK: Strangers

    /// From now on a stranger's presence is kept: there is a conversation, in which directed presence is exchanged (RFC
    /// 6121 section 4.6).
    ///
    /// That of others who are not in the roster is passed over (section 4.2.4).
    public func converse(with stranger: BareJID) {
        guard stranger != account, !strangers.contains(stranger) else { return }
        if strangers.count >= Self.strangerLimit { endConversation(with: strangers[0]) }
        strangers.append(stranger)
    }

    /// The conversation is over, and what is known of the stranger forgotten.
    public func endConversation(with stranger: BareJID) {
        guard strangers.contains(stranger) else { return }
        strangers.removeAll { $0 == stranger }
        if !isContact(stranger) { forget(stranger) }
    }

    // MARK: What arrives

    /// A presence.
    public func received(presence: Presence) {
        guard let from = presence.from else { return }
        switch presence.type {
        case .available: heard(from, ResourcePresence(presence, at: now))
        case .unavailable: heard(from, nil)
        case .error:
            heard(from, nil)
            failed(from.bare, presence)
        case .subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe, .other: break
        }
    }

    private func failed(_ contact: BareJID, _ presence: Presence) {
        let element = presence.element.first("error", Namespace.client)
        guard let element, isLoaded(), isContact(contact) else { return }
        let error = StanzaError(element)
        // Once: the server says it again with each presence of ours.
        guard error.condition == .gone || error.condition == .redirect, moved.insert(contact).inserted else { return }
        tell(.moved(contact, to: MovedPayload.address(in: error)))
    }

    private func heard(_ from: JID, _ said: ResourcePresence?) {
        guard isLoaded() else {
            if early.count < Self.earlyLimit { early.append((from, said)) }
            return
        }
        if let said { available(from, said) } else { unavailable(from) }
    }

    private func available(_ from: JID, _ said: ResourcePresence) {
        guard isOfInterest(from) else { return }
        let known = table.resources(of: from.bare)
        if !known.contains(where: { sameBytes($0.resource, from.resource) }) {
            guard table.count < Self.limit else { return }
            if known.count >= Self.limitOfOne, let oldest = known.min(by: { $0.presence.at < $1.presence.at }) {
                let silent = JID(bare: from.bare, preparedResource: oldest.resource)
                if table.remove(silent) { tell(.unavailable(silent)) }
            }
        }
        let isNew = table.set(from, said)
        tell(.available(from, said, isNew: isNew))
    }

    /// Also an error: what was sent did not arrive; that is no end of a subscription (RFC 6121 section 4.3.2).
    private func unavailable(_ from: JID) {
        // From the bare address it is true of all resources (RFC 6121 section 4.5.4).
        guard from.resource != nil else { return forget(from.bare) }
        if table.remove(from) { tell(.unavailable(from)) }
    }

    private func isOfInterest(_ from: JID) -> Bool {
        if from.bare == account { return from.resource != nil && !sameBytes(from.resource, session?.address.resource) }
        if left.contains(from.bare) { return false }
        return isContact(from.bare) || strangers.contains(from.bare)
    }

    // MARK: The roster

    private func rosterChanged(_ event: RosterEvent) {
        switch event {
        case .ended(.whole), .ended(.unchanged):
            for contact in table.contacts where contact != account && !strangers.contains(contact) {
                if !isContact(contact) { forget(contact) }
            }
            // Taken out first: a listener may bring more.
            let early = early
            self.early = []
            for (from, said) in early { heard(from, said) }
        case .changed(.set(let item), let before, _):
            left.remove(item.jid)
            // Of directed presence the end is told by the contact itself.
            if before?.isSeen == true, !item.isSeen { forget(item.jid) }
        case .changed(.remove(let jid), _, _):
            left.remove(jid)
            moved.remove(jid)
            if !strangers.contains(jid) { forget(jid) }
        case .left(let jid):
            if isContact(jid) { left.insert(jid) }
            forget(jid)
        case .began, .item, .ended(.failed), .refused:
            break
        }
    }

    private func forget(_ contact: BareJID) {
        if table.removeAll(of: contact) > 0 { tell(.gone(contact)) }
    }

    // MARK: Parts

    private var now: Timestamp { clock?() ?? session?.wallClock ?? Timestamp(milliseconds: 0) }

    private func tell(_ event: PresenceEvent) {
        for listener in listeners { listener(event) }
    }
}
