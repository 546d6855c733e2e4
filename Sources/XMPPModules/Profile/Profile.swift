public import XMPPCore

/// What an account says of itself; what is nil is left as it is.
public struct Profile: Hashable, Sendable {
    /// The name to show: the vCard's `FN`.
    public var name: String?
    /// What it calls itself: the vCard's `NICKNAME`, and the node of XEP-0172.
    public var nickname: String?
    /// Its picture: the nodes of XEP-0084, and the vCard's `PHOTO` where the server does not keep the two the same.
    public var avatar: AvatarImage?

    /// A profile.
    public init(name: String? = nil, nickname: String? = nil, avatar: AvatarImage? = nil) {
        (self.name, self.nickname, self.avatar) = (name, nickname, avatar)
    }

    /// Whether it says nothing.
    public var isEmpty: Bool { name == nil && nickname == nil && avatar == nil }
}
