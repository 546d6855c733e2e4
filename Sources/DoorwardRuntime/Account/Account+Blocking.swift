import DoorwardPolicy
package import DoorwardStore
import XMPPClient
package import XMPPCore
package import XMPPModules

/// The account's block list (XEP-0191), and what it means for requests.
extension Account {
    /// The list as the present session knows it; nil between two sessions, or where the server knows no blocking.
    package func blockList() -> BlockList? {
        guard let session, session.isReady, let blocking = session.blocking, blocking.isLoaded else { return nil }
        return blocking.list
    }

    /// Why nothing can be blocked now; nil where it can.
    package func whyNotBlocking() -> OrderOutcome? {
        guard let session, session.isReady, session.connection.isOnline else { return .offline }
        return session.canBlock ? nil : .notOffered
    }

    /// The number of the present session; 0 between two.
    package var sessionNumber: Int64 { session?.ledger?.session ?? 0 }

    /// Blocks, behind the answers to the requests that it covers: what is said to a blocked contact goes nowhere.
    ///
    /// - Parameters:
    ///   - items: Contacts, resources or domains; at least one.
    ///   - report: What is said of each of them to the server's operators.
    ///   - rows: The requests that the block covers, as the store has them already.
    ///   - actions: What the journal has of it.
    /// - Returns: What the server said; `noReply` also where nothing could be sent: it is finished at the next login.
    package func block(
        _ items: [JID], report: SpamReport?, covering rows: [RequestRow], actions: [Int64]
    ) async -> OrderOutcome {
        _ = await contactTurns.enter(isBounded: false)
        defer { contactTurns.leave() }
        for row in rows { answered(row) }
        guard let session else { return .noReply }
        // Their answers are sent when they are recorded as written.
        await recorded(session)
        guard session === self.session else { return .noReply }
        let outcome = await order(blockPayload(items, report, in: session), in: session)
        if outcome == .done, session === self.session { session.blocking?.follow(.blocked(items)) }
        return await ended(actions, outcome, in: session)
    }

    /// Lifts blocks.
    ///
    /// - Parameters:
    ///   - items: As the list has them; at least one.
    ///   - actions: What the journal has of it.
    /// - Returns: As of ``block(_:report:covering:actions:)``.
    package func unblock(_ items: [JID], actions: [Int64]) async -> OrderOutcome {
        _ = await contactTurns.enter(isBounded: false)
        defer { contactTurns.leave() }
        guard let session, let payload = BlockingPayload.unblock(items) else { return .noReply }
        let outcome = await order(payload, in: session)
        if outcome == .done, session === self.session { session.blocking?.follow(.unblocked(items)) }
        return await ended(actions, outcome, in: session)
    }

    /// Writes down what came of it; where that is not known, it is found out at the next login.
    private func ended(_ actions: [Int64], _ outcome: OrderOutcome, in session: AccountSession) async -> OrderOutcome {
        let refusal: String?
        switch outcome {
        case .done: refusal = nil
        case .refused(let why): refusal = why
        case .notOffered: refusal = RequestDecider.cannotBlock
        case .offline, .noReply:
            session.hasUnfinished = true
            return .noReply
        }
        // Where the store fails, the next login finds it unfinished, and the list shows that it is done.
        try? await environment.store.end(actions: actions, refusal: refusal, at: now)
        return outcome
    }

    /// The block of a decision.
    func block(_ items: [JID], _ rejection: Rejection, in session: AccountSession) -> Element {
        let reason = rejection.report.flatMap { SpamReport.Reason(rawValue: $0.rawValue) }
        return blockPayload(items, reason.map { SpamReport($0) }, in: session)
    }

    func blockPayload(_ items: [JID], _ report: SpamReport?, in session: AccountSession) -> Element {
        BlockingPayload.block(items, report: report, reportingBy: reporting(in: session))
    }

    /// The version of XEP-0377 to report by: the newer one where nothing is announced, since servers that know none block
    /// all the same.
    private func reporting(in session: AccountSession) -> String {
        let features = session.features ?? []
        let isOld =
            features.contains(Array(Namespace.reporting0.utf8)) && !features.contains(Array(Namespace.reporting.utf8))
        return isOld ? Namespace.reporting0 : Namespace.reporting
    }

    /// The list arrived, or another client of the account changed it: requests that it covers leave the desk.
    func blockListChanged() {
        guard let session, session.isReady, let list = session.blocking?.list else { return }
        inLedger(of: session) { $0.blocked(by: list) }
        commitSoon(session)
    }

    /// A session that goes on in another process knows the roster, and not the list.
    func fetchBlockList(_ session: AccountSession) {
        guard session.canBlock, session.blocking?.isLoaded == false else { return }
        let request = session.connection.request(
            .get, BlockingPayload.get(),
            reply: onLoop(session) { account, reply, session in
                guard case .result(let list) = reply else { return }
                session.blocking?.loaded(list)
                account.blockListChanged()
            })
        sendNow([request].compactMap { $0 }, in: session)
    }
}
