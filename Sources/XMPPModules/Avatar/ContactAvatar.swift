public import XMPPCore

/// The picture of a contact as it is known, or that there is none.
public struct ContactAvatar: Hashable, Sendable {
    /// Where something is known from.
    public enum Source: String, Hashable, Sendable, CaseIterable {
        /// The contact's nodes (XEP-0084).
        case pep
        /// The contact's vCard (XEP-0153).
        case vCard = "vcard"
    }

    /// The picture; nil where the contact has none.
    public var hash: AvatarHash?
    /// Where it was announced.
    public var source: Source

    /// What is known of a contact.
    public init(_ hash: AvatarHash?, from source: Source) {
        (self.hash, self.source) = (hash, source)
    }
}
