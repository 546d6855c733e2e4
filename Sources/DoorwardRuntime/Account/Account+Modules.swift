import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules

/// The modules of an account.
extension Account {
    /// Its modules; they are called for the present session only.
    func makeModules(_ session: AccountSession) {
        session.roster = RosterModule(account: jid) { [unowned self] change in rosterChanged(change) }
        session.blocking = BlockingModule(account: jid) { [unowned self] _ in blockListChanged() }
        session.availability = makeAvailability(known: [])
        session.modules = makeSessionModules(session)
        routeStanzas(of: session)
    }

    func makeAvailability(known: [JID]) -> AvailabilityModule {
        AvailabilityModule(
            available: known, isContact: { [unowned self] in rosterFact($0) != nil },
            onChange: { [unowned self] change in
                guard let session, session.isSaved else { return }
                session.mirror.append(SessionChange.Mirror(change))
            })
    }

    func routeStanzas(of session: AccountSession) {
        let subscriptions = SubscriptionModule { [unowned self] event in subscriptionEvent(event) }
        let ping = PingModule { [unowned self] sender in mayKnow(sender) }
        let modules: [(any SessionModule)?] = [
            session.roster, subscriptions, session.blocking, session.availability, ping,
        ]
        session.router = StanzaRouter(modules: modules.compactMap { $0 } + session.modules) { [unowned self] sender in
            mayKnow(sender)
        }
    }

    /// Makes those beside what a request needs, which the account feeds by itself.
    func makeSessionModules(_ session: AccountSession) -> [any SessionModule] {
        [makeRosterExchange()]
    }

    /// Tells them of their session: before its presence is sent, and before anything arrives in it.
    func tellModules(of session: AccountSession, isResumed: Bool) {
        guard !session.modules.isEmpty, let address = session.connection.fullAddress else { return }
        let moduleSession = ModuleSession(
            session.connection, address: address, isResumed: isResumed,
            changed: { [unowned self] number in if let number { self.session?.outbound = number } },
            announce: { [unowned self] in announce() })
        for module in session.modules { module.began(moduleSession) }
    }

    /// Whether a sender may know that the account is online.
    func mayKnow(_ sender: BareJID?) -> Bool {
        guard let sender, sender != jid, sender != jid.server else { return true }
        return rosterFact(sender)?.subscription.hasFrom ?? false
    }

    /// The account's presence: it is available, whatever its modules add to that.
    ///
    /// Priority 0: with a negative one ejabberd delivers no requests.
    func presence(in session: AccountSession) -> Element {
        session.router.completed(Element("presence", namespace: Namespace.client))
    }

    private func announce() {
        guard let session, session.hasAnnounced else { return }
        sendNow([presence(in: session)], in: session)
    }
}
