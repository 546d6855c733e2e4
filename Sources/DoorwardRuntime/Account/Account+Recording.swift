import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTransport

/// Recording: what a read brought becomes one transaction, and only then may the server forget the read.
extension Account {
    /// So many stanzas that nothing waits for are recorded together, or after a while.
    private static let laterBatch: UInt32 = 64
    /// That while; from then on it is the next moment of its kind, which all accounts of a loop share.
    private static let laterDelay = Duration.seconds(1)
    private static let laterGrain = Duration.milliseconds(500)

    /// Commits what has gathered: at once where something waits for it to be on disk, else with that or after a while.
    ///
    /// What confirms waits for nobody: lost, it is found again at the next login, by the roster or by the delivery that does
    /// not come. While a commit is under way, the rest waits for the next.
    func commitSoon(_ session: AccountSession) {
        guard !session.isCommitting else { return }
        if isDue(session) { return startCommit(session) }
        guard session.isReady else { return }
        if !session.hasRecords {
            guard session.inbound != session.committedInbound else { return }
            // A session that ends with its link: there is nothing to be counted on disk.
            guard session.isSaved else { return counted(session, session.inbound) }
        }
        if session.inbound &- session.committedInbound >= Self.laterBatch { return startCommit(session) }
        guard session.laterTimer == nil else { return }
        session.laterTimer = loop.schedule(after: Self.later(loop.time.now)) {
            self.assumeIsolated { account in
                guard let session = account.session else { return }
                session.laterTimer = nil
                if !session.isCommitting { account.startCommit(session) }
            }
        }
    }

    /// The accounts of a loop wake up together, and their commits meet in the store.
    private static func later(_ now: Duration) -> Duration {
        laterGrain * Int(((now + laterDelay) / laterGrain).rounded(.up)) - now
    }

    /// Whether something waits that is worth a transaction at once.
    private func isDue(_ session: AccountSession) -> Bool {
        guard session.ledger != nil else { return false }
        if session.isUrgent || (session.hasRecords && !environment.recordsLater) { return true }
        guard session.isReady else { return false }
        return !session.isRosterKept || !session.isSaved && session.connection.resumable != nil
    }

    /// What was seen of contacts goes on the disk, whatever else there is.
    func commitEvidence(_ session: AccountSession) {
        guard session.isReady, !session.isCommitting, session.ledger != nil else { return }
        startCommit(session)
    }

    private func startCommit(_ session: AccountSession) {
        session.isCommitting = true
        commit(session)
    }

    /// Writes what has gathered, while the stream goes on.
    ///
    /// It belongs to the session, not to its connection: it must be known where the session goes on.
    private func commit(_ session: AccountSession) {
        guard let number = session.ledger?.session else { return endCommits(session) }
        let ticket = CommitTicket(session)
        environment.store.commit(
            account: jid, session: number, at: now, changes: ticket.changes, beside: takeBeside(session, number)
        ) { result in
            // By a call and not as a task that waits: straight to the loop, where those of other accounts come with it.
            self.loop.execute { self.assumeIsolated { $0.committed(ticket, result) } }
        }
    }

    private func committed(_ ticket: CommitTicket, _ result: Result<[RequestRow?], StoreError>) {
        guard let session = ticket.takeSession() else { return }
        switch result {
        case .success(let rows):
            // The session may be over, or have another connection.
            guard session === self.session || session === dormant?.session else { break }
            if session.isReady { counted(session, ticket.inbound) }
            report(ticket.changes, rows)
            inLedger(of: session) { $0.committed(ticket.changes, rows: rows, item: { fact($0, in: session) }) }
            deskHasRoom()
            if isDue(session) { return commit(session) }
        case .failure(let error):
            // Without a record nothing is sent. The server delivers all of it again at the next login.
            session.isBroken = true
            session.connection.abandon("the store failed: \(error)")
        }
        endCommits(session)
    }

    private func endCommits(_ session: AccountSession) {
        session.isCommitting = false
        let waiters = session.commitWaiters
        session.commitWaiters = []
        for waiter in waiters { waiter.resume() }
        // Reads that ended meanwhile and brought nothing are to be counted too.
        if session === self.session, !session.isBroken { commitSoon(session) }
    }

