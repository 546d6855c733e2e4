import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules

/// The roster of a session: loaded with the version that is kept, compared with what is kept, and kept.
extension Account {
    /// Changes that happened while the account was away are told one by one up to so many at one login.
    private static let toldChanges = 100

    // MARK: Loading

    /// Reads what is kept of the roster, before the server is asked: where it has versions, it sends only what is new.
    ///
    /// - Returns: Whether the session is still there.
    func takeKeptRoster(_ generation: Int, _ session: AccountSession) async -> Bool {
        do throws(StoreError) {
            let kept = try await environment.store.keptRoster(of: jid)
            guard generation == self.generation, self.session === session else { return false }
            session.kept = kept.map { (Roster($0.contacts.lazy.map { RosterItem($0) }), $0.version) }
            return true
        } catch {
            if generation == self.generation { session.connection.abandon("the store failed: \(error)") }
            return false
        }
    }

    func makeRoster(_ session: AccountSession) -> RosterModule {
        let (cached, version) = session.kept ?? (Roster(), nil)
        let owner = ObjectIdentifier(session)
        let roster = RosterModule(account: jid, cached: cached, version: version) { [unowned self] event in
            guard let session = self.session, ObjectIdentifier(session) == owner else { return }
            rosterEvent(event, in: session)
        }
        roster.nickname = profile.nickname
        return roster
    }

    private func rosterEvent(_ event: RosterEvent, in session: AccountSession) {
        switch event {
        case .began, .item: break
        case .ended(.failed(let error)):
            // Never taken for an empty roster, also where the server says that there is none (`item-not-found`): rules would
            // see strangers where there are contacts.
            let reason = error.cause?.condition.map { " (\($0))" } ?? ""
            session.connection.abandon("the server did not give the roster\(reason)")
        case .ended(.whole):
            compare(session)
            becomeReady(session)
        case .ended(.unchanged):
            if session.kept == nil { compare(session) } else { session.isRosterKept = true }
            session.kept = nil
            becomeReady(session)
        case .changed(let change, let before, _):
            var isLetIn = false
            if case .set(let item) = change { isLetIn = followApproval(item, before: before, in: session) }
            rosterChanged(change, in: session)
            tellModules(of: change)
            if isLetIn, let contact = before?.jid { tellModulesOfLetIn(contact) }
            avatarsFollow(change)
        case .refused(let contact, let error):
            if error.kind == .wait {
                delayed(contact, "\(error)", in: session)
            } else {
                refused(contact, "\(error)", in: session)
            }
        case .left: break
        }
    }

    /// What happened to the roster while the account was away shows by comparing (RFC 6121 section 3.1.3: servers need not
    /// store what they could not deliver).
    ///
    /// To requests it is applied by `RequestLedger.rosterLoaded`, and by what the server does not deliver again.
    private func compare(_ session: AccountSession) {
        guard let roster = session.roster else { return }
        guard let kept = session.kept.take() else { return }
        let (changed, gone) = roster.items.compared(with: kept.items)
        var changes: [ContactEvent] = []
        for item in changed {
            let fact = RosterFact(item)
            let before = kept.items[item.jid].map { RosterFact($0) }
            // That the contact is approved is not kept.
            guard before != fact else { continue }
            if let before, !before.hasWords(of: fact) { session.renewals.insert(item.jid) }
            if before?.asked == true, !fact.asked, !fact.subscription.hasTo { session.deniedAsks.insert(item.jid) }
            changes.append(
                ContactEvent(
                    before == nil ? .cameWhileAway : .changedWhileAway, account: jid, contact: item.jid,
                    detail: Self.words(before, fact)))
        }
        for contact in gone.sorted(by: { $0.description < $1.description }) {
            changes.append(ContactEvent(.wentWhileAway, account: jid, contact: contact))
            avatarsFollow(.remove(contact))
        }
        // As it was: nothing is to be written.
        session.isRosterKept = changes.isEmpty && sameBytes(kept.version ?? "", roster.version ?? "")
        for change in changes.prefix(Self.toldChanges) { environment.events(.contact(change)) }
        let more = changes.count - Self.toldChanges
        if more > 0 {
            environment.events(
                .contact(ContactEvent(.changedWhileAway, account: jid, contact: nil, detail: "\(more) more contacts")))
        }
    }

    private static func words(_ before: RosterFact?, _ after: RosterFact) -> String {
        let now = after.subscription.rawValue + (after.asked ? ", asked" : "")
        guard let before else { return now }
        let then = before.subscription.rawValue + (before.asked ? ", asked" : "")
        return then == now ? "name or groups" : "from '\(then)' to '\(now)'"
    }

