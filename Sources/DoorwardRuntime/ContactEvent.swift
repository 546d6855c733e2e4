import DoorwardStore
package import XMPPCore

/// Something that happened to a contact.
package struct ContactEvent: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// An operator did it, or a trusted service suggested it; `asked` is one who was in the list.
        case added, asked, renamed, grouped, removed
        /// The same, of a contact that stays: the account no longer sees it, or it the account.
        case unsubscribed, revoked
        /// Found at a login: another client, or the server, did it while the account was away.
        case cameWhileAway = "came_while_away"
        case changedWhileAway = "changed_while_away"
        case wentWhileAway = "went_while_away"
        /// A server refused to hand over that we ask.
        case refused
        /// It could not do so yet; it is asked again.
        case delayed
        /// The contact lets the account see it, refused to, or no longer does.
        case approved, denied, cancelled
        /// An operator has approved one who is in the list ahead.
        case preapproved
        /// The server has let in one who was approved ahead.
        case letIn = "let_in"
    }

    package var kind: Kind
    package var account: BareJID
    /// Nil where it is about several.
    package var contact: BareJID?
    /// The operator's name.
    package var `operator`: String?
    /// What of it, in words.
    package var detail: String?

    package init(
        _ kind: Kind, account: BareJID, contact: BareJID?, operator: String? = nil, detail: String? = nil
    ) {
        self.kind = kind
        self.account = account
        self.contact = contact
        self.operator = `operator`
        self.detail = detail
    }
}
