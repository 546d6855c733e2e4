import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules

/// Sending: the one place where decisions that are on disk become stanzas.
extension Account {
    /// How many answers go out in one write, and without stream management before the server must have answered a ping
    /// behind them: it keeps the number of our outstanding requests and the unread output small.
    private static let burst = 100

    func send(_ effects: [RequestLedger.Effect], in session: AccountSession) {
        guard !effects.isEmpty else { return }
        session.effects += effects
        sendNext()
    }

    /// Sends stanzas, and keeps the count of what went out.
    @discardableResult
    func sendNow(_ stanzas: [Element], in session: AccountSession) -> UInt32? {
        guard let number = session.connection.send(stanzas) else { return nil }
        session.outbound = number
        return number
    }

    func sendNext() {
        while let session, session.canSend, !session.effects.isEmpty {
            let burst = session.effects.prefix(Self.burst)
            session.effects.removeFirst(burst.count)
            var stanzas: [Element] = []
            var answers: [AccountSession.SentAnswer] = []
            for effect in burst {
                switch effect {
                case .send(let contact, let decision, let steps):
                    stanzas += steps.compactMap { stanza(for: $0, of: decision, to: contact, in: session) }
                    answers.append((contact, steps))
                case .takeBack(let contact, let removingItem):
                    stanzas += takingBack(contact, removingItem: removingItem, in: session)
                case .inquire(let contact):
                    if let stanza = inquiry(about: contact, in: session) { stanzas.append(stanza) }
                case .order(let number):
                    if let stanza = stanza(ofOrder: number, in: session) { stanzas.append(stanza) }
                }
            }
            if let number = sendNow(stanzas, in: session) {
                session.wasSent(answers, number: number)
            } else {
                // Behind all of them: the server answers stanzas in order (RFC 6120 section 10.1), so its answer to this
                // one says that it has processed the others.
                session.isPinging = true
                let sent = answers
                ping(session) { account, session in
                    session.isPinging = false
                    account.inLedger(of: session) { $0.acknowledged(sent, item: account.rosterFact) }
                    account.sendNext()
                }
            }
        }
    }

    /// The server has handled our stanzas up to a number.
    func acknowledged(through number: UInt32, in session: AccountSession) {
        session.acknowledged = number
        let answers = session.takeSent(through: number)
        guard !answers.isEmpty else { return }
        let unmet = answers.filter { session.ledger?.showsNothing($0, item: rosterFact) == true }
        inLedger(of: session) { ledger in
            ledger.acknowledged(
                answers.filter { answer in !unmet.contains { $0.contact == answer.contact } }, item: rosterFact)
        }
        sendNext()
        guard !unmet.isEmpty else { return }
        // An acknowledgement can overtake the roster push of what it covers (ejabberd makes the push a message to itself);
        // the answer to a ping cannot.
        session.doubtful += unmet
        guard !session.isPinging else { return }
        session.isPinging = true
        ping(session) { account, session in
            session.isPinging = false
            let doubtful = session.doubtful
            session.doubtful = []
            account.inLedger(of: session) { $0.acknowledged(doubtful, item: account.rosterFact) }
            account.sendNext()
        }
    }

    /// Pings the account's server.
    ///
    /// - Parameters:
    ///   - session: The session that it belongs to.
    ///   - answered: Called with the answer, whatever it is; where there is none, the connection is given up.
    func ping(_ session: AccountSession, answered: @escaping @Sendable (isolated Account, AccountSession) -> Void) {
        let stanza = session.connection.request(
            .get, to: JID(jid.server), PingPayload.get(),
            reply: onLoop(session) { account, reply, session in
                if case .noReply = reply {
                    session.connection.abandon("the server did not answer")
                    return
                }
                answered(account, session)
            })
        sendNow([stanza].compactMap { $0 }, in: session)
    }

    // MARK: Stanzas