    // MARK: Changes

    private func rosterChanged(_ change: RosterPayload.Change, in session: AccountSession) {
        updateContacts()
        session.mirror.append(SessionChange.Mirror(change))
        session.mirrorIsDue = true
        switch change {
        case .set(let item):
            if item.isSeen { answered(item.jid, in: session) }
            inLedger(of: session) { $0.itemChanged(item.jid, to: RosterFact(item)) }
        case .remove(let contact):
            session.deniedAsks.remove(contact)
            session.approvals[contact] = nil
            answered(contact, in: session)
            // Who is there was seen until now: it is written with the contact's end.
            if session.presence?.isAvailable(contact) == true {
                session.sightings[contact, default: ContactSighting()].presence = now
            }
            inLedger(of: session) { $0.itemRemoved(contact) }
        }
    }

    /// A server will not hand over that we ask: nobody will answer, and the module has taken it back where that is final.
    func refused(_ contact: BareJID, _ reason: String, in session: AccountSession) {
        guard note(.refused, reason, of: contact, in: session) else { return }
        session.mirror.append(.notDelivered(contact, reason))
        // Who looks for it finds it, as one that was asked or as one that is refused.
        session.isUrgent = true
        if session.refusals.count < TurnQueue.limit { session.refusals[contact] = reason }
        answered(contact, in: session)
    }

    func note(
        _ kind: ContactEvent.Kind, _ reason: String, of contact: BareJID, in session: AccountSession
    ) -> Bool {
        guard isContact(contact) else { return false }
        session.mirror.append(.refused(contact, reason))
        session.mirrorIsDue = true
        environment.events(.contact(ContactEvent(kind, account: jid, contact: contact, detail: reason)))
        return true
    }

    // MARK: Answers

    func makeSubscriptions(_ session: AccountSession) -> SubscriptionModule {
        guard let roster = session.roster else {
            return SubscriptionModule { [unowned self] event in subscriptionEvent(event) }
        }
        let subscriptions = SubscriptionModule(roster: roster) { [unowned self] event in subscriptionEvent(event) }
        // The ledger has them, and the store behind it.
        subscriptions.keepsRequests = false
        return subscriptions
    }

    /// What contacts answer to that we ask; what it changes comes as a push.
    func subscriptionAnswered(_ event: SubscriptionModule.Event, in session: AccountSession) {
        switch event {
        case .denied(let contact):
            guard note(.denied, "the contact refused", of: contact, in: session) else { return }
            session.deniedAsks.insert(contact)
            answered(contact, in: session)
        case .approved(let contact):
            environment.events(.contact(ContactEvent(.approved, account: jid, contact: contact)))
        case .cancelled(let contact):
            environment.events(.contact(ContactEvent(.cancelled, account: jid, contact: contact)))
        // The roster tells of a failure; a repetition means nothing.
        case .requested, .unsubscribed, .repeated, .failed: break
        }
    }

    func isContact(_ contact: BareJID) -> Bool { session?.roster?.items.contains(contact) ?? false }

    // MARK: Keeping

    /// Adds what is to be written of contacts, whatever it is written with: the version is never newer than the items.
    func addContacts(of session: AccountSession, to change: inout SessionChange, isLast: Bool = false) {
        change.mirror = session.mirror
        session.mirror = []
        session.mirrorIsDue = false
        if !session.isSaved { change.mirror.removeAll(where: \.isOfResources) }
        if !session.isRosterKept {
            session.isRosterKept = true
            change.roster = session.roster?.items.map { ContactRow($0) }
        }
        if change.roster != nil || change.mirror.contains(where: \.isOfItems) {
            change.rosterVersion = session.roster?.version
        }
        change.sightings = session.sightings
        session.sightings = [:]
        guard var time = session.onlineTime else { return }
        // While the session rests it is written once, until when there was a link.
        let until = max(session.onlineEnd ?? now, time.since)
        let more = until.milliseconds - time.until.milliseconds
        let isOver = session.onlineEnd != nil && more != 0
        guard isLast || isOver || more >= 60_000 || time.until == time.since else { return }
        time.until = until
        session.onlineTime = time
        change.online = time
    }
}

extension SessionChange.Mirror {
    fileprivate var isOfItems: Bool {
        switch self {
        case .contact, .removed: true
        case .refused, .notDelivered, .letIn, .approvalUsed, .approvalEnded, .available, .unavailable, .gone: false
        }
    }

    fileprivate var isOfResources: Bool {
        switch self {
        case .contact, .removed, .refused, .notDelivered, .letIn, .approvalUsed, .approvalEnded: false
        case .available, .unavailable, .gone: true
        }
    }
}
