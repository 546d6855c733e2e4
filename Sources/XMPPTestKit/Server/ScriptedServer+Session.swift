public import XMPPCore
import XMPPTransport

/// What a server does for a bound session (RFC 6121).
extension ScriptedServer {
    func handle(_ received: ReceivedElement, _ jid: BareJID, _ number: Int) {
        counted(received.element, number)
        switch reaction?(received) ?? .usual {
        case .usual: break
        case .nothing: return
        case .send(let xml): return send(xml, to: jid)
        }
        if received.element.namespace == Names.streamManagement { return manage(received.element, number) }
        let stanza = Stanza(received.element)
        if stanza != nil, interrupt(.stanza, number) { return }
        if let stanza, !rooms.isEmpty, tookRoom(stanza, jid) { return }
        switch stanza {
        case .presence(let presence):
            handle(presence, jid, number)
        case .iq(let iq):
            if let answer = answer(iq, jid) { connections[number]?.answers.append(answer) }
            if behaviour.answers.order == .asAsked, behaviour.answers.held == nil { sendAnswers(number) }
            for push in pushes { self.push(push, to: jid) }
            pushes = []
        case .message(let message):
            route(message, from: number)
        case nil:
            break
        }
    }

    /// A read is over, or one request of it is answered: sends the answers that wait, unless more are to wait with them.
    func sendAnswers(_ number: Int) {
        guard let held = connections[number]?.answers, !held.isEmpty, held.count >= behaviour.answers.held ?? 0 else {
            return
        }
        connections[number]?.answers = []
        transmit(behaviour.answers.arranged(held), on: number)
    }

    /// To another account of this server; to nobody else.
    private func route(_ message: Message, from number: Int) {
        guard let recipient = message.to?.bare, accounts[recipient] != nil else { return }
        var stanza = message.element
        stanza[attribute: "from"] = connections[number]?.jid?.description
        deliver(stanza, to: recipient)
    }

    private func handle(_ presence: Presence, _ jid: BareJID, _ number: Int) {
        guard let contact = presence.to?.bare else {
            guard presence.type == .available, accounts[jid]?.isAvailable == false else { return }
            accounts[jid]?.isAvailable = true
            deliverRequests(of: jid, on: number)
            events.record(.available(jid, connection: number))
            return
        }
        let keeps = behaviour.keepsPreApprovals
        if let item = accounts[jid]?.sent(presence.type, to: contact, keepsPreApprovals: keeps) { push(item, to: jid) }
        if presence.type == .subscribe, behaviour.unreachableDomains.contains(contact.domain) {
            bounce(presence, of: contact, to: jid)
        }
    }

    /// As servers do whose partner cannot be found: behind the push, with the id of the request.
    private func bounce(_ presence: Presence, of contact: BareJID, to jid: BareJID) {
        var stanza = Presence(
            .error, to: JID(jid), id: presence.id,
            children: [
                StanzaError(.remoteServerNotFound).element
            ]
        ).element
        stanza[attribute: "from"] = contact.description
        deliver(stanza, to: jid)
    }

    private func deliverRequests(of jid: BareJID, on number: Int) {
        guard behaviour.deliversRequests else { return }
        let stanzas = accounts[jid]?.requests.map(\.stanza) ?? []
        if behaviour.deliversAtOnce {
            transmit(stanzas, on: number)
        } else {
            for stanza in stanzas { transmit([stanza], on: number) }
        }
    }

