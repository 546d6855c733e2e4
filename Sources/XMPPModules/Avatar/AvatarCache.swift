public import XMPPCore

/// Where pictures are kept, each once under its hash, and who may fetch one.
///
/// An ``AvatarModule`` calls it in its account's isolation. One cache may serve many accounts: of those that want the same
/// picture one fetches it, and the others wait for that.
public protocol AvatarCache: AnyObject {
    /// Whether a picture is there.
    func contains(_ hash: AvatarHash) -> Bool

    /// Asks for leave to fetch a picture; who has it ends it by `keep` or `release`.
    ///
    /// - Parameters:
    ///   - hash: Which.
    ///   - reply: Called once, in the caller's isolation and maybe before this returns.
    func claim(_ hash: AvatarHash, reply: @escaping (AvatarClaim) -> Void)

    /// Keeps a picture, whether or not it was claimed.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - contact: Who gave it. Of one contact a few are kept, the newest: what it changes must not drive out others'.
    func keep(_ image: AvatarImage, of contact: BareJID)

    /// Ends a claim without a picture: another that waits may try its contact.
    func release(_ hash: AvatarHash)
}

/// What came of a claim.
public enum AvatarClaim: Hashable, Sendable {
    /// It may be fetched, and nobody else fetches it meanwhile.
    case granted
    /// It is there by now.
    case kept
}
