import DoorwardPolicy
package import DoorwardStore
package import XMPPCore
import XMPPModules

/// Contacts: what is known of them, and what operators do to them.
extension Service {
    /// The contacts of an account, by address: as its server has them, or while it is offline as they are kept.
    ///
    /// - Returns: Nil where there is no such account, or no roster of it was ever seen.
    package func roster(of account: BareJID) async throws -> RosterSnapshot? {
        guard let child = await supervisor.account(account) else { return nil }
        var roster: RosterSnapshot
        if let live = await child.rosterSnapshot() {
            roster = live
        } else if let kept = try await store.keptRoster(of: account) {
            roster = RosterSnapshot(account: account, items: kept.contacts.map { .init($0) }, asOf: kept.asOf)
        } else {
            return nil
        }
        let evidence = try await store.evidence(of: account)
        let approvals = try await store.approvals(of: account)
        for index in roster.items.indices {
            let seen = roster.items[index].evidence
            if approvals[roster.items[index].jid]?.isUsed == false { roster.items[index].isApproved = true }
            roster.items[index].evidence = evidence[roster.items[index].jid]?.with(seen)
        }
        roster.items.sort { $0.jid.description < $1.jid.description }
        return roster
    }

    /// Contacts who were there, the latest first; nil where there is no such account.
    package func goneContacts(of account: BareJID, limit: Int) async throws -> [GoneContact]? {
        guard await supervisor.account(account) != nil else { return nil }
        return try await store.goneContacts(of: account, limit: limit)
    }

    /// Does something to a contact, for an operator.
    ///
    /// Whoever is removed while its own request waits is refused as well: a server keeps the request when the item goes
    /// (Prosody), or drops it and tells nobody (ejabberd). Both are written at once, so that a process that is killed leaves
    /// neither undone.
    package func change(
        _ order: ContactOrder, of contact: BareJID, on account: BareJID, by name: String
    ) async throws -> ContactOutcome {
        guard let child = await supervisor.account(account) else { return .unknownAccount }
        guard await child.takesOrders else { return .offline }
        let open = try await store.openRequest(of: contact, to: account)
        // What approves ahead would accept it, and nobody would have decided that.
        if case .add(let addition) = order, addition.preApproves, let open { return .requestWaits(open.id) }
        guard case .remove = order, let open else {
            var outcome = try await child.perform(order, on: contact, by: name).outcome
            if case .done(var report) = outcome, let open {
                report.request = open.id
                outcome = .done(report)
            }
            return outcome
        }
        let refusal = Answer(
            id: open.id, version: nil, decision: .reject(.init()), steps: [.verdict], by: name, reason: "contact remove"
        )
        let (outcome, refused) = try await child.perform(order, on: contact, by: name, refusing: refusal)
        switch outcome {
        case .done where refused != nil: return .done(.init(request: open.id))
        // With a request and no item there is nothing more to remove.
        case .notThere where refused != nil: return .done(.init(request: open.id))
        case .notThere:
            guard case .done = try await desk.answer([refusal], at: now).first else { return outcome }
            return .done(.init(request: open.id))
        case .done, .unknownAccount, .offline, .busy, .ownAddress, .alreadyThere, .blocked, .requestWaits,
            .noPreApproval, .refused, .unanswered:
            return outcome
        }
    }
}

extension Account {
    /// The roster of the present session, in no order; nil before it has arrived.
    func rosterSnapshot() -> RosterSnapshot? {
        guard let session, let roster = session.roster, roster.isLoaded else { return nil }
        let items = roster.items.map { item in
            var entry = RosterSnapshot.Item(ContactRow(item))
            // Few servers say so; what operators have said is added from the store.
            entry.isApproved = item.isApproved && !item.seesAccount
            let best = session.presence?.primary(of: item.jid)?.presence
            entry.isPresent = session.presence?.isAvailable(item.jid) ?? false
            entry.show = session.presence?.show(of: item.jid).map { ResourceRow.Show($0).rawValue }
            (entry.status, entry.idleSince) = (best?.status, best?.idleSince)
            entry.resources = session.presence?.rows(of: item.jid) ?? []
            let seen = session.sightings[item.jid]
            entry.evidence = ContactEvidence(
                firstKnown: now, addedBy: .otherClient, lastPresence: entry.isPresent == true ? now : seen?.presence,
                lastMessageIn: seen?.messageIn, lastMessageOut: seen?.messageOut, lastAvatarChange: seen?.avatarChange)
            return entry
        }
        return RosterSnapshot(account: jid, items: items)
    }
}

extension ContactEvidence {
    /// What is kept, with what was seen since.
    fileprivate func with(_ seen: ContactEvidence?) -> ContactEvidence {
        guard let seen else { return self }
        var known = self
        known.lastPresence = seen.lastPresence ?? lastPresence
        known.lastMessageIn = seen.lastMessageIn ?? lastMessageIn
        known.lastMessageOut = seen.lastMessageOut ?? lastMessageOut
        known.lastAvatarChange = seen.lastAvatarChange ?? lastAvatarChange
        return known
    }
}
