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
    /// Whether the account's server is asked for it (XEP-0401), so that its link may make an account there too.
    package var asksServer: Bool

    package init(
        account: BareJID, name: String? = nil, contact: BareJID? = nil, uses: Int = 1, seconds: Int = usualSeconds,
        asksServer: Bool = false
    ) {
        self.account = account
        self.name = name
        self.contact = contact
        self.uses = uses
        self.seconds = seconds
        self.asksServer = asksServer
    }
}

/// A new invitation with its link, which is shown once and kept nowhere.
package struct Invitation: Sendable {
    package var row: InvitationRow
    package var token: String
    package var uri: String
    /// What came of asking the account's server; nil where it was not asked.
    ///
    /// Other than done, the link is ours alone.
    package var server: OrderOutcome?
    /// A page of the server that explains the link.
    package var page: String?
    /// Whether the link lets its bearer make an account on the server.
    package var registers: Bool

    package init(
        row: InvitationRow, token: String, uri: String, server: OrderOutcome? = nil, page: String? = nil,
        registers: Bool = false
    ) {
        self.row = row
        self.token = token
        self.uri = uri
        self.server = server
        self.page = page
        self.registers = registers
    }
}

/// What came of an order.
package enum InvitationOutcome: Sendable {
    case made(Invitation)
    /// The account has as many as it may have.
    case tooMany
    case noAccount
}
