public import XMPPCore

/// What goes into the machine, and what comes out.
extension ContactAvatars {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// A contact's presence said this of its vCard.
        case announced(VCardUpdate, by: BareJID)
        /// A contact's node said this; nil where it holds nothing any more.
        case published(AvatarMetadata?, by: BareJID)
        /// The picture that was claimed may be fetched; not where it has come meanwhile.
        case claimed(Fetch, isKept: Bool)
        /// A fetch is over.
        case fetched(Fetch, Outcome)
        /// The time that was asked for is over: what waits goes on.
        case woke
        /// The time for which contacts were left alone is over.
        case rested
        /// A session began, or goes on: what the one before left open is tried again.
        case began
        /// A contact is none any more.
        case removed(BareJID)
    }

    /// What is to be done.
    public enum Action: Hashable, Sendable {
        /// Ask the cache for leave to fetch; answered by `claimed`.
        case claim(Fetch)
        /// Fetch it from its contact; answered by `fetched`.
        case fetch(Fetch)
        /// Keep a picture that a contact gave; the claim of its hash is over.
        case keep(AvatarImage, of: BareJID)
        /// The claim of a hash is over without a picture.
        case release(AvatarHash)
        /// Another picture than before, or none, whose bytes are kept.
        case changed(BareJID, from: ContactAvatar?, to: ContactAvatar)
        /// A contact does not have what it announces; it is not asked for before that time.
        case failed(BareJID, AvatarHash, until: Timestamp)
        /// Tell `woke` after that time.
        case wake(after: Duration)
        /// Tell `rested` after that time.
        case rest(for: Duration)
    }

    /// A picture to be fetched.
    public struct Fetch: Hashable, Sendable {
        /// From whom.
        public let contact: BareJID
        /// Which.
        public let hash: AvatarHash

        /// A picture to be fetched.
        public init(contact: BareJID, hash: AvatarHash) { (self.contact, self.hash) = (contact, hash) }
    }

    /// What came of a fetch.
    public enum Outcome: Hashable, Sendable {
        /// A picture; whether it is the one that was announced, is seen here.
        case image(AvatarImage)
        /// The contact has none, or none that is a picture to us, or refuses.
        case absent
        /// No answer came.
        case silent
        /// The session ended before an answer could come.
        case interrupted
    }

    /// A picture that is not asked for.
    public struct Failure: Hashable, Sendable {
        /// Which.
        public var hash: AvatarHash
        /// Until when.
        public var until: Timestamp

        /// A picture that is not asked for.
        public init(hash: AvatarHash, until: Timestamp) { (self.hash, self.until) = (hash, until) }
    }
}
