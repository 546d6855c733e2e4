import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTransport

/// Contacts that ask from another address (XEP-0283): the old one is asked whether it is so.
///
/// Beside the read loop: the request is recorded and decided without that, and whoever has it on the desk sees the answer.
extension Account {
    /// The old account's server may be far away; a claim that is not answered stays a claim.
    private static let moveDeadline = Duration.seconds(30)
    /// So many addresses are asked at a time; further claims stay claims until they are delivered again.
    private static let movesAtOnce = 16
    /// So long the answer of an old address holds: whoever claims to be it makes nobody ask it over and over.
    private static let moveAnswerAge = Duration.seconds(600)

    /// The old address that a request names, where it is a contact that sees us: any other claim means nothing.
    func contactThatMoved(_ request: SubscriptionRequest) -> BareJID? {
        guard let old = request.movedFrom, rosterFact(old)?.subscription.hasFrom == true else { return nil }
        return old
    }

    func verifyMove(of old: BareJID, to new: BareJID, in session: AccountSession) {
        guard configuration.mode == .enforce else { return }
        if let known = session.movesStated[old], loop.time.now - known.at < Self.moveAnswerAge {
            // Its request is on its way to the store as long as it has no row.
            if known.new == new, session.ledger?.entries[new]?.row != nil {
                moveVerified(from: old, to: new, in: session)
            }
            return
        }
        guard session.movesAsked.count < Self.movesAtOnce, session.movesAsked.insert(old).inserted else { return }
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
                // Bounded by the contacts: nobody else is asked.
                session.movesStated[old] = (stated, account.loop.time.now)
                guard let stated, stated == new else { return }
                account.moveVerified(from: old, to: new, in: session)
            })
        sendNow([request].compactMap { $0 }, in: session)
    }

    private func moveVerified(from old: BareJID, to new: BareJID, in session: AccountSession) {
        // The roster is read again: it may have changed meanwhile.
        guard let item = rosterFact(old), item.subscription.hasFrom else { return }
        // Claimed again while that request is live, it is no news.
        let row = session.ledger?.entries[new]?.row
        guard row.map({ session.movesRecorded[new] != $0.id && $0.move?.isVerified != true }) ?? true else { return }
        // Behind its opening, where the row is not there yet: then for the row that comes.
        let isRecorded = session.movesRecorded[new] == 0
        session.movesRecorded[new] = row?.id ?? 0
        guard !isRecorded else { return }
        let claim = MoveClaim(from: old, state: item.subscription.hasTo ? .verifiedBoth : .verified)
        session.record([.moved(contact: new, claim)])
        commitSoon(session)
        let fields: [(String, String?)] = [("from", old.description), ("to", new.description)]
        environment.events(.noted(AccountNote(jid, "contact_moved", fields)))
    }
}
