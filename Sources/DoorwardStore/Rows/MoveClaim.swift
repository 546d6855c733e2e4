package import XMPPCore

/// That the one who asks is a contact under another address (XEP-0283).
package struct MoveClaim: Hashable, Sendable {
    /// How sure it is.
    package enum State: String, Hashable, Sendable {
        /// Nobody but the one who asks says so.
        case claimed
        /// The old address says so too; it sees the account.
        case verified
        /// The same, and the account sees it too.
        case verifiedBoth = "verified_both"
    }

    /// The contact's address so far.
    package var from: BareJID
    package var state: State

    package init(from: BareJID, state: State) {
        self.from = from
        self.state = state
    }

    package var isVerified: Bool { state != .claimed }
}
