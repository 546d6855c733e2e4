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
    /// - Parameters:
    ///   - order: What.
    ///   - contact: To whom.
    ///   - name: The operator's name.
    /// - Returns: What became of it.
    /// - Throws: Where the store fails: then nothing was sent.
    func perform(_ order: ContactOrder, on contact: BareJID, by name: String) async throws(StoreError) -> ContactOutcome
    {
        guard contact != jid else { return .ownAddress }
        guard await contactTurns.enter() else { return .busy }
        defer { contactTurns.leave() }
        guard let session, session.isReady, session.connection.isOnline, let number = session.ledger?.session else {
            return .offline
        }
        let item = session.roster?.items[contact]
        if let refusal = refusal(of: order, on: contact, in: session) { return refusal }
        if let item, order.changesNothing(of: item) {
            return .done(.init(item: RosterFact(item), isUnchanged: true))
        }
        let action = order.action(on: contact, of: jid, by: .operator(name), item: item, session: number)
        let id = try await environment.store.begin(action, at: now)
        // It may have ended meanwhile, or gone on over another connection.
        guard self.session === session, session.connection.isOnline else {
            let why = "the account went offline: nothing was sent"
            try await environment.store.end(actions: [id], refusal: why, at: now)
            return .offline
        }
        let outcome = try await carryOut(order, UnfinishedAction(id: id, action: action), in: session)
        if outcome == .unanswered { session.hasUnfinished = true }
        return outcome
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
        let delay = outcome.delay.map { "not delivered yet: \($0)" }
        let words = [remark, delay].compactMap(\.self)
        try await environment.store.end(
            actions: [unfinished.id],
            refusal: outcome.refusal(of: unfinished.action, item: session.roster?.items[contact]),
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
        }
    }

    private func keepsPreApprovals(_ session: AccountSession) -> Bool {
        session.ledger?.keepsPreApprovals ?? false
    }

    private func send(
        _ order: ContactOrder, _ action: ContactAction, in session: AccountSession
    ) async -> ContactOutcome {
        guard let roster = session.roster else { return .unanswered }
        let contact = action.contact
        return await withCheckedContinuation { answer in
            let reply: RosterModule.Reply = { [unowned self] result in
                answer.resume(returning: answered(result, order, action))
            }
            switch order {
            case .add(let addition):
                let status = addition.message.map {
                    Element("status", namespace: Namespace.client, children: [.text($0)])
                }
                roster.add(
                    contact, name: addition.name, groups: addition.groups, extensions: [status].compactMap(\.self),
                    reply: reply)
            case .rename(let name): roster.rename(contact, to: name, reply: reply)
            case .group:
                let item = roster.items[contact]
                roster.set(contact, name: item?.name, groups: order.groups(of: item), reply: reply)
            case .remove: roster.remove(contact, reply: reply)
            case .unsubscribe: reply(Result { () throws(RosterError) in try roster.unsubscribe(from: contact) })
            case .revoke: reply(Result { () throws(RosterError) in try roster.revoke(contact) })
            }
        }
    }

    /// The server has answered, and the roster is as it is then.
    private func answered(
        _ result: Result<Void, RosterError>, _ order: ContactOrder, _ action: ContactAction
    ) -> ContactOutcome {
        guard let roster = session?.roster else { return .unanswered }
        var outcome = ContactOutcome(result, item: roster.items[action.contact])
        if case .done = outcome { outcome = preApprove(order, action.contact, roster) }
        // Here and not where it is awaited: what the contact's server says to it is told behind it.
        if case .done = outcome { tell(action) }
        return outcome
    }

    /// Before its request, the contact sees the account as soon as it asks; one that sees it already needs none.
    func preApprove(_ order: ContactOrder, _ contact: BareJID, _ roster: RosterModule) -> ContactOutcome {
        guard case .add(let addition) = order, addition.preApproves, roster.items[contact]?.seesAccount != true else {
            return .done(.init())
        }
        do throws(RosterError) {
            try roster.preApprove(contact)
            return .done(.init())
        } catch {
            return ContactOutcome(.failure(error), item: roster.items[contact])
        }
    }

    /// Tells that it is done, with what there is to say of that.
    func tell(_ action: ContactAction, _ remark: String? = nil) {
        guard let kind = action.kind.event else { return }
        var (name, words) = (String?.none, [action.detail, remark])
        switch action.author {
        case .operator(let author): name = author
        case .suggestion(let sender): words.insert("suggested by \(sender)", at: 0)
        }
        let detail = words.contains { $0 != nil } ? words.compactMap(\.self).joined(separator: "; ") : nil
        environment.events(
            .contact(ContactEvent(kind, account: jid, contact: action.contact, operator: name, detail: detail)))
    }

    /// The server has answered, and what it pushed with that is here and on the disk.
    private func settled(_ contact: BareJID, in session: AccountSession) async -> ContactOutcome {
        // Servers handle stanzas in order (RFC 6120 section 10.1): behind the answer to this nothing of it is missing.
        let answered = await withCheckedContinuation { answer in
            let ping = session.connection.request(.get, to: JID(jid.server), PingPayload.get()) { reply in
                if case .noReply = reply { answer.resume(returning: false) } else { answer.resume(returning: true) }
            }
            // Where there is none, who waits was told.
            sendNow([ping].compactMap { $0 }, in: session)
        }
        guard answered, self.session === session else { return .unanswered }
        session.isUrgent = true
        commitSoon(session)
        await recorded(session)
        guard !session.isBroken else { return .unanswered }
        return .done(
            .init(
                item: session.roster?.items[contact].map { RosterFact($0) },
                bounce: session.refusals.removeValue(forKey: contact),
                delay: session.delays.removeValue(forKey: contact)))
    }
}
