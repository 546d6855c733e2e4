import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules

/// Contacts who are approved ahead (RFC 6121 section 3.4): what the operator has decided stands in the store, whatever the
/// server makes of it.
///
/// Prosody never shows an approval, loses it with each roster set, and keeps it when it is used. So it is given again behind a
/// set, a request that comes all the same is accepted by it (`RequestDecider`), and it is taken back once it is used.
extension Account {
    /// Whom the operator said it of, as long as nobody was let in by that.
    func approval(of contact: BareJID, in session: AccountSession) -> Approval? {
        session.approvals[contact].flatMap { $0.isUsed ? nil : $0 }
    }

    /// The item of a contact has changed, and the ledger does not know of it yet.
    ///
    /// - Returns: Whether the server has let the contact in by an approval.
    func followApproval(_ item: RosterItem, before: RosterItem?, in session: AccountSession) -> Bool {
        let known = approval(of: item.jid, in: session)
        guard item.seesAccount else {
            // A name or a group was set: by us, or by another client, which takes an approval back by removing the item. A
            // push that changes nothing is taken for what it mostly is, the echo of an approval.
            guard let before, known != nil, RosterDifference(before: before, after: item)?.isOfWords == true else {
                return false
            }
            renewApproval(of: item.jid, in: session)
            return false
        }
        guard before?.seesAccount != true, known != nil || before?.isApproved == true else { return false }
        // A request that is here is what lets it in.
        let isDecided = session.ledger?.entries[item.jid]?.row.map { $0.state.mayLetIn } ?? false
        return used(item.jid, by: known?.operator, isDecided: isDecided, in: session)
    }

    /// What became of approvals while the account was away; and what is still to be taken back.
    func catchUpApprovals(_ session: AccountSession) {
        for (contact, approval) in session.approvals {
            let item = session.roster?.items[contact]
            if approval.isUsed {
                takeBackApproval(of: contact, in: session)
            } else if item?.seesAccount == true {
                let isDecided = session.ledger?.entries[contact]?.row.map { $0.state.mayLetIn } ?? false
                if used(contact, by: approval.operator, isDecided: isDecided, in: session) {
                    tellModulesOfLetIn(contact)
                }
            } else if session.renewals.contains(contact) {
                renewApproval(of: contact, in: session)
            }
        }
        session.renewals = []
    }

    /// Gives it to the server again, which may have lost it.
    func renewApproval(of contact: BareJID, in session: AccountSession) {
        guard approval(of: contact, in: session) != nil, session.ledger?.entries[contact] == nil else { return }
        // Without a link it is given at the next login.
        try? session.roster?.preApprove(contact)
    }

    /// What was to give it was not done; the store forgets it with the end of that.
    func forgetApproval(of unfinished: UnfinishedAction, in session: AccountSession) {
        let contact = unfinished.action.contact
        if session.approvals[contact]?.action == unfinished.id { session.approvals[contact] = nil }
    }

    /// Its modules hear of it as of everybody who is let in.
    func tellModulesOfLetIn(_ contact: BareJID) {
        moduleHost?.decided(ModuleDecision(contact: contact, isAccepted: true))
    }

    /// - Returns: Whether the server has let it in, and no decision of ours.
    private func used(
        _ contact: BareJID, by name: String?, isDecided: Bool, in session: AccountSession
    ) -> Bool {
        session.approvals[contact]?.isUsed = true
        session.mirror.append(isDecided ? .approvalUsed(contact) : .letIn(contact, by: name))
        session.mirrorIsDue = true
        session.isUrgent = true
        takeBackApproval(of: contact, in: session)
        guard !isDecided else { return false }
        let detail = name.map { "pre-approved by \($0)" } ?? "pre-approved by another client of the account"
        environment.events(
            .contact(ContactEvent(.letIn, account: jid, contact: contact, operator: name, detail: detail)))
        return true
    }

    /// It is for one request: whoever leaves and asks again is judged anew.
    ///
    /// A roster set takes it back where `unsubscribed` does not (Prosody); name and groups stay.
    private func takeBackApproval(of contact: BareJID, in session: AccountSession) {
        guard session.approvals[contact] != nil else { return }
        // Unstructured: behind the command that gave it, and whatever else is under way with contacts.
        Task.immediate {
            _ = await contactTurns.enter(isBounded: false)
            defer { contactTurns.leave() }
            guard self.session === session, session.isReady, session.approvals[contact]?.isUsed == true else { return }
            if let item = session.roster?.items[contact] {
                let isDone = await withCheckedContinuation { answer in
                    session.roster?.set(contact, name: item.name, groups: item.groups) { result in
                        switch result {
                        case .success: answer.resume(returning: true)
                        // A server that refuses has nothing that could be taken back; without an answer it is done later.
                        case .failure(let error):
                            answer.resume(returning: error.code != .offline && error.code != .noReply)
                        }
                    }
                }
                guard isDone, session.approvals[contact]?.isUsed == true else { return }
            }
            session.approvals[contact] = nil
            session.mirror.append(.approvalEnded(contact))
            session.mirrorIsDue = true
            if self.session === session { commitSoon(session) }
        }
    }
}

extension RosterFact {
    /// Whether name and groups are the same; the order of groups means nothing.
    func hasWords(of other: RosterFact) -> Bool {
        sameBytes(name, other.name) && sameTexts(groups, other.groups)
    }
}

extension RosterDifference {
    /// Whether the name or the groups of a contact that stays are others.
    var isOfWords: Bool { isRenamed || isRegrouped }
}

extension RequestState {
    /// Whether a request that is so may be what has let its contact in.
    fileprivate var mayLetIn: Bool {
        switch self {
        case .open, .held, .recorded, .accepted: true
        case .rejected, .withdrawn, .answeredElsewhere, .covered: false
        }
    }
}