    /// What a session that is over has confirmed; nobody waits for it.
    ///
    /// Nothing else of it is recorded: what it had not written was not sent.
    func recordLast(of session: AccountSession, wasReady: Bool = false) async {
        let changes = session.takeChanges().filter(\.isConfirmation)
        guard let number = session.ledger?.session, wasReady || !changes.isEmpty else { return }
        var beside = SessionChange()
        if wasReady { addContacts(of: session, to: &beside, isLast: true) }
        let rows = try? await environment.store.commit(
            account: jid, session: number, at: now, changes: changes, beside: beside)
        if let rows { report(changes, rows) }
    }

    /// What is written beside the requests: contacts, and counts where the session can outlive the process.
    private func takeBeside(_ session: AccountSession, _ number: Int64) -> SessionChange {
        guard session.isReady else { return SessionChange() }
        var change = SessionChange()
        addContacts(of: session, to: &change)
        if session.isSaved {
            change.counts = session.counts
            if session.announced != session.savedAnnounced { change.announced = session.announced }
        } else if let resumable = session.connection.resumable {
            session.isSaved = true
            change.begun = SavedSession(resumable, number: number, canBlock: session.canBlock, counts: session.counts)
            change.begun?.announced = session.announced
            change.available = session.presence?.rows ?? []
        }
        session.savedAnnounced = session.announced
        return change
    }

    private func counted(_ session: AccountSession, _ inbound: UInt32) {
        session.committedInbound = inbound
        session.connection.committed(inbound: inbound)
    }

    private func fact(_ contact: BareJID, in session: AccountSession) -> RosterFact? {
        session.roster?.items[contact].map { RosterFact($0) }
    }

    private func report(_ changes: [RequestChange], _ rows: [RequestRow?]) {
        for (change, row) in zip(changes, rows) {
            guard let row else { continue }
            switch change {
            case .opened(_, let record), .redelivered(_, let record?), .decided(_, let record):
                environment.events(
                    .decided(row, by: row.authority(of: record).rawValue, operator: record.operator))
            case .closed(_, let closure):
                environment.events(.closed(row, reason: closure.reason))
            case .confirmed(_, let steps) where steps.contains(.verdict):
                environment.events(.confirmed(row))
                tellModules(of: row)
            case .received, .redelivered, .written, .confirmed, .dropped, .moved:
                break
            }
        }
    }

    // MARK: A full desk

    /// A request finds no room: an operator must know.
    ///
    /// The alert is over when less than half of the room is taken, by a tenth.
    func deskIsFull() {
        guard let session, !session.isFull else { return }
        session.isFull = true
        let text = """
            \(RequestLedger.limit) requests wait, or half of that and \(RequestLedger.domainLimit) of one domain; further ones \
            stay at the server until a later login, what rules answer is answered: answer some, or write a rule that decides them
            """
        // Unstructured: the alert is a row of its own, and the stream does not wait for it.
        Task.immediate {
            let alert = try? await environment.store.raiseAlert(
                code: AlertCode.deskFull, account: jid, text: text, at: now)
            if let alert { environment.events(.alertRaised(alert)) }
        }
    }

    /// Emptied by a tenth, so that the alert does not come and go with every request.
    func deskHasRoom() {
        guard let session, session.isFull, !isDeskFull else { return }
        session.isFull = false
        clearDeskFull()
    }

    var isDeskFull: Bool { session?.ledger.map { !$0.hasEmptied } ?? false }

    func clearDeskFull() {
        // Unstructured, as when it was raised.
        Task.immediate {
            let code = AlertCode.deskFull
            guard (try? await environment.store.clearAlert(code: code, account: jid, at: now)) == true else { return }
            environment.events(.alertCleared(code: code, account: jid))
        }
    }
}

extension AccountSession {
    /// Whether there is anything to be written but counts.
    fileprivate var hasRecords: Bool { !changes.isEmpty || mirrorIsDue }
}
