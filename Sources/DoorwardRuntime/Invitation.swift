package import DoorwardStore
package import XMPPCore

/// What an operator wants of a new invitation.
package struct InvitationOrder: Sendable {
    /// Uses that one may have.
    package static let uses = 1...10_000
    /// Seconds that one may live: a year at most.
    package static let seconds = 60...366 * 86_400
    /// A week.
    package static let usualSeconds = 7 * 86_400

    package var account: BareJID
    /// The name that the link offers for the account.
    package var name: String?
    /// The only one who may use it; nil for anybody.
    package var contact: BareJID?
    package var uses: Int
    package var seconds: Int

    package init(
        account: BareJID, name: String? = nil, contact: BareJID? = nil, uses: Int = 1, seconds: Int = usualSeconds
    ) {
        self.account = account
        self.name = name
        self.contact = contact
        self.uses = uses
        self.seconds = seconds
    }
}

/// A new invitation with its link, which is shown once and kept nowhere.
package struct Invitation: Sendable {
    package var row: InvitationRow
    package var token: String
    package var uri: String

    package init(row: InvitationRow, token: String, uri: String) {
        self.row = row
        self.token = token
        self.uri = uri
    }
}

/// What came of an order.
package enum InvitationOutcome: Sendable {
    case made(Invitation)
    /// The account has as many as it may have.
    case tooMany
    case noAccount
}
