package import XMPPCore

/// What is known of a contact's picture.
package struct AvatarRow: Hashable, Sendable {
    /// Where it was announced.
    package enum Source: String, Hashable, Sendable {
        case pep
        case vCard = "vcard"
    }

    /// A picture that the contact announces and does not have.
    package struct Failure: Hashable, Sendable {
        package var hash: AvatarHash
        /// It is not asked for before that.
        package var until: Timestamp

        package init(hash: AvatarHash, until: Timestamp) { (self.hash, self.until) = (hash, until) }
    }

    package var contact: BareJID
    /// The picture; nil where the contact has none, or nothing is known.
    package var hash: AvatarHash?
    /// Nil where nothing is known but a failure.
    package var source: Source?
    package var checkedAt: Timestamp
    package var failure: Failure?

    package init(
        contact: BareJID, hash: AvatarHash?, source: Source?, checkedAt: Timestamp, failure: Failure? = nil
    ) {
        self.contact = contact
        self.hash = hash
        self.source = source
        self.checkedAt = checkedAt
        self.failure = failure
    }
}
