import XMPPClient
public import XMPPCore

/// What a program answers to those who ask to see the account.
extension SubscriptionModule {
    /// The requests that this session has brought and nobody has answered, each once, the oldest first.
    ///
    /// An answer ends one, and so does its sender who takes it back, and another client that accepts it. What a program
    /// sends past this module does not.
    ///
    /// At most 1,024 of them, with at most 1 MiB of words; over that the oldest are forgotten, and the server delivers them
    /// again at the next login.
    public var pending: [SubscriptionRequest] { requests.inOrder }

    /// Lets a contact see the account that has asked for it in this session.
    ///
    /// Without its request the same stanza would approve it ahead (RFC 6121 section 3.4), and whoever asks for that address
    /// later would be let in without anybody having looked at it: that is ``RosterModule/preApprove(_:)``. A request that is
    /// taken back while the answer is on its way leaves such an approval behind where the server keeps them: removing the
    /// item takes it back.
    ///
    /// - Parameters:
    ///   - contact: One of ``pending``.
    ///   - asksBack: Whether the account asks to see the contact too, where it does not see it and has not asked.
    ///   - extensions: What goes along with that question, such as a nickname.
    /// - Throws: `not_asked` where no request of the contact is open; `not_loaded` where it is to ask back and knows no
    ///   roster; `offline`.
    public func accept(
        _ contact: BareJID, asksBack: Bool = false, extensions: [Element] = []
    ) throws(RosterError) {
        if asksBack, roster == nil { throw RosterError(.notLoaded, contact) }
        try answer(contact, .subscribed)
        approving.insert(contact)
        guard asksBack, let roster, !roster.items.isSeen(contact), roster.items[contact]?.asked != true else { return }
        try roster.ask(contact, extensions: extensions)
    }

    /// Refuses the request of a contact; it may ask again.
    ///
    /// - Parameter contact: One of ``pending``.
    /// - Throws: `not_asked` where no request of the contact is open; `offline`.
    public func reject(_ contact: BareJID) throws(RosterError) { try answer(contact, .unsubscribed) }

    /// No longer lets a contact see the account; its item stays (RFC 6121 section 3.2).
    ///
    /// - Parameter contact: One whose subscription is `from` or `both`, or that this session has accepted.
    /// - Throws: `not_seeing` where the contact does not see the account; `not_loaded`, `offline`.
    public func revoke(_ contact: BareJID) throws(RosterError) {
        guard let roster, roster.isLoaded else { throw RosterError(.notLoaded, contact) }
        guard roster.items[contact]?.seesAccount == true || approving.contains(contact) else {
            throw RosterError(.notSeeing, contact)
        }
        try send(.unsubscribed, to: contact)
        approving.remove(contact)
    }

    private func answer(_ contact: BareJID, _ stanza: SubscriptionStanza) throws(RosterError) {
        guard requests.contains(contact) else { throw RosterError(.notAsked, contact) }
        try send(stanza, to: contact)
    }

    private func send(_ stanza: SubscriptionStanza, to contact: BareJID) throws(RosterError) {
        guard let session else { throw RosterError(RosterError.Code.offline, contact) }
        do throws(ClientError) {
            try session.send([SubscriptionPayload.presence(stanza.type, to: contact, id: session.makeID())])
        } catch {
            throw RosterError(error, contact)
        }
        requests.end(contact)
    }
}
