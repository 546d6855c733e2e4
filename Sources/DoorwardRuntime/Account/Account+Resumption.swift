import DoorwardConfig
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPSession
import XMPPTransport

/// A session without a link.
struct DormantSession {
    let session: AccountSession
    let resumable: ResumableSession
}

extension ResumableSession {
    /// Whether the server can have handled so many of our stanzas: a count above what was sent, or below what it acknowledged
    /// before, is an error (XEP-0198 section 4).
    ///
    /// In a refusal it ends nothing: the session is gone anyway, and the login goes on. It only proves nothing, and what has
    /// arrived is found out as where no count came.
    func canCover(_ handled: UInt32) -> Bool {
        handled &- acknowledged <= outbound &- acknowledged
    }
}

/// Sessions that outlive their connection, and their process (XEP-0198 section 5).
extension Account {
    /// So often a session is asked for that leads to no answer; then a fresh login is made.
    private static let resumptionAttempts = 3

    // MARK: The end of a connection

    /// The connection is over; its session rests where it can go on, and is forgotten where not.
    ///
    /// Not inlined: its place on the task's stack would be held while the account is online.
    @inline(never)
    func connectionEnded(_ end: SessionEnd) async {
        guard let session else { return }
        moduleHost?.sessionEnded()
        stopTimers(of: session)
        self.session = nil
        endOrders(of: session)
        if session.isReady {
            sawPresent(session)
            session.onlineEnd = now
        }
        guard session.isReady else { return await neverReady(session, end) }
        guard let resumable = end.resumable, !session.isBroken else {
            forgetDormant()
            await recorded(session)
            if !session.isBroken { await recordLast(of: session, wasReady: true) }
            endSession(of: session)
            // An account that stops leaves that to the service, which does it for all at once.
            if session.isSaved, !hasStopped { try? await environment.store.discardSession(of: jid) }
            return
        }
        dormant = DormantSession(session: session, resumable: resumable)
        // What the last reads brought is recorded, and counted with it.
        session.isUrgent = true
        commitSoon(session)
        await recorded(session)
    }

    /// It was never a session: that of before still waits.
    ///
    /// Not for ever, though: a server that ends the stream over it, whatever is wrong with it, would do so each time. What
    /// ends before it was asked for has nothing to do with it.
    private func neverReady(_ session: AccountSession, _ end: SessionEnd) async {
        // One that is saved was taken up, and its link broke before what it knew was read.
        endSession(of: session)
        guard dormant != nil || saved != nil || session.isSaved else { return }
        if end.cause.leavesResumption {
            guard session.connection.hasAskedToResume else { return }
            resumptionFailures += 1
            guard resumptionFailures >= Self.resumptionAttempts, !hasStopped else { return }
        }
        forgetDormant()
        saved = nil
        resumptionFailures = 0
        try? await environment.store.discardSession(of: jid)
    }

    /// A session that rested does not go on.
    func forgetDormant() {
        guard let old = dormant?.session else { return }
        dormant = nil
        endSession(of: old)
    }

    /// Returns when no transaction of a session is under way.
    func recorded(_ session: AccountSession) async {
        while session.isCommitting {
            await withCheckedContinuation { continuation in
                guard session.isCommitting else { return continuation.resume() }
                session.commitWaiters.append(continuation)
            }
        }
    }

    private func stopTimers(of session: AccountSession) {
        for timer in [session.settleTimer, session.laterTimer, session.evidenceTimer] {
            if let timer { loop.cancel(timer) }
        }
        session.settleTimer = nil
        session.laterTimer = nil
        session.evidenceTimer = nil
    }

    // MARK: Going on

    /// The server still had the session: nothing is fetched or announced again.
    func resumed(_ resumed: ResumedSession) {
        keep(resumed.login, resumed.token)
        saveLogin()
        guard let connection = session?.connection else { return }
        if let old = dormant?.session {
            old.connection = connection
            session = old
            dormant = nil
            old.isPinging = true
            inLedger(of: old) { $0.linkRenewed(item: rosterFact) }
            goOn(old)
        } else if let saved, let session {
            restore(session, from: saved)
        } else {
            connection.abandon("the server took up a session that nobody asked for")
        }
        saved = nil
    }

