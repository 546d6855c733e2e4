import DoorwardPolicy
import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules

/// Recording and sending: the one place where decisions become transactions and then stanzas.
extension Account {
    /// How many answers go out before the server must have answered a ping behind them.
    ///
    /// It keeps the number of our outstanding requests and the unread output small, however many requests arrive at
    /// once.
    private static let burst = 100

    // MARK: Recording

    /// Commits what has gathered, in one transaction.
    ///
    /// While one is under way, the rest waits for the next.
    func commitSoon() {
        guard let session, !session.isCommitting, !session.changes.isEmpty else { return }
        session.isCommitting = true
        let generation = generation
        // Unstructured: it exists only while there is something to write, and the stream goes on meanwhile. A session
        // that ended ignores what comes back; its rows are read anew by the next one.
        Task.immediate { await self.commit(generation) }
    }

    private func commit(_ generation: Int) async {
        while generation == self.generation, let session, let number = session.ledger?.session, !session.changes.isEmpty
        {
            let changes = session.changes
            session.changes = []
            do {
                let rows = try await environment.store.commit(
                    account: jid, session: number, at: now, changes: changes)
                // The session is read again: it may have ended while the disk was busy.
                guard generation == self.generation, self.session != nil else { return }
                report(changes, rows)
                inLedger { $0.committed(changes, rows: rows, item: rosterFact) }
                deskHasRoom()
            } catch {
                guard generation == self.generation else { return }
                // Without a record nothing is sent. The server delivers all of it again at the next login.
                self.session?.connection.abandon("the store failed: \(error)")
                return
            }
        }
        if generation == self.generation { session?.isCommitting = false }
    }

    private func report(_ changes: [RequestChange], _ rows: [RequestRow?]) {
        for (change, row) in zip(changes, rows) {
            guard let row else { continue }
            switch change {
            case .opened(_, let record), .redelivered(_, let record?):
                environment.events(.decided(row, by: record.by.rawValue))
            case .closed(_, let closure):
                environment.events(.closed(row, reason: closure.reason))
            case .confirmed(_, let steps) where steps.contains(.verdict):
                environment.events(.confirmed(row))
            case .redelivered, .written, .confirmed, .dropped:
                break
            }
        }
    }

    // MARK: Sending

    func send(_ effects: [RequestLedger.Effect]) {
        guard !effects.isEmpty else { return }
        session?.effects += effects
        sendNext()
    }

    private func sendNext() {
        guard let session, !session.isSending, !session.effects.isEmpty else { return }
        let burst = session.effects.prefix(Self.burst)
        session.effects.removeFirst(burst.count)
        session.isSending = true
        var stanzas: [Element] = []
        var sent: [(contact: BareJID, steps: [OutboxStep.Kind])] = []
        for effect in burst {
            switch effect {
            case .send(let contact, let decision, let steps):
                stanzas += steps.compactMap { stanza(for: $0, of: decision, to: contact) }
                sent.append((contact, steps))
            case .takeBack(let contact, let removingItem):
                stanzas += takingBack(contact, removingItem: removingItem)
            }
        }
        let written = sent
        // Behind all of them: the server answers stanzas in order (RFC 6120 section 10.1), so its answer to this one
        // says that it has processed the others.
        let ping = session.connection.request(
            .get, to: JID(jid.server), PingPayload.get(),
            reply: onLoop(generation) { account, reply in
                account.burstAnswered(written, reply)
            })
        session.connection.send(stanzas + [ping].compactMap { $0 })
    }

    private func burstAnswered(_ sent: [(contact: BareJID, steps: [OutboxStep.Kind])], _ reply: IQReply) {
        session?.isSending = false
        if case .noReply = reply {
            session?.connection.abandon("the server did not answer")
            return
        }
        inLedger { $0.acknowledged(sent, item: rosterFact) }
        commitSoon()
        sendNext()
    }

    private func stanza(for step: OutboxStep.Kind, of decision: Decision, to contact: BareJID) -> Element? {
        switch (step, decision) {
        case (.verdict, .accept):
            return SubscriptionPayload.presence(.subscribed, to: contact)
        case (.verdict, .reject):
            return SubscriptionPayload.presence(.unsubscribed, to: contact)
        case (.subscribeBack, .accept):
            return SubscriptionPayload.presence(.subscribe, to: contact)
        case (.rosterSet, .accept(let acceptance)):
            return request(.rosterSet, of: contact, rosterSet(contact, acceptance))
        case (.block, .reject):
            guard session?.canBlock == true else {
                session?.changes.append(
                    .dropped(contact: contact, steps: [.block], reason: RequestDecider.cannotBlock))
                return nil
            }
            return request(.block, of: contact, BlockingPayload.block(contact))
        case (_, .ask), (_, .ignore), (.rosterSet, .reject), (.subscribeBack, .reject), (.block, .accept):
            return nil
        }
    }

