public import XMPPClient
public import XMPPCore

/// The pictures of an account's contacts: what they announce is fetched once, checked, and kept in an ``AvatarCache``.
///
/// ```swift
/// let cache = MemoryAvatarCache()
/// options.modules = {
///     let roster = RosterModule(account: account, onChange: { _ in })
///     let isContact = { (jid: BareJID) in (roster.items[jid]?.subscription ?? .none) != .none }
///     let avatars = AvatarModule(account: account, cache: cache, isContact: isContact)
///     return [roster, avatars]
/// }
/// ```
///
/// Contacts' nodes (XEP-0084) count first, then their vCards (XEP-0153). Who is in a room is no contact: its occupants'
/// pictures are not fetched.
public final class AvatarModule: SessionModule {
    /// What it tells.
    public enum Change: Hashable, Sendable {
        /// A contact has another picture than before, or none; the bytes are in the cache.
        case changed(BareJID, from: ContactAvatar?, to: ContactAvatar)
        /// Somebody who was asked has this, or none.
        case answered(BareJID, ContactAvatar)
        /// A contact does not have the picture that it announces; it is not asked for before that time.
        case failed(BareJID, AvatarHash, until: Timestamp)
    }

    let account: BareJID
    let cache: any AvatarCache
    let isContact: (BareJID) -> Bool
    let onChange: (Change) -> Void
    private(set) var machine: ContactAvatars
    /// What this module may fetch, and nobody else meanwhile.
    private var claims: Set<AvatarHash> = []
    /// What was announced before what was known is there; nil once it is.
    private var held: HeldAnnouncements?
    var session: ModuleSession?
    /// Those who wait for an answer about a contact.
    var asking: [BareJID: [(Result<ContactAvatar, ClientError>) -> Void]] = [:]

    /// A module that knows nobody yet.
    ///
    /// - Parameters:
    ///   - account: Whose contacts.
    ///   - cache: Where pictures are kept.
    ///   - perMinute: How many fetches may begin in a minute.
    ///   - waitsForRestore: Whether what is announced waits for `restored()`.
    ///   - isContact: Whose announcements are of interest: anyone may send one, and who is asked learns the account's full
    ///     address and that it is online. Only with a subscription one may know that.
    ///   - onChange: Told each change.
    public init(
        account: BareJID, cache: any AvatarCache, perMinute: Int = ContactAvatars.perMinute,
        waitsForRestore: Bool = false,
        isContact: @escaping (BareJID) -> Bool, onChange: @escaping (Change) -> Void = { _ in }
    ) {
        self.account = account
        self.cache = cache
        self.isContact = isContact
        self.onChange = onChange
        machine = ContactAvatars(perMinute: perMinute)
        held = waitsForRestore ? HeldAnnouncements() : nil
    }

    deinit {
        // Others may wait for them.
        for hash in claims { cache.release(hash) }
        for reply in asking.values.flatMap({ $0 }) { reply(.failure(.offline)) }
    }

    /// It answers nothing.
    public var namespaces: [String] { [] }

    /// Asks servers to tell what contacts publish (XEP-0163 section 4.2).
    public var features: [String] { [Namespace.avatarMetadata + "+notify"] }

    /// What is known of a contact; nil where nothing is.
    public func avatar(of contact: BareJID) -> ContactAvatar? { machine.avatar(of: contact) }

    /// Takes what was known before, such as from a disk.
    ///
    /// - Parameters:
    ///   - contact: Of whom.
    ///   - avatar: Its picture.
    ///   - failure: What it did not have.
    ///   - askedAt: When it was last asked; it is left alone for a while after that.
    public func restore(
        _ contact: BareJID, _ avatar: ContactAvatar?, failure: ContactAvatars.Failure? = nil, askedAt: Timestamp? = nil
    ) {
        machine.restore(contact, avatar, failure, askedAt: askedAt)
    }

    /// All that was known is there: what was announced meanwhile is looked at.
    public func restored() {
        guard let waiting = held.take() else { return }
        for event in waiting.events { handle(event) }
    }

    /// A contact is none any more.
    public func removed(_ contact: BareJID) { handle(.removed(contact)) }

    /// Goes on with what the session before left open.
    public func began(_ session: ModuleSession) {
        self.session = session
        handle(.began)
    }

    /// What a contact's presence says of its vCard.
    public func received(presence: Presence) {
        guard presence.type == .available, let from = presence.from, from.bare != account else { return }
        // An occupant's picture is that of its address in the room, and not of the room's (XEP-0153 section 7).
        guard presence.element.first("x", Namespace.roomUser) == nil, isContact(from.bare) else { return }
        let update = VCardUpdate(presence)
        guard update != .unsupported, update != .notReady else { return }
        handle(.announced(update, by: from.bare))
    }

    /// What a contact's node says.
    public func received(message: Message) {
        guard let event = PubSubEvent(message, to: account), event.publisher != account,
            sameBytes(event.node, Namespace.avatarMetadata), isContact(event.publisher)
        else { return }
        switch event.change {
        case .published(let items):
            guard let metadata = AvatarMetadata.current(in: items) else { return }
            handle(.published(metadata, by: event.publisher))
        case .retracted(let ids):
            // An old item may be taken back when the new one is there.
            let current = avatar(of: event.publisher)?.hash
            let isOld = current != nil && !ids.contains { AvatarHash($0) == current }
            if !isOld { handle(.published(nil, by: event.publisher)) }
        case .emptied:
            handle(.published(nil, by: event.publisher))
        }
    }

    // MARK: Doing

    func handle(_ event: ContactAvatars.Event) {
        guard held == nil else {
            held?.hold(event)
            return
        }
        guard let session else { return }
        let cache = cache
        perform(machine.handle(event, at: session.wallClock, isKept: { cache.contains($0) }))
    }

    private func perform(_ actions: [ContactAvatars.Action]) {
        for action in actions {
            switch action {
            case .claim(let fetch):
                cache.claim(fetch.hash) { [weak self, cache] claim in
                    guard let self else {
                        if claim == .granted { cache.release(fetch.hash) }
                        return
                    }
                    if claim == .granted { claims.insert(fetch.hash) }
                    handle(.claimed(fetch, isKept: claim == .kept))
                }
            case .fetch(let fetch):
                self.fetch(fetch.hash, of: fetch.contact) { [weak self] outcome in
                    self?.handle(.fetched(fetch, outcome))
                }
            case .keep(let image, let contact):
                claims.remove(image.hash)
                cache.keep(image, of: contact)
            case .release(let hash):
                claims.remove(hash)
                cache.release(hash)
            case .changed(let contact, let old, let new):
                onChange(.changed(contact, from: old, to: new))
            case .failed(let contact, let hash, let until):
                onChange(.failed(contact, hash, until: until))
            case .wake(let delay):
                session?.schedule(after: delay) { [weak self] in self?.handle(.woke) }
            case .rest(let delay):
                session?.schedule(after: delay) { [weak self] in self?.handle(.rested) }
            }
        }
    }
}
