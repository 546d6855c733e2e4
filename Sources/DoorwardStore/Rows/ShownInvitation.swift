/// The invitation whose token a request shows, and what there is against it.
package struct ShownInvitation: Hashable, Sendable {
    package enum Worth: String, Hashable, Sendable, CaseIterable {
        /// Nothing is wrong with it.
        case valid
        /// It was too old when the request came last.
        case expired
        /// As many have used it as might.
        case usedUp = "used_up"
        /// An operator has ended it.
        case revoked
        /// It was made for another address.
        case otherContact = "other_contact"
        /// It was made for another account.
        case otherAccount = "other_account"
        /// Nobody here made it.
        case unknown
    }

    package var worth: Worth
    /// Its number; nil where nobody here made it.
    package var id: Int64?

    package init(_ worth: Worth, id: Int64? = nil) {
        self.worth = worth
        self.id = id
    }
}
