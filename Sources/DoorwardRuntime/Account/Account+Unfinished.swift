import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTransport

/// What was begun with contacts and has no end in the journal: the server did not answer, the link broke, or the process was
/// killed in the middle.
///
/// Roster and block list show what the server has done. What is not done is done now, under the name of whoever wanted it;
/// what somebody else has changed meanwhile is left as it is.
extension Account {
    private enum Progress {
        /// The server has done it.
        case done(String?)
        /// It has no purpose any more; why, in words.
        case overtaken(String)
        case due
    }

    private static let finished = "finished later"

    /// Finishes it, in the order in which it was begun.
    ///
    /// - Parameters:
    ///   - session: The present one.
    ///   - remark: What the journal says of what is sent now.
    func takeUpBacklog(_ session: AccountSession, remark: String? = finished) {
        session.hasUnfinished = false
        // Unstructured: it asks the server and waits for the answers, which arrive on this stream.
        Task.immediate {
            _ = await contactTurns.enter(isBounded: false)
            defer { contactTurns.leave() }
            do throws(StoreError) {
                let backlog = try await backlog()
                guard self.session === session else { return }
                for contact in backlog.delayed { session.repeats.takeUp(contact, at: loop.time.now) }
                for unfinished in backlog.actions {
                    guard self.session === session, session.connection.isOnline else { return }
                    try await finish(unfinished, in: session, remark)
                }
            } catch {
                // It stays where it is, for the next login.
                environment.events(.noted(AccountNote(jid, "backlog_failed", [("error", "\(error)")])))
            }
        }
    }

    /// What nobody in this process is about to do: whoever waits for the turn does it then.
    private func backlog() async throws(StoreError) -> ContactBacklog {
        _ = await openOrders.writing.enter(isBounded: false)
        defer { openOrders.writing.leave() }
        var backlog = try await environment.store.backlog(of: jid)
        backlog.actions.removeAll { openOrders.contains($0.id) }
        return backlog
    }

    private func finish(
        _ unfinished: UnfinishedAction, in session: AccountSession, _ remark: String?
    ) async throws(StoreError) {
        let action = unfinished.action
        if case .suggestion = action.author, configuration.mode != .enforce { return }
        guard let order = ContactOrder(action) else { return try await finishBlock(unfinished, in: session) }
        switch progress(of: order, action, in: session) {
        case .done(let why):
            // It is the last step, and harms nobody if it is said twice; a set of ours may have cost it.
            if order.preApproves, let roster = session.roster {
                _ = preApprove(order, action.contact, roster)
            } else {
                renewApproval(of: action.contact, in: session)
            }
            let words = why ?? "the server had done it, as the contact list showed later"
            try await environment.store.end(actions: [unfinished.id], refusal: nil, remark: words, at: now)
            tell(action, words)
        case .overtaken(let reason):
            forgetApproval(of: unfinished, in: session)
            try await environment.store.end(actions: [unfinished.id], refusal: reason, at: now)
        case .due:
            let outcome: ContactOutcome
            if let refusal = refusal(of: order, on: action.contact, in: session) {
                outcome = refusal
                forgetApproval(of: unfinished, in: session)
                let words = refusal.refusal(of: action, item: session.roster?.items[action.contact])
                try await environment.store.end(actions: [unfinished.id], refusal: words, at: now)
            } else {
                outcome = try await carryOut(order, unfinished, in: session, remark: remark)
            }
            if outcome == .unanswered { session.hasUnfinished = true }
        }
    }

    private func progress(
        of order: ContactOrder, _ action: ContactAction, in session: AccountSession
    ) -> Progress {
        let item = session.roster?.items[action.contact]
        switch order {
        case .add:
            if let item, item.isSeen || item.asked { return .done(nil) }
            // To ask anew whoever has said no is another decision.
            return session.deniedAsks.contains(action.contact) ? .done("the contact has refused since") : .due
        case .rename(let name):
            guard let item else { return .overtaken("it is no contact any more") }
            if sameBytes(item.name, name) { return .done(nil) }
            return sameBytes(item.name, action.work.oldName)
                ? .due : .overtaken("another client of the account has renamed it since")
        case .group:
            guard let item else { return .overtaken("it is no contact any more") }
            return order.changesNothing(of: item) ? .done(nil) : .due
        case .remove:
            return item == nil ? .done(nil) : .due
        case .preApprove:
            guard let item else { return .overtaken("it is no contact any more") }
            // It was let in by it.
            return item.seesAccount ? .done(nil) : .due
        case .unsubscribe, .revoke:
            guard let item else { return .overtaken("it is no contact any more") }
            return order.changesNothing(of: item) ? .done(nil) : .due
        }
    }

    private func finishBlock(_ unfinished: UnfinishedAction, in session: AccountSession) async throws(StoreError) {
        let action = unfinished.action
        let entry = action.work.entry ?? JID(action.contact)
        let isBlock = action.kind == .block
        guard session.canBlock else {
            return try await environment.store.end(
                actions: [unfinished.id], refusal: RequestDecider.cannotBlock, at: now)
        }
        var remark = "the server had done it, as the block list showed later"
        if session.blocking?.isLoaded != true || session.blocking?.list.items.contains(entry) != isBlock {
            remark = Self.finished
            let report = action.work.report.flatMap(SpamReport.Reason.init(rawValue:))
                .map { SpamReport($0, text: action.work.message) }
            let payload = isBlock ? blockPayload([entry], report, in: session) : BlockingPayload.unblock([entry])
            guard let payload else { return }
            switch await order(payload, in: session) {
            case .done: session.blocking?.follow(isBlock ? .blocked([entry]) : .unblocked([entry]))
            case .refused(let why):
                return try await environment.store.end(actions: [unfinished.id], refusal: why, at: now)
            case .offline, .notOffered, .noReply:
                session.hasUnfinished = true
                return
            }
        }
        try await environment.store.end(actions: [unfinished.id], refusal: nil, remark: remark, at: now)
        var name: String?
        if case .operator(let author) = action.author { name = author }
        let fields: [(String, String?)] = [
            ("items", "\(entry)"), ("report", action.work.report), ("operator", name), ("outcome", "done"),
            ("detail", remark),
        ]
        environment.events(.noted(AccountNote(jid, isBlock ? "blocked" : "unblocked", fields)))
    }

    // MARK: Asks that were not delivered

    /// A server could not hand over yet that we ask, and may later.
    func delayed(_ contact: BareJID, _ reason: String, in session: AccountSession) {
        let isNew = session.repeats.failed(contact, at: loop.time.now)
        guard isNew else { return }
        guard note(.delayed, reason, of: contact, in: session) else { return session.repeats.forget(contact) }
        if session.delays.count < TurnQueue.limit { session.delays[contact] = reason }
        answered(contact, in: session)
    }

    /// Asks those again whose time has come.
    func repeatAsks(_ session: AccountSession) {
        let (again, delivered) = session.repeats.take(at: loop.time.now)
        for contact in delivered where rosterFact(contact)?.asked == true {
            session.mirror.append(.refused(contact, nil))
            session.mirrorIsDue = true
        }
        for contact in again {
            do throws(RosterError) {
                try session.roster?.askAgain(contact)
            } catch {
                session.repeats.forget(contact)
            }
        }
    }
}
