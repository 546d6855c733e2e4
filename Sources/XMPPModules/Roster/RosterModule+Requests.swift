import XMPPClient
public import XMPPCore

/// What a program changes of a roster.
///
/// Each of these asks the server and is done once that has answered: `reply` is called once, in the module's isolation and
/// maybe before the call returns. The items change with the server's push, which may come before or behind the answer.
extension RosterModule {
    /// What becomes of a request.
    public typealias Reply = (Result<Void, RosterError>) -> Void

    /// Requests to see a contact of which an error is still known to belong to them; of further ones it is not.
    static let questionLimit = 1024

    // MARK: Items

    /// Sets name and groups of a contact, which is added where it is not there; its subscription stays.
    ///
    /// - Parameters:
    ///   - contact: Whose.
    ///   - name: Nil or empty is none.
    ///   - groups: All of them; empty and repeated ones are left out.
    ///   - reply: Told what became of it.
    public func set(_ contact: BareJID, name: String?, groups: [String], reply: @escaping Reply = { _ in }) {
        guard contact != account.bare else { return reply(.failure(RosterError(.ownAddress, contact))) }
        change(contact, name, groups, reply)
    }

    /// Renames a contact; it stays in its groups.
    ///
    /// - Parameters:
    ///   - contact: Whom.
    ///   - name: Nil or empty is none.
    ///   - reply: Told what became of it; `not_there` where it is not in the roster.
    public func rename(_ contact: BareJID, to name: String?, reply: @escaping Reply = { _ in }) {
        edit(contact, reply) { $0.name = name }
    }

    /// Puts a contact into one more group.
    public func add(_ contact: BareJID, toGroup group: String, reply: @escaping Reply = { _ in }) {
        edit(contact, reply) { setting in
            guard !setting.groups.contains(where: { sameBytes($0, group) }) else { return }
            setting.groups.append(group)
        }
    }

    /// Takes a contact out of a group.
    public func remove(_ contact: BareJID, fromGroup group: String, reply: @escaping Reply = { _ in }) {
        edit(contact, reply) { $0.groups.removeAll { sameBytes($0, group) } }
    }

    /// Removes a contact, and with it what each sees of the other: the server tells the contact (RFC 6121 section 2.5.2).
    ///
    /// An approval that was given ahead goes with it, and so does our request that the contact has not answered. A request
    /// that the contact has made stays: refuse it first.
    public func remove(_ contact: BareJID, reply: @escaping Reply = { _ in }) {
        guard isLoaded else { return reply(.failure(RosterError(.notLoaded, contact))) }
        guard isThere(contact) else { return reply(.failure(RosterError(.notThere, contact))) }
        if items[contact]?.asked == true {
            // Only a subscription is bound to end with the item (section 2.5.2): ejabberd leaves the request with the contact,
            // whose approval would then come to nobody.
            questions[contact] = nil
            if case .failure(let error) = send(.unsubscribe, to: contact) { return reply(.failure(error)) }
        }
        request(RosterPayload.remove(contact), contact) { [weak self] result in
            if case .success = result { self?.left(contact) }
            reply(result)
        }
    }

    // MARK: Subscriptions

    /// Adds a contact: first the item, and once the server has that, the request to see it.
    ///
    /// To a request nobody need answer, and for a user that does not exist most servers say nothing: what was asked shows as
    /// `asked` in the item. A server that is not there comes back as ``RosterEvent/refused(_:_:)``.
    ///
    /// - Parameters:
    ///   - contact: Whom: neither the account itself nor whoever is in the roster.
    ///   - name: Nil or empty is none.
    ///   - groups: Empty and repeated ones are left out.
    ///   - asks: Whether it asks to see the contact's presence.
    ///   - extensions: What goes along with the request, such as a nickname.
    ///   - reply: Told once the request is sent, or why there is none.
    public func add(
        _ contact: BareJID, name: String? = nil, groups: [String] = [], asks: Bool = true, extensions: [Element] = [],
        reply: @escaping Reply = { _ in }
    ) {
        if let error = refusalToAdd(contact) { return reply(.failure(error)) }
        change(contact, name, groups) { [weak self] result in
            guard case .success = result, asks else { return reply(result) }
            // Another client may have been faster, or the contact itself.
            guard let self, !items.isSeen(contact) else { return reply(result) }
            reply(send(.subscribe, to: contact, extensions))
        }
    }

