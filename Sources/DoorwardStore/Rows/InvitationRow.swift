package import XMPPCore

/// An invitation to add an account: what is kept of its token, and who may use it how often until when.
package struct InvitationRow: Hashable, Sendable {
    /// Whether it lets anybody in.
    package enum State: String, Hashable, Sendable { case valid, expired, used, revoked }

    package var id: Int64
    package var account: BareJID
    /// The name that its link offers for the account.
    package var name: String?
    /// The only one who may use it; nil for anybody.
    package var contact: BareJID?
    package var uses: Int
    package var used: Int
    /// The operator's name.
    package var madeBy: String
    package var madeAt: Timestamp
    package var expiresAt: Timestamp
    package var revokedBy: String?
    package var revokedAt: Timestamp?

    package init(
        id: Int64, account: BareJID, name: String?, contact: BareJID?, uses: Int, used: Int = 0, madeBy: String,
        madeAt: Timestamp, expiresAt: Timestamp, revokedBy: String? = nil, revokedAt: Timestamp? = nil
    ) {
        self.id = id
        self.account = account
        self.name = name
        self.contact = contact
        self.uses = uses
        self.used = used
        self.madeBy = madeBy
        self.madeAt = madeAt
        self.expiresAt = expiresAt
        self.revokedBy = revokedBy
        self.revokedAt = revokedAt
    }

    /// Whether it lets anybody in at that moment.
    package func state(at moment: Timestamp) -> State {
        if revokedAt != nil { return .revoked }
        if used >= uses { return .used }
        return expiresAt.milliseconds <= moment.milliseconds ? .expired : .valid
    }
}

/// What came of revoking an invitation.
package enum RevocationOutcome: Hashable, Sendable {
    case done(InvitationRow)
    case notFound(id: Int64)
    /// It lets nobody in any more, so there is nothing to revoke.
    case ended(InvitationRow)
}