    private func answer(_ iq: IQ, _ jid: BareJID) -> Element? {
        guard iq.type == .get || iq.type == .set, let payload = iq.payload else { return nil }
        if payload.matches("query", Namespace.roster) {
            return iq.type == .get ? rosterAnswer(iq, jid) : rosterSet(iq, payload, jid)
        }
        if payload.matches("query", Namespace.discoInfo) {
            guard behaviour.answersDiscovery else { return nil }
            let names =
                [Namespace.discoInfo, Namespace.ping] + (behaviour.announcesBlocking ? [Namespace.blocking] : [])
            let features = names.map {
                Element.Node.element(
                    Element("feature", namespace: Namespace.discoInfo, attributes: [.init("var", $0)])
                )
            }
            return reply(iq, Element("query", namespace: Namespace.discoInfo, children: features))
        }
        if payload.matches("ping", Namespace.ping) { return behaviour.answersPings ? reply(iq, nil) : nil }
        if payload.namespace == Namespace.blocking { return blockingAnswer(iq, payload, jid) }
        return error(iq, .serviceUnavailable)
    }

    private func rosterAnswer(_ iq: IQ, _ jid: BareJID) -> Element? {
        guard behaviour.answersRoster else { return nil }
        if let refusal = behaviour.rosterRefusal { return error(iq, refusal) }
        let items = accounts[jid]?.roster.map { Element.Node.element($0.element) } ?? []
        var query = Element("query", namespace: Namespace.roster, children: items)
        if behaviour.keepsRosterVersions, let version = accounts[jid]?.rosterVersion {
            // As Prosody does: all, or nothing where nothing has changed.
            guard iq.payload?[attribute: "ver"] != String(version) else { return reply(iq, nil) }
            query[attribute: "ver"] = String(version)
        }
        return reply(iq, query)
    }

    private func rosterSet(_ iq: IQ, _ query: Element, _ jid: BareJID) -> Element? {
        if let refusal = behaviour.rosterSetRefusal { return error(iq, refusal) }
        guard let item = query.first("item", Namespace.roster), let push = accounts[jid]?.set(item) else {
            return error(iq, .itemNotFound)
        }
        pushes.append(push)
        return reply(iq, nil)
    }

    private func blockingAnswer(_ iq: IQ, _ payload: Element, _ jid: BareJID) -> Element? {
        guard behaviour.announcesBlocking else { return error(iq, .serviceUnavailable) }
        if payload.name == "blocklist" {
            guard behaviour.answersBlockList else { return nil }
            let items = (accounts[jid]?.blocked ?? []).map {
                Element.Node.element(
                    Element("item", namespace: Namespace.blocking, attributes: [.init("jid", $0.description)])
                )
            }
            return reply(iq, Element("blocklist", namespace: Namespace.blocking, children: items))
        }
        let items = payload.elements.compactMap { $0[attribute: "jid"] }.compactMap { try? JID($0) }
        switch payload.name {
        case "block": accounts[jid]?.blocked += items
        case "unblock": accounts[jid]?.blocked.removeAll { items.isEmpty || items.contains($0) }
        default: return error(iq, .badRequest)
        }
        return reply(iq, nil)
    }

    /// As servers answer: from whom it was sent to.
    private func reply(_ iq: IQ, _ payload: Element?) -> Element {
        var answer = iq.result(payload)
        answer[attribute: "from"] = iq.to?.description
        return answer
    }

    private func error(_ iq: IQ, _ condition: StanzaError.Condition) -> Element {
        var answer = StanzaError.reply(to: iq, condition: condition)
        answer[attribute: "from"] = iq.to?.description
        return answer
    }

    /// Takes a contact out of a roster as another client of the account would.
    public func remove(_ contact: BareJID, from jid: BareJID) {
        let attributes = [Element.Attribute("jid", contact.description), .init("subscription", "remove")]
        let item = Element("item", namespace: Namespace.roster, attributes: attributes)
        if let push = accounts[jid]?.set(item) { self.push(push, to: jid) }
    }

    func push(_ item: Element, to jid: BareJID) {
        lastPush += 1
        accounts[jid]?.rosterVersion += 1
        var query = Element("query", namespace: Namespace.roster, children: [.element(item)])
        if behaviour.keepsRosterVersions, let version = accounts[jid]?.rosterVersion {
            query[attribute: "ver"] = String(version)
        }
        deliver(IQ(.set, to: nil, id: "push-\(lastPush)", payload: query).element, to: jid)
    }
}