    /// Asks to see a contact's presence.
    ///
    /// - Parameters:
    ///   - contact: Whom: neither the account itself nor one that it sees.
    ///   - extensions: What goes along with the request.
    /// - Throws: `own_address`, `already_there`, or `offline`.
    public func ask(_ contact: BareJID, extensions: [Element] = []) throws(RosterError) {
        guard contact != account.bare else { throw RosterError(.ownAddress, contact) }
        guard !items.isSeen(contact) else { throw RosterError(.alreadyThere, contact) }
        try send(.subscribe, to: contact, extensions).get()
    }

    /// Takes the request to see a contact back, or no longer wants to see it; the item stays.
    ///
    /// - Throws: `offline`.
    public func unsubscribe(from contact: BareJID) throws(RosterError) {
        questions[contact] = nil
        try send(.unsubscribe, to: contact).get()
        tell(.left(contact))
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
    public func received(presence: Presence) {
        guard case .error = presence.type, let contact = presence.from?.bare, let id = presence.id,
            let asked = questions[contact], sameBytes(asked, id)
        else { return }
        questions[contact] = nil
        let error =
            presence.element.first("error", Namespace.client).map { StanzaError($0) }
            ?? StanzaError(.undefinedCondition)
        // Not an answer to the error: it tells our server, which would go on asking at each login. One to wait for says that
        // asking is right.
        if error.kind != .wait { _ = send(.unsubscribe, to: contact) }
        tell(.refused(contact, error))
    }

    // MARK: Parts

    private func refusalToAdd(_ contact: BareJID) -> RosterError? {
        if contact == account.bare { return RosterError(.ownAddress, contact) }
        if !isLoaded { return RosterError(.notLoaded, contact) }
        if isThere(contact) { return RosterError(.alreadyThere, contact) }
        return nil
    }

    /// Whether a contact is there as far as is known: with what the server has confirmed and not pushed yet.
    private func isThere(_ contact: BareJID) -> Bool {
        settings[contact] != nil || (items.contains(contact) && !leaving.contains(contact))
    }

    /// Takes what came of a setting, which ends once nothing is to come.
    func settle(_ contact: BareJID, _ body: (inout RosterSetting) -> Void) {
        guard var setting = settings[contact] else { return }
        body(&setting)
        settings[contact] = setting.isOver(items[contact]) ? nil : setting
    }

    private func left(_ contact: BareJID) {
        settings[contact] = nil
        if items.contains(contact) { leaving.insert(contact) }
    }

    private func edit(_ contact: BareJID, _ reply: @escaping Reply, _ body: (inout RosterSetting) -> Void) {
        guard isLoaded else { return reply(.failure(RosterError(.notLoaded, contact))) }
        guard
            var setting = settings[contact]
                ?? items[contact].flatMap({
                    isThere(contact) ? RosterSetting(name: $0.name, groups: $0.groups) : nil
                })
        else { return reply(.failure(RosterError(.notThere, contact))) }
        body(&setting)
        change(contact, setting.name, setting.groups, reply)
    }

    private func change(_ contact: BareJID, _ name: String?, _ groups: [String], _ reply: @escaping Reply) {
        leaving.remove(contact)
        settings[contact, default: RosterSetting(name: name, groups: groups)].ask(name: name, groups: groups)
        request(RosterPayload.set(contact, name: name, groups: groups), contact) { [weak self] result in
            var isRefused = false
            if case .failure = result { isRefused = true }
            self?.settle(contact) { $0.answer(isRefused: isRefused) }
            reply(result)
        }
    }

    private func request(_ payload: Element, _ contact: BareJID, _ reply: @escaping Reply) {
        guard let session else { return reply(.failure(RosterError(RosterError.Code.offline, contact))) }
        session.request(.set, payload) { answer in
            reply(answer.map { _ in () }.mapError { RosterError($0, contact) })
        }
    }

    private func send(
        _ stanza: SubscriptionStanza, to contact: BareJID, _ extensions: [Element] = []
    ) -> Result<Void, RosterError> {
        guard let session else { return .failure(RosterError(RosterError.Code.offline, contact)) }
        let id = session.makeID()
        let presence = Presence(stanza.type, to: JID(contact), id: id, children: extensions)
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
