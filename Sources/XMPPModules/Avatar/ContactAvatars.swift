public import XMPPCore

/// What is known of the pictures of an account's contacts, and what is to be fetched.
///
/// A machine: what is announced and what arrives go in, what is to be done comes out. What a contact's own nodes say
/// (XEP-0084) counts before what presences say of its vCard (XEP-0153).
///
/// Bounds: ``limit`` contacts, ``queueLimit`` pictures that wait to be fetched, ``flightLimit`` at a time, so many a minute as
/// the budget says. A contact over the first is not known, a picture over the second is fetched when it is announced again.
/// One contact costs one fetch in ``contactPause``, whatever it announces meanwhile: what it has announced by then is fetched
/// after that. A picture that a contact announces and does not have is asked for again after ``wrongPause``. A contact that
/// did not answer is not asked for anything before ``silentPause`` is over, and twice as long each time it happens again.
public struct ContactAvatars: Sendable {
    private typealias Known = AvatarTable.Known
    private typealias Contact = AvatarTable.Contact

    /// Most contacts that are known.
    public static let limit = 50_000
    /// Most pictures that wait to be fetched.
    public static let queueLimit = 1_000
    /// Most that are fetched at the same time.
    public static let flightLimit = 4
    /// How long a contact is not asked again for what it does not have: a day.
    public static let wrongPause: Int64 = 86_400_000
    /// How long a contact is not asked again for another picture: ten minutes.
    public static let contactPause: Int64 = 600_000
    /// How long a contact that did not answer is not asked again: ten minutes.
    public static let silentPause: Int64 = 600_000
    /// Fetches a minute, where nothing else is said.
    public static let perMinute = 30
    private static let failureLimit = 4
    /// What rests is looked at so often at most.
    private static let restGrain: Int64 = 30_000

    private var contacts = AvatarTable()
    private var queue: [Fetch] = []
    private var flights = 0
    private var budget: AvatarBudget
    private var isAsleep = false
    private var rests = AvatarRests()
    /// Contacts whose pictures are to be fetched when they may be asked again.
    private var resting: Set<BareJID> = []
    private var isTimed = false

    /// A machine that knows nobody.
    ///
    /// - Parameter perMinute: How many fetches may begin in a minute.
    public init(perMinute: Int = perMinute) {
        budget = AvatarBudget(perMinute: perMinute)
    }

    /// What is known of a contact; nil where nothing is.
    public func avatar(of contact: BareJID) -> ContactAvatar? { contacts[contact]?.current }

    /// Takes what was known before, of contacts of which nothing is known yet.
    ///
    /// - Parameters:
    ///   - contact: Of whom.
    ///   - avatar: Its picture.
    ///   - failure: What it did not have.
    ///   - askedAt: When it was last asked; nil where that is not known, or longer ago than ``contactPause``.
    public mutating func restore(
        _ contact: BareJID, _ avatar: ContactAvatar?, _ failure: Failure?, askedAt: Timestamp? = nil
    ) {
        guard var known = known(contact) else { return }
        if let askedAt { rests.restore(contact, askedAt: askedAt) }
        if known.current == nil { known.current = avatar }
        if let failure, !known.failures.contains(where: { $0.hash == failure.hash }) { known.failures.append(failure) }
        contacts[contact] = known
    }

    /// Takes an event.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - now: When.
    ///   - isKept: Whether the cache has a picture.
    /// - Returns: What is to be done, in order.
    public mutating func handle(
        _ event: Event, at now: Timestamp, isKept: (AvatarHash) -> Bool
    ) -> [Action] {
        switch event {
        case .announced(let update, let contact):
            let announced: Known
            switch update {
            // They say nothing of what picture there is (XEP-0153 section 4.1).
            case .unsupported, .notReady, .invalid: return []
            case .none: announced = .none
            case .picture(let hash): announced = .picture(hash)
            }
            guard var known = known(contact) else { return [] }
            known.announced = announced
            contacts[contact] = known
            return settle(contact, now, isKept)
        case .published(let metadata, let contact):
            guard var known = known(contact) else { return [] }
            if let metadata, metadata.infos.isEmpty, !metadata.hasUnreadable {
                known.published = .none
            } else if let metadata {
                // Only elsewhere, or too big, or of no type that we take: the vCard may have one.
                known.published = metadata.best().map { .picture($0.hash) } ?? .unknown
            } else {
                known.published = .none
            }
            contacts[contact] = known
            return settle(contact, now, isKept)
        case .claimed(let fetch, let isKept):
            guard isKept else { return [.fetch(fetch)] }
            flights -= 1
            contacts[fetch.contact]?.isWaiting = false
            // It was announced; whether it still is, is seen again.
            return settle(fetch.contact, now) { $0 == fetch.hash } + pump(now)
        case .fetched(let fetch, let outcome):
            flights -= 1
            contacts[fetch.contact]?.isWaiting = false
            return fetched(fetch, outcome, now, isKept) + pump(now)
        case .woke:
            isAsleep = false
            return pump(now)
        case .rested:
            isTimed = false
            let due = resting
            resting = []
            // Who still has to wait is put back.
            return due.flatMap { settle($0, now, isKept) }
        case .began:
            (isAsleep, isTimed, resting) = (false, false, [])
            let open = contacts.contacts { !$0.isWaiting && Self.announced($0) != nil }
            return open.flatMap { settle($0, now, isKept) } + pump(now)
        case .removed(let contact):
            contacts[contact] = nil
            resting.remove(contact)
            queue.removeAll { $0.contact == contact }
            return []
        }
    }

