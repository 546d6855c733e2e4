import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules

/// The modules of an account.
extension Account {
    /// Its modules; they are called for the present session only.
    func makeModules(_ session: AccountSession) {
        session.roster = makeRoster(session)
        session.blocking = BlockingModule(account: jid) { [unowned self] _ in blockListChanged() }
        session.presence = session.roster.map(makePresence)
        session.modules = makeSessionModules(session)
        routeStanzas(of: session)
    }

    func routeStanzas(of session: AccountSession) {
        let subscriptions = makeSubscriptions(session)
        let ping = PingModule { [unowned self] sender in mayKnow(sender) }
        let modules: [(any SessionModule)?] = [
            session.roster, subscriptions, session.blocking, session.presence, ping, makeSightings(),
        ]
        session.router = StanzaRouter(modules: modules.compactMap { $0 } + session.modules) { [unowned self] sender in
            mayKnow(sender)
        }
    }

    /// Whether a sender may know that the account is online: the roster says so, and without a session nobody may.
    func mayKnow(_ sender: BareJID?) -> Bool { session?.roster?.mayKnow(sender) ?? false }

    /// Makes those beside what a request needs, which the account feeds by itself.
    func makeSessionModules(_ session: AccountSession) -> [any SessionModule] {
        var modules: [any SessionModule] = []
        modules += services()
        modules.append(makeAvatarModule(session))
        modules.append(makeProfileModule())
        modules.append(makeRosterExchange())
        // The modules of bot authors come last: what the account answers itself is answered by itself.
        modules += moduleHost?.sessionModules ?? []
        return modules
    }

    /// Tells them of their session: before its presence is sent, and before anything arrives in it.
    func tellModules(of session: AccountSession, isResumed: Bool) {
        guard let moduleSession = moduleSession(of: session, isResumed: isResumed) else { return }
        session.modulesHaveSession = true
        // The roster is asked for first: what comes with it the others may want to know.
        session.roster?.began(moduleSession)
        session.presence?.began(moduleSession)
        for module in session.modules { module.began(moduleSession) }
    }

    /// The session is over and does not go on: what only a session tells is not known any more.
    func endSession(of session: AccountSession) {
        guard session.modulesHaveSession else { return }
        session.modulesHaveSession = false
        for module in session.router.modules { module.ended() }
    }

    func moduleSession(of session: AccountSession, isResumed: Bool) -> ModuleSession? {
        guard let address = session.connection.fullAddress else { return nil }
        return ModuleSession(
            session.connection, address: address, isResumed: isResumed,
            changed: { [unowned self] number in if let number { self.session?.outbound = number } },
            announce: { [unowned self] in announce() },
            router: { [weak session] in session?.router })
    }
}
