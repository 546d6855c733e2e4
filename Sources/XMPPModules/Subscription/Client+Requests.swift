public import XMPPClient
public import XMPPCore

/// The requests to see a client, for programs that wait: what its ``SubscriptionModule`` does.
extension Client {
    /// The requests that this session has brought and nobody has answered: ``SubscriptionModule/pending``.
    public var pendingRequests: [SubscriptionRequest] { withModule(SubscriptionModule.self) { $0.pending } ?? [] }

    /// Lets a contact see the account that has asked for it in this session.
    ///
    /// - Parameters:
    ///   - contact: One of ``pendingRequests``.
    ///   - asksBack: Whether the account asks to see the contact too, where it does not see it and has not asked.
    ///   - extensions: What goes along with that question, such as a nickname.
    /// - Throws: As ``SubscriptionModule/accept(_:asksBack:extensions:)``; `offline` where there was no session yet, or no
    ///   such module.
    public func acceptRequest(
        of contact: BareJID, asksBack: Bool = false, extensions: [Element] = []
    ) throws(RosterError) {
        try answer(contact) { module throws(RosterError) in
            try module.accept(contact, asksBack: asksBack, extensions: extensions)
        }
    }

    /// Refuses the request of a contact; it may ask again.
    ///
    /// - Throws: As ``SubscriptionModule/reject(_:)``; `offline` where there was no session yet, or no such module.
    public func rejectRequest(of contact: BareJID) throws(RosterError) {
        try answer(contact) { module throws(RosterError) in try module.reject(contact) }
    }

    /// No longer lets a contact see the account; its item stays.
    ///
    /// - Throws: As ``SubscriptionModule/revoke(_:)``; `offline` where there was no session yet, or no such module.
    public func revokePresence(from contact: BareJID) throws(RosterError) {
        try answer(contact) { module throws(RosterError) in try module.revoke(contact) }
    }

    private func answer(
        _ contact: BareJID, _ body: @Sendable (SubscriptionModule) throws(RosterError) -> Void
    ) throws(RosterError) {
        guard try withModule(SubscriptionModule.self, body) != nil else {
            throw RosterError(RosterError.Code.offline, contact)
        }
    }
}
