import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTransport

/// Contacts that ask from another address (XEP-0283): the old one is asked whether it is so.
///
/// Beside the read loop. Where the policy asks for it, the request is decided when the answer is there; else at once, and
/// whoever has it on the desk sees the answer.
extension Account {
    /// The old account's server may be far away; a claim that is not answered stays a claim.
    private static let moveDeadline = Duration.seconds(30)
    /// So many addresses are asked at a time, each for so many who say that they are it; further claims stay claims until
    /// they are delivered again.
    private static let movesAtOnce = 16
    /// So long the answer of an old address holds: whoever claims to be it makes nobody ask it over and over.
    private static let moveAnswerAge = Duration.seconds(600)

    /// The old address that a request names, where it is a contact that sees us: any other claim means nothing.
    func contactThatMoved(_ request: SubscriptionRequest) -> BareJID? {
        request.movedFrom.flatMap { seesUs($0) ? $0 : nil }
    }

    /// What is known of a request's move before anybody is asked.
    func moveFact(of request: DeliveredRequest) -> CostlyFact<MoveFact> {
        guard let old = request.movedFrom, seesUs(old) else { return .known(.absent) }
        return .notAsked
    }

    /// Asks so that whoever answers from the desk sees it; a policy that wants to know has asked already.
    func verifyMove(of old: BareJID, to new: BareJID, in session: AccountSession) {
        guard configuration.mode == .enforce, session.ledger?.isWaitingForFacts(new) != true else { return }
        if let known = stated(by: old, in: session) { return answered(known.new, by: old, about: new, in: session) }
        sendNow([question(to: old, about: new, in: session)].compactMap { $0 }, in: session)
    }

    /// The question that a received request waits for; nil where it is out already, or the request is decided without.
    func inquiry(about contact: BareJID, in session: AccountSession) -> Element? {
        guard let row = session.ledger?.entries[contact]?.row, row.state == .recorded else { return nil }
        guard let old = row.move?.from, seesUs(old) else {
            moveFound(.absent, nil, contact, in: session)
            return nil
        }
        if let known = stated(by: old, in: session) {
            answered(known.new, by: old, about: contact, in: session)
            return nil
        }
        if session.movesAsked[old]?.contains(contact) == true { return nil }
        guard let question = question(to: old, about: contact, in: session) else {
            if session.movesAsked[old]?.contains(contact) != true {
                moveFound(.claimed, nil, contact, in: session)
            }
            return nil
        }
        return question
    }

    /// What an old address said a short while ago.
    private func stated(by old: BareJID, in session: AccountSession) -> (new: BareJID?, at: Duration)? {
        session.movesStated[old].flatMap { loop.time.now - $0.at < Self.moveAnswerAge ? $0 : nil }
    }

    private func seesUs(_ contact: BareJID) -> Bool { rosterFact(contact)?.subscription.hasFrom == true }

    /// Nil where the old address is being asked already, which serves this claim too, or where too much is being asked.
    private func question(to old: BareJID, about new: BareJID, in session: AccountSession) -> Element? {
        if let claimants = session.movesAsked[old] {
            if claimants.count < Self.movesAtOnce { session.movesAsked[old]?.insert(new) }
            return nil
        }
        guard session.movesAsked.count < Self.movesAtOnce else { return nil }
        session.movesAsked[old] = [new]
        return session.connection.request(
            .get, to: JID(old), MovedPayload.query(), timeout: Self.moveDeadline,
            reply: onLoop(session) { account, reply, session in
                let claimants = session.movesAsked.removeValue(forKey: old) ?? []
                let stated: BareJID?
                switch reply {
                case .result(let payload): stated = MovedPayload.newAddress(in: payload)
                case .error(let error): stated = MovedPayload.newAddress(in: error)
                case .noReply:
                    // The end of the link is no answer: over the next one it is asked again.
                    guard session.connection.isOnline else { return }
                    stated = nil
                }
                session.movesStated[old] = (stated, account.loop.time.now)
                for contact in claimants { account.answered(stated, by: old, about: contact, in: session) }
            })
    }

    private func answered(_ stated: BareJID?, by old: BareJID, about new: BareJID, in session: AccountSession) {
        // The roster is read again: it may have changed meanwhile.
        guard let stated, stated == new, let item = rosterFact(old), item.subscription.hasFrom else {
            return moveFound(.claimed, nil, new, in: session)
        }
        let claim = MoveClaim(from: old, state: item.subscription.hasTo ? .verifiedBoth : .verified)
        defer { moveFound(.verified, claim, new, in: session) }
        guard isNews(new, in: session) else { return }
        session.record([.moved(contact: new, claim)])
        let fields: [(String, String?)] = [("from", old.description), ("to", new.description)]
        environment.events(.noted(AccountNote(jid, "contact_moved", fields)))
    }

    /// Whether a verified move is yet to be recorded: claimed again while that request is live, it is no news.
    private func isNews(_ contact: BareJID, in session: AccountSession) -> Bool {
        let row = session.ledger?.entries[contact]?.row
        if let row, session.movesRecorded[contact] == row.id || row.move?.isVerified == true { return false }
        // Behind its opening, where the row is not there yet: then for the row that comes.
        let isRecorded = session.movesRecorded[contact] == 0
        session.movesRecorded[contact] = row?.id ?? 0
        return !isRecorded
    }

    /// A request that was received and waits for this is decided now.
    private func moveFound(_ fact: MoveFact, _ claim: MoveClaim?, _ contact: BareJID, in session: AccountSession) {
        var decider = decider(of: contact, in: session)
        decider.old = claim.flatMap { rosterFact($0.from) }
        let item = rosterFact(contact)
        inLedger(of: session) { ledger in
            ledger.found(contact, item: item) { request in
                decider.decide(request, item: item, moved: .known(fact), claim: claim)
            }
        }
        commitSoon(session)
    }
}