    /// The session of the process before: its number, requests and contacts come from the store.
    private func restore(_ session: AccountSession, from saved: SavedSession) {
        session.features = saved.canBlock ? [Array(Namespace.blocking.utf8)] : []
        session.hasBlockList = true
        session.inbound = saved.counts.inbound
        session.committedInbound = saved.counts.inbound
        session.outbound = saved.counts.outbound
        session.acknowledged = saved.counts.acknowledged
        session.isSaved = true
        session.hasAnnounced = true
        (session.announced, session.savedAnnounced) = (saved.announced, saved.announced)
        session.held = []
        makeModules(session)
        let generation = generation
        // Unstructured, as at a login: a callback of the stream does not wait for the disk. What arrives meanwhile is held,
        // and is covered by no acknowledgement before it is recorded.
        Task.immediate { await self.loadMirror(generation, session, saved) }
    }

    private func loadMirror(_ generation: Int, _ session: AccountSession, _ saved: SavedSession) async {
        do {
            let mirror = try await environment.store.mirror(of: jid)
            let rows = try await environment.store.liveRequests(of: jid)
            let approvals = try await environment.store.approvals(of: jid)
            // A link that is gone already leaves all of it to the next one.
            guard generation == self.generation, self.session === session, session.connection.isOnline else { return }
            guard let mirror else {
                return session.connection.abandon("what was saved of the session cannot be read: it begins anew")
            }
            session.roster?.restored(mirror.contacts.lazy.map { RosterItem($0) }, version: mirror.rosterVersion)
            session.isRosterKept = true
            session.approvals = approvals
            session.presence?.restored(mirror.available.lazy.map { ($0.jid, ResourcePresence($0)) })
            session.ledger = RequestLedger(
                session: saved.number, rows: rows,
                keepsPreApprovals: session.connection.streamFeatures?.preApprovals ?? false)
            if !isDeskFull { clearDeskFull() }
            session.isReady = true
            release(session)
            goOn(session)
        } catch {
            guard generation == self.generation else { return }
            session.connection.abandon("the store failed: \(error)")
        }
    }

    private func goOn(_ session: AccountSession) {
        resumptionFailures = 0
        tellModules(of: session, isResumed: true)
        announceIfChanged(session)
        cameOnline(session)
        session.isPinging = true
        updateContacts()
        scheduleSettling(session)
        publish(.online, isResumed: true)
        takeWaiting(session)
        commitSoon(session)
        fetchBlockList(session)
        // What the server had not delivered comes before its answer to this: then the roster shows what our answers did
        // (RFC 6120 section 10.1).
        ping(session) { account, session in account.caughtUp(session) }
    }

    /// All that happened while the link was gone has arrived.
    private func caughtUp(_ session: AccountSession) {
        let generation = generation
        // Unstructured: operators may have answered meanwhile, and the rows are the truth; the stream goes on.
        Task.immediate {
            let rows: [RequestRow]
            do throws(StoreError) {
                rows = try await environment.store.liveRequests(of: jid)
            } catch {
                guard generation == self.generation else { return }
                return session.connection.abandon("the store failed: \(error)")
            }
            guard generation == self.generation, self.session === session else { return }
            session.isPinging = false
            let doubtful = session.doubtful
            session.doubtful = []
            catchUpApprovals(session)
            inLedger(of: session) { $0.acknowledged(doubtful, item: rosterFact) }
            let isSilent = configuration.mode == .observe
            inLedger(of: session) { $0.resumed(rows, isSilent: isSilent, item: rosterFact) }
            commitSoon(session)
            sendNext()
            takeUpBacklog(session)
        }
    }
}
