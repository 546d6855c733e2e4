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
        let decider = RequestDecider(
            account: jid, policy: policy, mode: configuration.mode, canBlock: session.canBlock,
            blocked: session.blocking?.list.entry(for: JID(request.contact)))
        var record: DecisionRecord?
        if let ledger = session.ledger, ledger.entries[request.contact] == nil {
            let decided = decider.decide(delivered, item: item)
            guard ledger.hasRoom(for: delivered, decided) else { return deskIsFull() }
            record = decided
        }
        inLedger(of: session) { ledger in
            ledger.delivered(delivered, item: item) { record ?? decider.decide(delivered, item: item) }
        }
        if let old = delivered.movedFrom { verifyMove(of: old, to: request.contact, in: session) }
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
    /// Whether the invitation that it used is what let it in.
    var isAcceptedByInvitation: Bool {
        guard invitation != nil, rule == nil, state == .accepted else { return false }
        return decision == DecisionRecord.ofInvitation
    }
}
