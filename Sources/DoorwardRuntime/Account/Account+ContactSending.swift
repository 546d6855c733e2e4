import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTransport

/// What operators do to contacts: sending it, and hearing what became of it.
extension Account {
    func send(
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
            case .preApprove(nil, let groups) where groups.isEmpty: reply(.success(()))
            case .preApprove(let name, let groups):
                let item = roster.items[contact]
                let groups = groups.isEmpty ? item?.groups ?? [] : groups
                roster.set(contact, name: name ?? item?.name, groups: groups, reply: reply)
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
        guard order.preApproves, roster.items[contact]?.seesAccount != true else { return .done(.init()) }
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
    func settled(_ contact: BareJID, in session: AccountSession) async -> ContactOutcome {
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
