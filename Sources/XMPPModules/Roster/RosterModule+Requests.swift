import XMPPClient
public import XMPPCore

/// What a program changes of a roster.
///
/// Each of these asks the server and is done once that has answered: `reply` is called once, in the module's isolation and
/// maybe before the call returns. The items change with the server's push, which may come before or behind the answer.
extension RosterModule {
    /// What becomes of a request.
    public typealias Reply = (Result<Void, RosterError>) -> Void

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

    // MARK: Parts

    /// Name and groups as they were last asked for, else as they are.
    func setting(of contact: BareJID) -> RosterSetting? {
        settings[contact] ?? items[contact].map { RosterSetting(name: $0.name, groups: $0.groups) }
    }

    /// Whether a contact is there as far as is known: with what the server has confirmed and not pushed yet.
    func isThere(_ contact: BareJID) -> Bool {
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
        guard var setting = isThere(contact) ? setting(of: contact) : nil else {
            return reply(.failure(RosterError(.notThere, contact)))
        }
        body(&setting)
        change(contact, setting.name, setting.groups, reply)
    }

    func change(_ contact: BareJID, _ name: String?, _ groups: [String], _ reply: @escaping Reply) {
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
}