    /// An item is set as a whole: what the roster already has is kept, or the server would forget it.
    private func rosterSet(_ contact: BareJID, _ acceptance: Acceptance) -> Element {
        let item = session?.roster?.items[contact]
        var groups = item?.groups ?? []
        for group in acceptance.groups where !groups.contains(where: { $0.utf8.elementsEqual(group.utf8) }) {
            groups.append(group)
        }
        return RosterPayload.set(contact, name: acceptance.name ?? item?.name, groups: groups)
    }

    /// Removing the item clears a pre-approval, `unsubscribed` does not (Prosody); an item that was there before is set
    /// again instead, which clears it too.
    private func takingBack(_ contact: BareJID, removingItem: Bool) -> [Element] {
        let item = session?.roster?.items[contact]
        let payload =
            removingItem
            ? RosterPayload.remove(contact)
            : RosterPayload.set(contact, name: item?.name, groups: item?.groups ?? [])
        // An error means that there was nothing to take back.
        let request = session?.connection.request(
            .set, payload,
            reply: onLoop(generation) { account, reply in
                if case .noReply = reply { return }
                account.inLedger { $0.tookBack(contact) }
                account.commitSoon()
            })
        return [request].compactMap { $0 }
    }

    private func request(_ step: OutboxStep.Kind, of contact: BareJID, _ payload: Element) -> Element? {
        session?.connection.request(
            .set, payload,
            reply: onLoop(generation) { account, reply in
                switch reply {
                case .result:
                    account.inLedger { $0.answered(step, of: contact, refusal: nil) }
                case .error(let error):
                    let refusal = "\(step.rawValue) was refused by the server: \(error)"
                    account.inLedger { $0.answered(step, of: contact, refusal: refusal) }
                case .noReply:
                    break
                }
                account.commitSoon()
            })
    }

    // MARK: Parts

    func request(
        _ type: IQType, to recipient: JID? = nil, _ payload: Element, _ generation: Int,
        reply: @escaping @Sendable (isolated Account, IQReply) -> Void
    ) {
        guard let connection = session?.connection else { return }
        let stanza = connection.request(type, to: recipient, payload, reply: onLoop(generation, reply))
        connection.send([stanza].compactMap { $0 })
    }

    /// A reply's way back into the account, for as long as the session it belongs to lasts.
    private func onLoop(
        _ generation: Int, _ body: @escaping @Sendable (isolated Account, IQReply) -> Void
    ) -> @Sendable (IQReply) -> Void {
        { reply in
            self.assumeIsolated { account in
                guard generation == account.generation, account.session != nil else { return }
                body(account, reply)
            }
        }
    }

    /// A request finds no room: an operator must know.
    ///
    /// The alert is over when the ledger has emptied by a tenth.
    func deskIsFull() {
        guard let session, !session.isFull else { return }
        session.isFull = true
        let text = """
            over \(RequestLedger.limit) requests are unfinished; further ones wait at the server until some are answered
            """
        // Unstructured: the alert is a row of its own, and the stream does not wait for it.
        Task.immediate {
            let alert = try? await environment.store.raiseAlert(
                code: AlertCode.deskFull, account: jid, text: text, at: now)
            if let alert { environment.events(.alertRaised(alert)) }
        }
    }

    /// Emptied by a tenth, so that the alert does not come and go with every request.
    func deskHasRoom() {
        guard let session, session.isFull, !isDeskFull else { return }
        session.isFull = false
        clearDeskFull()
    }

    var isDeskFull: Bool { session?.ledger.map { $0.count >= RequestLedger.limit / 10 * 9 } ?? false }

    func clearDeskFull() {
        // Unstructured, as when it was raised.
        Task.immediate {
            let code = AlertCode.deskFull
            guard (try? await environment.store.clearAlert(code: code, account: jid, at: now)) == true else { return }
            environment.events(.alertCleared(code: code, account: jid))
        }
    }
}
