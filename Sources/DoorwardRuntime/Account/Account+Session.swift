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
    func handle(_ event: ClientEvent, of generation: Int) {
        guard generation == self.generation, session != nil else { return }
        switch event {
        case .progressed, .resumed, .acknowledged, .tokenExpired:
            break
        case .established(let established):
            begin(established)
        case .received(let stanza):
            if let answer = session?.router.route(stanza) { session?.connection.send([answer]) }
        case .readEnded:
            commitSoon()
        }
    }

    // MARK: Beginning

    /// Bound: a new session of the account begins.
    ///
    /// Its number and the unfinished requests come from the store first.
    private func begin(_ established: EstablishedSession) {
        let roster = RosterModule(account: jid) { [unowned self] change in rosterChanged(change) }
        let subscriptions = SubscriptionModule { [unowned self] event in subscriptionEvent(event) }
        let blocking = BlockingModule(account: jid)
        let ping = PingModule { [unowned self] sender in mayKnow(sender) }
        session?.roster = roster
        session?.blocking = blocking
        session?.router = StanzaRouter(modules: [roster, subscriptions, blocking, ping])
        let generation = generation
        // Unstructured: this is a callback of the stream, which must not wait for the disk. A session that ended
        // meanwhile ignores the result.
        Task.immediate { await self.loadRequests(generation, established) }
    }

    private func loadRequests(_ generation: Int, _ established: EstablishedSession) async {
        do {
            let number = try await environment.store.beginSession(account: jid, at: now)
            let rows = try await environment.store.liveRequests(of: jid)
            guard generation == self.generation, session != nil else { return }
            var ledger = RequestLedger(
                session: number, rows: rows, keepsPreApprovals: established.keepsPreApprovals)
            _ = ledger.silenced(configuration.mode == .observe) { _ in nil }
            session?.ledger = ledger
            // The alert may be from a session that ended while the desk was full.
            if !isDeskFull { clearDeskFull() }
            askServer()
        } catch {
            guard generation == self.generation else { return }
            session?.connection.abandon("the store failed: \(error)")
        }
    }

    private func askServer() {
        let generation = generation
        let server = JID(jid.server)
        request(.get, to: server, DiscoPayload.info(), generation) { account, reply in
            account.featuresArrived(reply)
        }
        request(.get, RosterPayload.get(), generation) { account, reply in
            account.rosterArrived(reply)
        }
    }

    private func featuresArrived(_ reply: IQReply) {
        switch reply {
        case .result(let query):
            session?.features = query.map(DiscoPayload.features) ?? []
        case .error, .noReply:
            // A server without service discovery announces nothing; what depends on an announcement is not used.
            session?.features = []
        }
        guard session?.canBlock == true else { return becomeReady() }
        request(.get, BlockingPayload.get(), generation) { account, reply in
            if case .result(let list) = reply { account.session?.blocking?.loaded(list) }
            account.session?.hasBlockList = true
            account.becomeReady()
        }
    }

    private func rosterArrived(_ reply: IQReply) {
        guard case .result(let query) = reply else {
            // Never taken for an empty roster: rules would see strangers where there are contacts.
            session?.connection.abandon("the server did not give the roster")
            return
        }
        session?.roster?.loaded(query)
        becomeReady()
    }

    /// Roster, features and block list are there: initial presence makes the server deliver what waits.
    private func becomeReady() {
        guard let session, !session.isReady, session.roster?.isLoaded == true, let features = session.features,
            session.hasBlockList || !features.contains(Array(Namespace.blocking.utf8))
        else { return }
        session.isReady = true
        session.onlineSince = loop.time.now
        updateContacts()
        inLedger { $0.rosterLoaded(rosterFact) }
        session.connection.limitStanzas()
        // Priority 0: with a negative one ejabberd delivers no requests.
        session.connection.send([Element("presence", namespace: Namespace.client)])
        let generation = generation
        session.settleTimer = loop.schedule(after: redeliveryWait) {
            self.assumeIsolated { account in
                guard generation == account.generation else { return }
                account.inLedger { $0.settled(item: account.rosterFact) }
                account.commitSoon()
            }
        }
        publish(.online)
        let waiting = session.waiting
        session.waiting = []
        for request in waiting { requested(request) }
        commitSoon()
    }

    // MARK: What arrives

    private func subscriptionEvent(_ event: SubscriptionModule.Event) {
        switch event {
        case .requested(let request):
            guard request.contact != jid else { return }
            guard session?.isReady == true else {
                if let count = session?.waiting.count, count < AccountSession.waitingLimit {
                    session?.waiting.append(request)
                }
                return
            }
            requested(request)
        case .unsubscribed(let contact):
            session?.waiting.removeAll { $0.contact == contact }
            inLedger { $0.withdrawn(by: contact) }
        }
    }

    private func requested(_ request: SubscriptionRequest) {
        let item = rosterFact(request.contact)
        if let item, item.subscription.hasFrom {
            reassure(request.contact)
            return
        }
        guard let session, session.ledger?.hasRoom(for: request.contact) == true else {
            deskIsFull()
            return
        }
        let delivered = DeliveredRequest(
            contact: request.contact, message: request.message, nickname: request.nickname)
        let decider = RequestDecider(
            account: jid, policy: policy, mode: configuration.mode, canBlock: session.canBlock)
        inLedger { $0.delivered(delivered, item: item) { decider.decide(delivered, item: item) } }
    }

    /// Someone who sees us already asks again: their server lost it.
    ///
    /// One `subscribed` tells it so, and no more, or two automata could keep each other busy (RFC 6121 section A.3.1:
    /// usually the server answers by itself).
    private func reassure(_ contact: BareJID) {
        guard configuration.mode == .enforce, session?.reassured.insert(contact).inserted == true else { return }
        session?.connection.send([SubscriptionPayload.presence(.subscribed, to: contact)])
    }

    private func rosterChanged(_ change: RosterPayload.Change) {
        updateContacts()
        switch change {
        case .set(let item):
            inLedger { $0.itemChanged(item.jid, to: RosterFact(item)) }
        case .remove(let contact):
            inLedger { $0.itemRemoved(contact) }
        }
    }

    // MARK: Parts

    var now: Timestamp { Timestamp(milliseconds: loop.time.wallMilliseconds) }

    func rosterFact(_ contact: BareJID) -> RosterFact? {
        session?.roster?.items[contact].map { RosterFact($0) }
    }

    /// Lets the ledger work, and keeps what it wants recorded and sent.
    func inLedger(_ event: (inout RequestLedger) -> RequestLedger.Output) {
        guard let session, var ledger = session.ledger else { return }
        // Taken out while it works, so that it is changed in place and not copied.
        session.ledger = nil
        let output = event(&ledger)
        session.ledger = ledger
        session.changes += output.changes
        send(output.effects)
    }

    private func mayKnow(_ sender: BareJID?) -> Bool {
        guard let sender, sender != jid, sender != jid.server else { return true }
        return rosterFact(sender)?.subscription.hasFrom ?? false
    }

    private func updateContacts() {
        let count = session?.roster?.items.count
        environment.board.update(jid) { $0.contacts = count }
    }
}

extension RosterFact {
    init(_ item: RosterItem) {
        let subscription: Subscription =
            switch item.subscription {
            case .none: .none
            case .to: .to
            case .from: .from
            case .both: .both
            }
        self.init(subscription: subscription, asked: item.asked, name: item.name, groups: item.groups)
    }
}