    private func stanza(
        for step: OutboxStep.Kind, of decision: Decision, to contact: BareJID, in session: AccountSession
    ) -> Element? {
        switch (step, decision) {
        case (.verdict, .accept):
            return SubscriptionPayload.presence(.subscribed, to: contact)
        case (.verdict, .reject):
            return SubscriptionPayload.presence(.unsubscribed, to: contact)
        case (.subscribeBack, .accept):
            let nickname = profile.nickname.map { [SubscriptionPayload.nick($0)] } ?? []
            return SubscriptionPayload.presence(.subscribe, to: contact, extensions: nickname)
        case (.rosterSet, .accept(let acceptance)):
            return request(.rosterSet, of: contact, rosterSet(contact, acceptance, in: session), in: session)
        case (.block, .reject(let rejection)):
            guard session.canBlock else {
                session.record([.dropped(contact: contact, steps: [.block], reason: RequestDecider.cannotBlock)])
                return nil
            }
            return request(.block, of: contact, block([JID(contact)], rejection, in: session), in: session)
        case (.revokeOld, .accept):
            // Known since it was verified; the row that says so is the one that is answered.
            guard let old = session.ledger?.entries[contact]?.row?.move?.from else { return nil }
            return SubscriptionPayload.presence(.unsubscribed, to: old)
        case (_, .ask), (_, .ignore), (.rosterSet, .reject), (.subscribeBack, .reject), (.block, .accept),
            (.revokeOld, .reject):
            return nil
        }
    }

    /// An item is set as a whole: what the roster already has is kept, or the server would forget it.
    private func rosterSet(_ contact: BareJID, _ acceptance: Acceptance, in session: AccountSession) -> Element {
        let item = session.roster?.items[contact]
        var groups = item?.groups ?? []
        for group in acceptance.groups where !groups.contains(where: { $0.utf8.elementsEqual(group.utf8) }) {
            groups.append(group)
        }
        return RosterPayload.set(contact, name: acceptance.name ?? item?.name, groups: groups)
    }

    /// Removing the item clears a pre-approval, `unsubscribed` does not (Prosody); an item that was there before is set
    /// again instead, which clears it too.
    private func takingBack(_ contact: BareJID, removingItem: Bool, in session: AccountSession) -> [Element] {
        let item = session.roster?.items[contact]
        let payload =
            removingItem
            ? RosterPayload.remove(contact)
            : RosterPayload.set(contact, name: item?.name, groups: item?.groups ?? [])
        // An error means that there was nothing to take back.
        let request = session.connection.request(
            .set, payload,
            reply: onLoop(session) { account, reply, session in
                if case .noReply = reply { return }
                account.inLedger(of: session) { $0.tookBack(contact) }
            })
        return [request].compactMap { $0 }
    }

    private func request(
        _ step: OutboxStep.Kind, of contact: BareJID, _ payload: Element, in session: AccountSession
    ) -> Element? {
        session.connection.request(
            .set, payload,
            reply: onLoop(session) { account, reply, session in
                switch reply {
                case .result:
                    account.inLedger(of: session) { $0.answered(step, of: contact, refusal: nil) }
                case .error(let error):
                    let refusal = "\(step.rawValue) was refused by the server: \(error)"
                    account.inLedger(of: session) { $0.answered(step, of: contact, refusal: refusal) }
                case .noReply:
                    break
                }
            })
    }

    /// A reply's way back into the account, for as long as it arrives on the session's own connection.
    ///
    /// Replies arrive in reads, whose end commits what they brought.
    func onLoop(
        _ session: AccountSession,
        _ body: @escaping @Sendable (isolated Account, IQReply, AccountSession) -> Void
    ) -> @Sendable (IQReply) -> Void {
        let generation = generation
        return { reply in
            self.assumeIsolated { account in
                guard generation == account.generation, let session = account.session else { return }
                body(account, reply, session)
            }
        }
    }
}
