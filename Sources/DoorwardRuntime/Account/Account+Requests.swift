import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPModules

/// Requests as they are delivered.
extension Account {
    /// A request is delivered: it is decided, recorded, and answered.
    func requested(_ request: SubscriptionRequest, in session: AccountSession) {
        let item = session.roster?.items[request.contact].map { RosterFact($0) }
        if let item, item.subscription.hasFrom {
            reassure(request.contact, in: session)
            return
        }
        let delivered = DeliveredRequest(
            contact: request.contact, message: request.message, nickname: request.nickname,
            token: request.token.map(Self.tokenDigest), movedFrom: contactThatMoved(request))
        let decider = decider(of: request.contact, in: session)
        let decide = { (request: DeliveredRequest) in
            decider.decide(request, item: item, moved: self.moveFact(of: request))
        }
        var first: DecisionRecord??
        if let ledger = session.ledger, ledger.entries[request.contact] == nil {
            let record = decide(delivered)
            guard ledger.hasRoom(for: delivered, record) else { return deskIsFull() }
            first = .some(record)
        }
        inLedger(of: session) { ledger in
            ledger.delivered(delivered, item: item) { request in first ?? decide(request) }
        }
        if let old = delivered.movedFrom { verifyMove(of: old, to: request.contact, in: session) }
    }

    func decider(of contact: BareJID, in session: AccountSession) -> RequestDecider {
        RequestDecider(
            account: jid, policy: policy, mode: configuration.mode, canBlock: session.canBlock,
            blocked: session.blocking?.list.entry(for: JID(contact)), isBehindGateway: isBehindGateway(contact),
            approval: session.approvals[contact].flatMap { $0.isUsed ? nil : $0 })
    }

    /// Whether a contact is behind a gateway that is one too: one that is only in the list, and neither sees us nor is seen,
    /// is none.
    private func isBehindGateway(_ contact: BareJID) -> Bool {
        guard contact.local != nil, let gateway = rosterFact(contact.server) else { return false }
        return gateway.subscription != .none
    }

    /// Someone who sees us already asks again: their server lost it.
    ///
    /// One `subscribed` tells it so, and no more, or two automata could keep each other busy (RFC 6121 section A.3.1:
    /// usually the server answers by itself).
    private func reassure(_ contact: BareJID, in session: AccountSession) {
        guard configuration.mode == .enforce, session.reassured.insert(contact).inserted else { return }
        sendNow([SubscriptionPayload.presence(.subscribed, to: contact)], in: session)
    }

    /// What is kept of a token: by it nobody can ask, and the store finds the invitation.
    static func tokenDigest(_ token: String) -> String {
        hexadecimal(XMPPCrypto.digest(.sha256, Array(token.utf8)))
    }
}

extension RequestRow {
    /// Who or what decided a record that was just committed: the store knows what its token was worth.
    func authority(of record: DecisionRecord) -> Authority {
        guard rule == nil else { return .rule }
        switch decision {
        case DecisionRecord.ofInvitation?: return .token
        case .ask?: return .default
        case .accept?, .reject?, .ignore?, nil: return record.by
        }
    }
}
