import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPSession
import XMPPTransport

/// The start of a session, and what arrives in it. All of it runs on the loop, in the order of the stream.
extension Account {
    /// Stanzas that are held while the store is read; no server sends more in that time.
    private static let heldLimit = 10_000

    func handle(_ event: ClientEvent, of generation: Int) {
        guard generation == self.generation, let session else { return }
        switch event {
        case .progressed:
            break
        case .established(let established):
            begin(session, established)
        case .resumed(let resumed):
            self.resumed(resumed)
        case .tokenExpired:
            forgetToken()
        case .received(let stanza):
            received(stanza, in: session)
        case .overLimits(let request):
            if let answer = session.router.refuse(request) { sendNow([answer], in: session) }
        case .nameless(.presence(let presence)) where presence.type == .subscribe:
            environment.events(.nameless(jid, from: presence.element[attribute: "from"] ?? ""))
        case .nameless:
            break
        case .readEnded(let inbound):
            session.inbound = inbound
            environment.board.countRead()
            commitSoon(session)
        case .acknowledged(let number):
            acknowledged(through: number, in: session)
        }
    }

    // MARK: Beginning

    /// Bound: a new session of the account begins.
    ///
    /// All that it needs is asked in one write, with the initial presence behind it: a server handles stanzas in order
    /// (RFC 6120 section 10.1), and what it delivers before its answers are there waits for them (ejabberd delivers
    /// requests before the roster). Meanwhile its number and the unfinished requests come from the store.
    private func begin(_ session: AccountSession, _ established: EstablishedSession) {
        closeBefore(established)
        keep(established.login, established.token)
        session.held = []
        let generation = generation
        // Unstructured: this is a callback of the stream, which must not wait for the disk. A session that ended
        // meanwhile ignores the result.
        Task.immediate {
            guard await self.takeKeptRoster(generation, session) else { return }
            makeModules(session)
            askServer(session)
            release(session)
            await self.loadRequests(generation, session)
        }
    }

    /// The session of before is gone; what the server says it had of it is known to have arrived.
    private func closeBefore(_ established: EstablishedSession) {
        saved = nil
        resumptionFailures = 0
        guard let (old, resumable) = dormant.map({ ($0.session, $0.resumable) }) else { return }
        forgetDormant()
        guard let handled = established.failedResumption?.handled, resumable.canCover(handled) else { return }
        let arrived = old.takeSent(through: handled)
        inLedger(of: old) { $0.arrived(arrived) }
        old.effects = []
        // Unstructured, as everything that is recorded; it comes before what the new session reads, in the store's order.
        Task.immediate { await self.recordLast(of: old) }
    }

    private func loadRequests(_ generation: Int, _ session: AccountSession) async {
        let login = loginToSave()
        do {
            let number = try await environment.store.beginSession(account: jid, at: now, keeping: login)
            let rows = try await environment.store.liveRequests(of: jid)
            guard generation == self.generation, self.session === session else { return }
            var ledger = RequestLedger(session: number, rows: rows)
            _ = ledger.silenced(configuration.mode == .observe) { _ in nil }
            session.ledger = ledger
            // The alert may be from a session that ended while the desk was full.
            if !isDeskFull { clearDeskFull() }
            becomeReady(session)
        } catch {
            isLoginDue = isLoginDue || login != nil
            guard generation == self.generation else { return }
            session.connection.abandon("the store failed: \(error)")
        }
    }

    private func askServer(_ session: AccountSession) {
        let connection = session.connection
        let features = connection.request(
            .get, to: JID(jid.server), DiscoPayload.info(), reply: onLoop(session) { $0.featuresArrived($1, in: $2) })
        // Asked before it is known whether there is one: a server without answers with an error.
        let blockList = connection.request(
            .get, BlockingPayload.get(), reply: onLoop(session) { $0.blockListArrived($1, in: $2) })
        tellModules(of: session, isResumed: false)
        let presence = presence(in: session)
        session.hasAnnounced = true
        sendNow([features, blockList, presence].compactMap { $0 }, in: session)
    }

    private func featuresArrived(_ reply: IQReply, in session: AccountSession) {
        switch reply {
        case .result(let query):
            session.features = query.map(DiscoPayload.features) ?? []
        case .error, .noReply:
            // A server without service discovery announces nothing; what depends on an announcement is not used.
            session.features = []
        }
        becomeReady(session)
    }

