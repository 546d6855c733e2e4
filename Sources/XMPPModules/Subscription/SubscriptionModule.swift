public import XMPPClient
public import XMPPCore

/// Sorts the presences that manage subscriptions out of the stream.
///
/// It answers nothing itself: `subscribed` is never met with `subscribe`, nor `unsubscribed` with `unsubscribe`, so no
/// two automata can keep each other busy. A program answers by ``accept(_:asksBack:extensions:)`` and ``reject(_:)``.
///
/// What an answer means depends on what was asked (``SubscriptionState``), and servers push the item that says so before or
/// behind it. So the module follows the roster, and takes an answer by the state in which it was given.
public final class SubscriptionModule: SessionModule {
    /// Contacts whose answer is waited for behind a push, or whose push is waited for behind an answer; of more than these
    /// an answer is taken by what the roster says at that moment.
    static let limit = 1024

    private let onEvent: (Event) -> Void
    private(set) weak var roster: RosterModule?
    /// The session in which it answers.
    private(set) var session: ModuleSession?
    /// What nobody has answered.
    var requests = OpenRequests()
    /// Whom this session has let see the account while the roster does not show it yet; bounded by the requests.
    var approving: Set<BareJID> = []
    /// Whether it keeps the requests; no for an owner that has its own record of them, and answers by that.
    package var keepsRequests = true
    /// The state before a push that may have been caused by an answer which is still to come.
    private var before: [BareJID: SubscriptionState] = [:]
    /// The state behind an answer whose push is still to come.
    private var ahead: [BareJID: SubscriptionState] = [:]

    /// A module that knows no roster: it tells of requests and their end, and not of answers, which it cannot understand.
    ///
    /// - Parameter onEvent: Told each event, in the order of the stream.
    public init(onEvent: @escaping (Event) -> Void) {
        self.onEvent = onEvent
    }

    /// A module that follows a roster.
    ///
    /// - Parameters:
    ///   - roster: Of the same session.
    ///   - onEvent: Told each event, in the order of the stream.
    public init(roster: RosterModule, onEvent: @escaping (Event) -> Void) {
        self.onEvent = onEvent
        self.roster = roster
        roster.listen { [weak self] in self?.rosterChanged($0) }
    }

    /// It answers no requests.
    public var namespaces: [String] { [] }

    /// Takes the session.
    ///
    /// The requests of another are its own: the server delivers them again.
    public func began(_ session: ModuleSession) {
        self.session = session
        if !session.isResumed { forgetRequests() }
    }

    /// What was asked in the session is not known to be open any more.
    public func ended() {
        session = nil
        forgetRequests()
    }

    private func forgetRequests() {
        requests.removeAll()
        approving.removeAll()
    }

    /// Looks at a presence.
    public func received(presence: Presence) {
        switch presence.type {
        case .subscribe:
            if let request = SubscriptionPayload.request(in: presence) { asked(request) }
        case .unsubscribe:
            guard let from = presence.from else { return }
            requests.end(from.bare)
            onEvent(.unsubscribed(from.bare))
        case .subscribed:
            if let from = presence.from { answered(.subscribed, by: from.bare) }
        case .unsubscribed:
            if let from = presence.from { answered(.unsubscribed, by: from.bare) }
        case .available, .unavailable, .probe, .error, .other:
            break
        }
    }

    private func asked(_ request: SubscriptionRequest) {
        if keepsRequests { requests.add(request) }
        onEvent(.requested(request))
    }

    private func answered(_ stanza: SubscriptionStanza, by contact: BareJID) {
        guard let roster else { return }
        let present = ahead[contact] ?? SubscriptionState(roster.items[contact], isPendingIn: false)
        let now = present.received(stanza)
        if now.passes {
            before[contact] = nil
            if ahead.count < Self.limit || ahead[contact] != nil { ahead[contact] = now.state }
            return tell(now.meaning, stanza, contact)
        }
        // The push came first: then the answer leads from the state before to what the roster shows by now.
        if let old = before.removeValue(forKey: contact)?.received(stanza), old.passes, old.state == present {
            return tell(old.meaning, stanza, contact)
        }
        tell(.echo, stanza, contact)
    }

    private func tell(_ meaning: SubscriptionTransition.Meaning, _ stanza: SubscriptionStanza, _ contact: BareJID) {
        switch meaning {
        case .approval: onEvent(.approved(contact))
        case .denial: onEvent(.denied(contact))
        case .cancellation: onEvent(.cancelled(contact))
        case .request, .withdrawal, .unsubscription, .preApproval, .endOfPreApproval, .echo:
            onEvent(.repeated(contact, stanza))
        }
    }

    private func rosterChanged(_ event: RosterEvent) {
        switch event {
        case .changed(let change, let old, _):
            let contact: BareJID
            let item: RosterItem?
            switch change {
            case .set(let new): (contact, item) = (new.jid, new)
            case .remove(let jid): (contact, item) = (jid, nil)
            }
            // Answered, here or by another client of the account.
            if item?.seesAccount == true { requests.end(contact) }
            if item?.seesAccount ?? true { approving.remove(contact) }
            let state = SubscriptionState(item, isPendingIn: false)
            let known = ahead.removeValue(forKey: contact)
            before[contact] = nil
            // What an answer has said already is not said again by its push.
            let from = known ?? SubscriptionState(old, isPendingIn: false)
            guard from != state, known != state, item != nil, before.count < Self.limit else { return }
            before[contact] = from
        case .left(let contact):
            // The push that follows is ours, and no answer to it means anything.
            before[contact] = nil
            guard ahead.count < Self.limit || ahead[contact] != nil else { return }
            ahead[contact] = SubscriptionState(roster?.items[contact], isPendingIn: false).sent(.unsubscribe).state
        case .ended:
            (before, ahead) = ([:], [:])
        case .refused(let contact, let error):
            onEvent(.failed(contact, error))
        case .began, .item:
            break
        }
    }
}
