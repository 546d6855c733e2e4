import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTransport

/// What operators do to contacts: one after the other, each written down before it is sent.
///
/// An account that is offline refuses. A change that waited for the next login would be made to a roster that nobody has seen
/// yet, by somebody who has long gone home; what is refused can be said again.
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
        if let refusal = refusal(of: order, on: contact, in: session) { return refusal }
        let action = ContactAction(
            order.kind, account: jid, contact: contact, by: name, detail: order.detail, session: number)
        let id = try await environment.store.begin(action, at: now)
        // It may have ended meanwhile, or gone on over another connection.
        guard self.session === session, session.connection.isOnline else {
            try await environment.store.end(action: id, refusal: "the account went offline: nothing was sent", at: now)
            return .offline
        }
        session.refusals[contact] = nil
        var outcome = await send(order, to: contact, in: session)
        if case .done = outcome { outcome = await settled(contact, in: session) }
        try await environment.store.end(action: id, refusal: outcome.refusal, at: now)
        if case .done(let report) = outcome {
            environment.events(
                .contact(
                    ContactEvent(
                        order.event, account: jid, contact: contact, operator: name,
                        detail: report.bounce ?? order.detail)))
        }
        return outcome
    }

    /// Whether contacts can be changed at the moment.
    var takesOrders: Bool { session.map { $0.isReady && $0.connection.isOnline } ?? false }

    /// Why it is not even tried.
    private func refusal(of order: ContactOrder, on contact: BareJID, in session: AccountSession) -> ContactOutcome? {
        let item = session.roster?.items[contact]
        switch order {
        case .add(let addition):
            if let item { return .alreadyThere(RosterFact(item)) }
            // Servers keep a request to somebody blocked to themselves: Prosody without a word.
            if let entry = session.blocking?.list.entry(for: JID(contact)) { return .blocked(entry) }
            return addition.preApproves && !keepsPreApprovals(session) ? .noPreApproval : nil
        case .rename, .group, .remove:
            return item == nil ? .notThere : nil
        }
    }

    private func keepsPreApprovals(_ session: AccountSession) -> Bool {
        session.ledger?.keepsPreApprovals ?? false
    }

    private func send(
        _ order: ContactOrder, to contact: BareJID, in session: AccountSession
    ) async -> ContactOutcome {
        guard let roster = session.roster else { return .offline }
        let result: Result<Void, RosterError> = await withCheckedContinuation { answer in
            let reply: RosterModule.Reply = { answer.resume(returning: $0) }
            switch order {
            case .add(let addition):
                let status = addition.message.map {
                    Element("status", namespace: Namespace.client, children: [.text($0)])
                }
                roster.add(
                    contact, name: addition.name, groups: addition.groups, extensions: [status].compactMap(\.self),
                    reply: reply)
            case .rename(let name): roster.rename(contact, to: name, reply: reply)
            case .group(let adding, let removing):
                let item = roster.items[contact]
                let kept = (item?.groups ?? []).filter { group in !removing.contains { sameBytes($0, group) } }
                let new = adding.filter { group in !kept.contains { sameBytes($0, group) } }
                roster.set(contact, name: item?.name, groups: kept + new, reply: reply)
            case .remove: roster.remove(contact, reply: reply)
            }
        }
        if case .failure(let error) = result { return ContactOutcome(error, item: roster.items[contact]) }
        guard case .add(let addition) = order, addition.preApproves else { return .done(.init()) }
        do throws(RosterError) {
            // Before its request, the contact sees the account as soon as it asks.
            try roster.preApprove(contact)
            return .done(.init())
        } catch {
            return ContactOutcome(error, item: roster.items[contact])
        }
    }

    /// The server has answered, and what it pushed with that is here and on the disk.
    private func settled(_ contact: BareJID, in session: AccountSession) async -> ContactOutcome {
        // Servers handle stanzas in order (RFC 6120 section 10.1): behind the answer to this nothing of it is missing.
        let answered = await withCheckedContinuation { answer in
            let ping = session.connection.request(.get, to: JID(jid.server), PingPayload.get()) { reply in
                if case .noReply = reply { answer.resume(returning: false) } else { answer.resume(returning: true) }
            }
            guard let ping else { return answer.resume(returning: false) }
            sendNow([ping], in: session)
        }
        guard answered, self.session === session else { return .unanswered }
        session.isUrgent = true
        commitSoon(session)
        await recorded(session)
        guard !session.isBroken else { return .unanswered }
        return .done(
            .init(
                item: session.roster?.items[contact].map { RosterFact($0) },
                bounce: session.refusals.removeValue(forKey: contact)))
    }
}

extension ContactOrder {
    var kind: ContactAction.Kind {
        switch self {
        case .add: .add
        case .rename: .rename
        case .group: .group
        case .remove: .remove
        }
    }

    fileprivate var event: ContactEvent.Kind {
        switch self {
        case .add: .added
        case .rename: .renamed
        case .group: .grouped
        case .remove: .removed
        }
    }

    /// In words for the history; the text that goes along with a request is left out, as all messages are.
    var detail: String? {
        let parts: [String?]
        switch self {
        case .add(let addition):
            parts = [
                addition.name.map { "name “\($0)”" },
                addition.groups.isEmpty ? nil : "groups: " + addition.groups.joined(separator: ", "),
                addition.preApproves ? "approved before it asks" : nil,
            ]
        case .rename(let name): parts = [name.map { "name “\($0)”" } ?? "no name"]
        case .group(let adding, let removing):
            parts = [
                adding.isEmpty ? nil : "into: " + adding.joined(separator: ", "),
                removing.isEmpty ? nil : "out of: " + removing.joined(separator: ", "),
            ]
        case .remove: parts = []
        }
        let words = parts.compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }
}

extension ContactOutcome {
    fileprivate init(_ error: RosterError, item: RosterItem?) {
        switch error.code {
        case .ownAddress: self = .ownAddress
        case .alreadyThere: self = item.map { .alreadyThere(RosterFact($0)) } ?? .busy
        case .notThere: self = .notThere
        case .notLoaded: self = .busy
        case .notOffered: self = .noPreApproval
        case .offline: self = .offline
        case .noReply: self = .unanswered
        case _: self = .refused(error.description)
        }
    }

    /// Why it was not done, in words for the history; nil where it was.
    fileprivate var refusal: String? {
        switch self {
        case .done(let report): report.bounce
        case .unknownAccount: "no such account"
        case .offline: "the account is offline"
        case .busy: "its contacts are not there yet"
        case .ownAddress: "the account itself"
        case .alreadyThere: "it is a contact already"
        case .notThere: "it is no contact"
        case .blocked(let entry): "\(entry) is blocked"
        case .noPreApproval: "the server keeps no approval before the request"
        case .refused(let words): words
        case .unanswered: "the server did not answer; the roster of the next login shows what it did"
        }
    }
}
