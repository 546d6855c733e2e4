import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTransport

/// What operators do to contacts: one after the other, each written down before it is sent.
///
/// An account that is offline refuses: a change that waited for the next login would be made to a roster that nobody has seen
/// yet. What was begun is another matter: it is finished at the next login (`Account+Unfinished`).
extension Account {
    /// Does it.
    ///
    /// Whoever has to wait for others is written down before: a process that is killed meanwhile leaves none of them undone.
    ///
    /// - Parameters:
    ///   - order: What.
    ///   - contact: To whom.
    ///   - name: The operator's name.
    ///   - refusal: An answer to the contact's request that belongs to it, written in the same transaction.
    /// - Returns: What became of it, with the request where that was answered.
    /// - Throws: Where the store fails: then nothing was sent.
    func perform(
        _ order: ContactOrder, on contact: BareJID, by name: String, refusing refusal: Answer? = nil
    ) async throws(StoreError) -> (outcome: ContactOutcome, refused: RequestRow?) {
        guard contact != jid else { return (.ownAddress, nil) }
        guard contactTurns.hasRoom, openOrders.writing.hasRoom else { return (.busy, nil) }
        guard takesOrders else { return (.offline, nil) }
        let (outcome, refused) = try await performInTurn(order, on: contact, by: name, refusing: refusal)
        // Nobody else waits for what another server says.
        return (await heard(outcome, of: order, on: contact), refused)
    }

    private func performInTurn(
        _ order: ContactOrder, on contact: BareJID, by name: String, refusing refusal: Answer?
    ) async throws(StoreError) -> (outcome: ContactOutcome, refused: RequestRow?) {
        var written: Begun?
        if contactTurns.isTaken || openOrders.writing.isTaken {
            written = try await begin(order, on: contact, by: name, refusing: refusal)
        }
        defer { if let written { openOrders.left(written.action.id) } }
        _ = await contactTurns.enter(isBounded: false)
        defer { contactTurns.leave() }
        let order = order.meant(for: session?.roster?.items[contact])
        if let (outcome, end) = unneeded(order, on: contact, written: written?.action.id) {
            if let written {
                if outcome == .offline { return try await wentOffline(written) }
                if end != nil, let session { forgetApproval(of: written.action, in: session) }
                try await environment.store.end(
                    actions: [written.action.id], refusal: end, remark: end == nil ? "it was so already" : nil, at: now)
            }
            return (outcome, written?.refused)
        }
        let present = session
        if written == nil { written = try await begin(order, on: contact, by: name, refusing: refusal) }
        guard let begun = written else { return (.offline, nil) }
        // It may have ended meanwhile, or gone on over another connection.
        guard let session = present, self.session === session, session.connection.isOnline else {
            return try await wentOffline(begun)
        }
        var outcome = try await carryOut(order, begun.action, in: session)
        if outcome == .unanswered { session.hasUnfinished = true }
        if case .preApprove = order, case .done(var report) = outcome {
            report.isApproval = true
            outcome = .done(report)
        }
        return (outcome, begun.refused)
    }

    private static let offlineReason = "the account went offline: nothing was sent"

    private typealias Begun = (action: UnfinishedAction, refused: RequestRow?)

    /// Nothing was sent; a removal whose request is refused already follows at the next login.
    private func wentOffline(
        _ begun: Begun
    ) async throws(StoreError) -> (outcome: ContactOutcome, refused: RequestRow?) {
        guard begun.refused == nil else { return (.unanswered, begun.refused) }
        if let session { forgetApproval(of: begun.action, in: session) }
        try await environment.store.end(actions: [begun.action.id], refusal: Self.offlineReason, at: now)
        return (.offline, nil)
    }

