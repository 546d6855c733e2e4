import XMPPClient
public import XMPPCore

/// Whom the account asks to see, and what becomes of that.
extension RosterModule {
    /// Requests to see a contact of which an error is still known to belong to them; of further ones it is not.
    static let questionLimit = 1024

    /// Adds a contact: first the item, and once the server has that, the request to see it.
    ///
    /// One who is in the roster and is neither seen nor asked, since it added the account or has refused, is asked; its name
    /// and groups stay where no others are given.
    ///
    /// To a request nobody need answer, and for a user that does not exist most servers say nothing: what was asked shows as
    /// `asked` in the item. A server that is not there comes back as ``RosterEvent/refused(_:_:)``.
    ///
    /// - Parameters:
    ///   - contact: Whom: neither the account itself nor whoever is seen or was asked.
    ///   - name: Nil or empty is none, or the one that it has.
    ///   - groups: Empty and repeated ones are left out; none are those that it has.
    ///   - asks: Whether it asks to see the contact's presence; else whoever is in the roster is there already.
    ///   - extensions: What goes along with the request, such as a nickname.
    ///   - reply: Told once the request is sent, or why there is none.
    public func add(
        _ contact: BareJID, name: String? = nil, groups: [String] = [], asks: Bool = true, extensions: [Element] = [],
        reply: @escaping Reply = { _ in }
    ) {
        if let error = refusalToAdd(contact, asks: asks) { return reply(.failure(error)) }
        let finish: Reply = { [weak self] result in
            guard case .success = result, asks else { return reply(result) }
            // Another client may have been faster, or the contact itself.
            guard let self, !items.isSeen(contact) else { return reply(result) }
            reply(send(.subscribe, to: contact, extensions))
        }
        guard let known = isThere(contact) ? setting(of: contact) : nil else {
            return change(contact, name, groups, finish)
        }
        let newName = name.flatMap { $0.isEmpty ? nil : $0 }
        guard newName != nil || !groups.isEmpty else { return finish(.success(())) }
        change(contact, newName ?? known.name, groups.isEmpty ? known.groups : groups, finish)
    }

    /// Asks to see a contact's presence.
    ///
    /// - Parameters:
    ///   - contact: Whom: neither the account itself nor one that it sees or has asked; to ask those again is
    ///     ``askAgain(_:)``.
    ///   - extensions: What goes along with the request.
    /// - Throws: `own_address`, `already_there`, or `offline`.
    public func ask(_ contact: BareJID, extensions: [Element] = []) throws(RosterError) {
        guard contact != account.bare else { throw RosterError(.ownAddress, contact) }
        guard !items.isSeen(contact), items[contact]?.asked != true else { throw RosterError(.alreadyThere, contact) }
        try send(.subscribe, to: contact, extensions).get()
    }

    /// Asks once more whoever was asked and has not answered: an error to wait for said that the request could not be handed
    /// over yet, and not every server tries again.
    ///
    /// - Throws: `not_there` where nobody is asked; `offline`.
    public func askAgain(_ contact: BareJID) throws(RosterError) {
        guard items[contact]?.asked == true else { throw RosterError(.notThere, contact) }
        try send(.subscribe, to: contact).get()
    }

    /// Takes the request to see a contact back, or no longer wants to see it; the item stays.
    ///
    /// - Throws: `offline`.
    public func unsubscribe(from contact: BareJID) throws(RosterError) {
        questions[contact] = nil
        try send(.unsubscribe, to: contact).get()
        tell(.left(contact))
    }

    /// No longer lets a contact see the account; the item stays (RFC 6121 section 3.2).
    ///
    /// - Throws: `not_seeing` where the contact does not see the account; `offline`.
    package func revoke(_ contact: BareJID) throws(RosterError) {
        guard items[contact]?.seesAccount == true else { throw RosterError(.notSeeing, contact) }
        try send(.unsubscribed, to: contact).get()
    }

    /// Approves a contact before it asks: its request is then answered by the server, and nobody hears of it.
    ///
    /// It is taken back by removing the item, not by `unsubscribed` (Prosody keeps it).
    ///
    /// - Throws: `not_offered` where the server keeps no such thing, when sending it would do something else or nothing;
    ///   `already_there` where the contact sees the account; `own_address`, `not_loaded`, `offline`.
    public func preApprove(_ contact: BareJID) throws(RosterError) {
        guard contact != account.bare else { throw RosterError(.ownAddress, contact) }
        guard isLoaded else { throw RosterError(.notLoaded, contact) }
        guard session?.features?.preApprovals == true else { throw RosterError(.notOffered, contact) }
        guard SubscriptionState(items[contact], isPendingIn: false).sent(.subscribed).isPreApproval else {
            throw RosterError(.alreadyThere, contact)
        }
        try send(.subscribed, to: contact).get()
    }

    /// An error that one of our requests came back as.
    ///
    /// Also one of a session before, which the server sends again at a login: of that no id is known, but that the contact is
    /// asked.
    public func received(presence: Presence) {
        guard case .error = presence.type, let from = presence.from else { return }
        let contact = from.bare
        if let asked = questions[contact] {
            guard let id = presence.id, sameBytes(asked, id) else { return }
            questions[contact] = nil
            refusals.insert(contact)
        } else {
            // Once in a session: what is said again tells nothing new.
            guard from.resource == nil, items[contact]?.asked == true, refusals.insert(contact).inserted else { return }
        }
        let error =
            presence.element.first("error", Namespace.client).map { StanzaError($0) }
            ?? StanzaError(.undefinedCondition)
        // Not an answer to the error: it tells our server, which would go on asking at each login. One to wait for says that
        // asking is right.
        if error.kind != .wait { _ = send(.unsubscribe, to: contact) }
        tell(.refused(contact, error))
    }

    // MARK: Parts

    private func refusalToAdd(_ contact: BareJID, asks: Bool) -> RosterError? {
        if contact == account.bare { return RosterError(.ownAddress, contact) }
        if !isLoaded { return RosterError(.notLoaded, contact) }
        guard isThere(contact) else { return nil }
        guard asks, questions[contact] == nil, settings[contact]?.isAnswered ?? true else {
            // Its item is being set, or it was asked just now.
            return RosterError(.alreadyThere, contact)
        }
        let item = items[contact]
        return item?.isSeen == true || item?.asked == true ? RosterError(.alreadyThere, contact) : nil
    }

    func send(
        _ stanza: SubscriptionStanza, to contact: BareJID, _ extensions: [Element] = []
    ) -> Result<Void, RosterError> {
        guard let session else { return .failure(RosterError(RosterError.Code.offline, contact)) }
        let id = session.makeID()
        var children = extensions
        let hasNick = children.contains { $0.matches("nick", Namespace.nick) }
        if stanza == .subscribe, !hasNick, let nickname, !nickname.isEmpty {
            children.append(SubscriptionPayload.nick(nickname))
        }
        let presence = Presence(stanza.type, to: JID(contact), id: id, children: children)
        do throws(ClientError) {
            try session.send([presence.element])
        } catch {
            return .failure(RosterError(error, contact))
        }
        if stanza == .subscribe, questions.count < Self.questionLimit { questions[contact] = id }
        return .success(())
    }
}

extension Roster {
    /// Whether the account sees that contact.
    func isSeen(_ jid: BareJID) -> Bool {
        switch subscription(of: jid) {
        case .to, .both: true
        case .none, .from: false
        }
    }
}
