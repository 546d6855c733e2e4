package import XMPPCore

/// What an operator does to a contact, as the journal has it before anything is sent.
package struct ContactAction: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case add, rename, group, remove
    }

    package var kind: Kind
    package var account: BareJID
    package var contact: BareJID
    /// The operator's name.
    package var by: String
    /// What of it, in words for the history.
    package var detail: String?
    /// The session in which it is sent.
    package var session: Int64

    package init(
        _ kind: Kind, account: BareJID, contact: BareJID, by name: String, detail: String? = nil, session: Int64
    ) {
        self.kind = kind
        self.account = account
        self.contact = contact
        by = name
        self.detail = detail
        self.session = session
    }
}