    // MARK: Parts

    private func known(_ contact: BareJID) -> Contact? {
        contacts[contact] ?? (contacts.count < Self.limit ? Contact() : nil)
    }

    /// What both say of a contact, taken together.
    private static func announced(_ contact: Contact) -> ContactAvatar? {
        switch (contact.published, contact.announced) {
        case (.picture(let hash), _): ContactAvatar(hash, from: .pep)
        case (_, .picture(let hash)): ContactAvatar(hash, from: .vCard)
        case (.none, _): ContactAvatar(nil, from: .pep)
        case (.unknown, .none): ContactAvatar(nil, from: .vCard)
        case (.unknown, .unknown): nil
        }
    }

    /// Brings what is known of a contact to what it announces, or sees to it that this can be done.
    private mutating func settle(
        _ jid: BareJID, _ now: Timestamp, _ isKept: (AvatarHash) -> Bool
    ) -> [Action] {
        guard var contact = contacts[jid], let wanted = Self.announced(contact) else { return [] }
        guard let hash = wanted.hash else { return change(jid, to: wanted) }
        guard contact.current?.hash != hash else { return [] }
        if isKept(hash) { return change(jid, to: wanted) }
        contact.failures.removeAll { $0.until <= now }
        guard !contact.failures.contains(where: { $0.hash == hash }) else { return [] }
        guard !contact.isWaiting else { return [] }
        if let end = rests.end(of: jid, at: now) { return rest(jid, until: end, now) }
        guard queue.count < Self.queueLimit else { return [] }
        contact.isWaiting = true
        contacts[jid] = contact
        queue.append(Fetch(contact: jid, hash: hash))
        return pump(now)
    }

    /// Looks at a contact again when it may be asked.
    private mutating func rest(_ jid: BareJID, until: Timestamp, _ now: Timestamp) -> [Action] {
        resting.insert(jid)
        guard !isTimed else { return [] }
        isTimed = true
        // One timer for all: it looks at them every so often.
        let wait = min(max(until.milliseconds &- now.milliseconds, Self.restGrain), Self.contactPause)
        return [.rest(for: .milliseconds(wait))]
    }

    private mutating func change(_ jid: BareJID, to avatar: ContactAvatar) -> [Action] {
        let old = contacts[jid]?.current
        guard old == nil || old?.hash != avatar.hash else { return [] }
        contacts[jid]?.current = avatar
        return [.changed(jid, from: old, to: avatar)]
    }

    private mutating func fetched(
        _ fetch: Fetch, _ outcome: Outcome, _ now: Timestamp, _ isKept: (AvatarHash) -> Bool
    ) -> [Action] {
        let end =
            outcome == .interrupted ? now : rests.asked(fetch.contact, isSilent: outcome == .silent, at: now)
        if case .image(let image) = outcome, image.hash == fetch.hash {
            return [.keep(image, of: fetch.contact)] + settle(fetch.contact, now) { $0 == fetch.hash || isKept($0) }
        }
        var actions = [Action.release(fetch.hash)]
        guard outcome != .interrupted else { return actions }
        if var contact = contacts[fetch.contact] {
            let wrong = Timestamp(milliseconds: now.milliseconds &+ Self.wrongPause)
            let until = outcome == .silent ? end : wrong
            // The newest stay.
            contact.failures = contact.failures.suffix(Self.failureLimit - 1)
            contact.failures.append(Failure(hash: fetch.hash, until: until))
            contacts[fetch.contact] = contact
            actions.append(.failed(fetch.contact, fetch.hash, until: until))
        }
        // Another may have been announced meanwhile.
        return actions + settle(fetch.contact, now, isKept)
    }

    /// Begins what may begin now.
    private mutating func pump(_ now: Timestamp) -> [Action] {
        var actions: [Action] = []
        while let next = queue.first, flights < Self.flightLimit, !isAsleep {
            if let wait = budget.take(at: now) {
                isAsleep = true
                actions.append(.wake(after: wait))
                break
            }
            queue.removeFirst()
            flights += 1
            actions.append(.claim(next))
        }
        return actions
    }
}
