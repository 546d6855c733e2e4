import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules

/// Contacts that ask from another address (XEP-0283): the old one is asked whether it is so.
///
/// Beside the read loop: the request is recorded and decided without that, and whoever has it on the desk sees the answer.
extension Account {
    /// The old account's server may be far away; a claim that is not answered stays a claim.
    private static let moveDeadline = Duration.seconds(30)
    /// So many addresses are asked at a time; further claims stay claims until they are delivered again.
    private static let movesAtOnce = 16

    /// The old address that a request names, where it is a contact that sees us: any other claim means nothing.
    func contactThatMoved(_ request: SubscriptionRequest) -> BareJID? {
        guard let old = request.movedFrom, rosterFact(old)?.subscription.hasFrom == true else { return nil }
        return old
    }

    func verifyMove(of old: BareJID, to new: BareJID, in session: AccountSession) {
        guard configuration.mode == .enforce, session.movesAsked.count < Self.movesAtOnce,
            session.movesAsked.insert(old).inserted
        else { return }
        let request = session.connection.request(
            .get, to: JID(old), MovedPayload.query(), timeout: Self.moveDeadline,
            reply: onLoop(session) { account, reply, session in
                session.movesAsked.remove(old)
                let stated: BareJID? =
                    switch reply {
                    case .result(let payload): MovedPayload.newAddress(in: payload)
                    case .error(let error): MovedPayload.newAddress(in: error)
                    case .noReply: nil
                    }
                guard let stated, stated == new else { return }
                account.moveVerified(from: old, to: new, in: session)
            })
        sendNow([request].compactMap { $0 }, in: session)
    }

    private func moveVerified(from old: BareJID, to new: BareJID, in session: AccountSession) {
        // The roster is read again: it may have changed meanwhile.
        guard let item = rosterFact(old), item.subscription.hasFrom else { return }
        let claim = MoveClaim(from: old, state: item.subscription.hasTo ? .verifiedBoth : .verified)
        session.record([.moved(contact: new, claim)])
        commitSoon(session)
        let fields: [(String, String?)] = [("from", old.description), ("to", new.description)]
        environment.events(.noted(AccountNote(jid, "contact_moved", fields)))
    }
}