    private func blockListArrived(_ reply: IQReply, in session: AccountSession) {
        if case .result(let list) = reply { session.blocking?.loaded(list) }
        session.hasBlockList = true
        becomeReady(session)
        blockListChanged()
    }

    /// Roster, features, block list and the unfinished requests are there: what the server delivers is decided.
    func becomeReady(_ session: AccountSession) {
        // At the end of a link whatever is unanswered comes back as `noReply`: that is no answer, and a session that went
        // on with it would do without what its server announces.
        guard !session.isReady, session.connection.isOnline, session.ledger != nil, session.roster?.isLoaded == true,
            session.features != nil, session.hasBlockList || !session.canBlock
        else { return }
        session.isReady = true
        // Behind SASL2 they come after the login, and before any answer (XEP-0388 section 2.6).
        session.ledger?.keepsPreApprovals = session.connection.streamFeatures?.preApprovals ?? false
        cameOnline(session)
        updateContacts()
        inLedger(of: session) { $0.rosterLoaded(rosterFact) }
        blockListChanged()
        scheduleSettling(session)
        publish(.online)
        takeWaiting(session)
        commitSoon(session)
        takeUpBacklog(session)
    }

    func takeWaiting(_ session: AccountSession) {
        let waiting = session.waiting
        session.waiting = []
        for request in waiting { requested(request, in: session) }
        if session.leftRequests { deskIsFull() }
    }

    /// After that what the server has not delivered again is withdrawn.
    func scheduleSettling(_ session: AccountSession) {
        session.settleTimer = loop.schedule(after: redeliveryWait) {
            // Cancelled with the connection.
            self.assumeIsolated { account in
                guard let session = account.session else { return }
                account.inLedger(of: session) { $0.settled(item: account.rosterFact) }
                account.commitSoon(session)
            }
        }
    }

    // MARK: What arrives

    private func received(_ stanza: Stanza, in session: AccountSession) {
        guard let held = session.held else { return route(stanza, in: session) }
        guard held.count < Self.heldLimit else {
            session.connection.abandon("the server sent too much before the session could go on")
            return
        }
        session.held?.append(stanza)
    }

    /// What arrived meanwhile is handled, in its order.
    func release(_ session: AccountSession) {
        let held = session.held
        session.held = nil
        for stanza in held ?? [] { route(stanza, in: session) }
    }

    func route(_ stanza: Stanza, in session: AccountSession) {
        if let answer = session.router.route(stanza) { sendNow([answer], in: session) }
    }

    func subscriptionEvent(_ event: SubscriptionModule.Event) {
        guard let session else { return }
        switch event {
        case .requested(let request):
            guard request.contact != jid else { return }
            guard session.isReady else {
                guard session.waiting.count < AccountSession.waitingLimit else {
                    session.leftRequests = true
                    return
                }
                session.waiting.append(request)
                return
            }
            requested(request, in: session)
        case .unsubscribed(let contact):
            session.waiting.removeAll { $0.contact == contact }
            inLedger(of: session) { $0.withdrawn(by: contact) }
        case .approved, .denied, .cancelled, .repeated, .failed: subscriptionAnswered(event, in: session)
        }
    }

    // MARK: Parts

    var now: Timestamp { Timestamp(milliseconds: loop.time.wallMilliseconds) }

    func rosterFact(_ contact: BareJID) -> RosterFact? {
        session?.roster?.items[contact].map { RosterFact($0) }
    }

    /// Lets the ledger work, and keeps what it wants recorded and sent.
    func inLedger(of session: AccountSession, _ event: (inout RequestLedger) -> RequestLedger.Output) {
        guard var ledger = session.ledger else { return }
        // Taken out while it works, so that it is changed in place and not copied.
        session.ledger = nil
        let output = event(&ledger)
        session.ledger = ledger
        session.record(output.changes)
        send(output.effects, in: session)
    }

    func updateContacts() {
        let count = session?.roster?.items.count
        guard shownContacts != .some(count) else { return }
        shownContacts = count
        environment.board.update(jid) { $0.contacts = count }
    }
}