    /// Writes it down, and answers the request that belongs to it.
    private func begin(
        _ order: ContactOrder, on contact: BareJID, by name: String, refusing refusal: Answer?
    ) async throws(StoreError) -> Begun {
        _ = await openOrders.writing.enter(isBounded: false)
        defer { openOrders.writing.leave() }
        let item = openOrders.expected(contact, session?.roster?.items[contact])
        let order = order.meant(for: item)
        let action = order.action(
            on: contact, of: jid, by: .operator(name), item: item, session: session?.ledger?.session ?? 0)
        guard let refusal else {
            let id = try await environment.store.begin(action, at: now)
            openOrders.begun(id, order, on: contact)
            if action.work.preApproves, let session, approval(of: contact, in: session) == nil {
                session.approvals[contact] = Approval(action: id, operator: name, at: now)
            }
            return (UnfinishedAction(id: id, action: action), nil)
        }
        let (id, answer) = try await environment.store.begin(action, answering: refusal, at: now)
        openOrders.begun(id, order, on: contact)
        let begun = UnfinishedAction(id: id, action: action)
        guard case .done(let row) = answer else { return (begun, nil) }
        environment.events(.answered(row, operator: name))
        answered(row)
        return (begun, row)
    }

    /// Why nothing is to be sent, as it is now, and in words for the journal; without words it was so already.
    ///
    /// - Parameters:
    ///   - order: What is wanted.
    ///   - contact: Of whom.
    ///   - written: Its row in the journal, where it has one.
    /// - Returns: Nil where it is to be sent.
    private func unneeded(
        _ order: ContactOrder, on contact: BareJID, written: Int64?
    ) -> (ContactOutcome, String?)? {
        guard let session, session.isReady, session.connection.isOnline else { return (.offline, Self.offlineReason) }
        if let refusal = refusal(of: order, on: contact, in: session) { return (refusal, refusal.refusal) }
        guard let item = session.roster?.items[contact],
            order.changesNothing(of: item) || isApproved(order, contact, besides: written, in: session)
        else { return nil }
        return (.done(.init(item: RosterFact(item), isUnchanged: true, isApproval: order.preApproves)), nil)
    }

    /// Whether contacts can be changed at the moment.
    var takesOrders: Bool { session.map { $0.isReady && $0.connection.isOnline } ?? false }

    /// Sends what is written down, and writes down what came of it: nothing where that is not known yet.
    func carryOut(
        _ order: ContactOrder, _ unfinished: UnfinishedAction, in session: AccountSession, remark: String? = nil
    ) async throws(StoreError) -> ContactOutcome {
        let contact = unfinished.action.contact
        session.refusals[contact] = nil
        session.delays[contact] = nil
        session.deniedAsks.remove(contact)
        var outcome = await send(order, unfinished.action, in: session)
        if case .done = outcome { outcome = await settled(contact, in: session) }
        guard outcome != .unanswered else { return outcome }
        if !outcome.isDone { forgetApproval(of: unfinished, in: session) }
        let delay = outcome.delay.map { "not delivered yet: \($0)" }
        let words = [remark, delay].compactMap(\.self)
        try await environment.store.end(
            actions: [unfinished.id],
            refusal: outcome.refusal(of: unfinished.action, item: session.roster?.items[contact]),
            bounce: outcome.bounce,
            remark: words.isEmpty ? nil : words.joined(separator: "; "), at: now)
        return outcome
    }

    /// Why it is not even tried.
    func refusal(of order: ContactOrder, on contact: BareJID, in session: AccountSession) -> ContactOutcome? {
        let item = session.roster?.items[contact]
        switch order {
        case .add(let addition):
            if let item, item.isSeen || item.asked { return .alreadyThere(RosterFact(item)) }
            // Servers keep a request to somebody blocked to themselves: Prosody without a word.
            if let entry = session.blocking?.list.entry(for: JID(contact)) { return .blocked(entry) }
            guard addition.preApproves, item?.seesAccount != true else { return nil }
            return keepsPreApprovals(session) ? nil : .noPreApproval
        case .rename, .group, .remove, .unsubscribe, .revoke:
            return item == nil ? .notThere : nil
        case .preApprove:
            guard item != nil else { return .notThere }
            if let entry = session.blocking?.list.entry(for: JID(contact)) { return .blocked(entry) }
            return keepsPreApprovals(session) ? nil : .noPreApproval
        }
    }

    /// Whether there is nothing to do for it: the contact is approved already, and not by this.
    private func isApproved(
        _ order: ContactOrder, _ contact: BareJID, besides written: Int64?, in session: AccountSession
    ) -> Bool {
        guard case .preApprove(nil, let groups) = order, groups.isEmpty else { return false }
        return approval(of: contact, in: session).map { $0.action != written } ?? false
    }

    private func keepsPreApprovals(_ session: AccountSession) -> Bool {
        session.ledger?.keepsPreApprovals ?? false
    }
}
