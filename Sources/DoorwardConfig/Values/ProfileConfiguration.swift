package import XMPPCore

/// What an account says of itself; what is nil is left as it is.
package struct ProfileConfiguration: Hashable, Sendable {
    /// The name to show.
    package var name: String?
    /// What it calls itself towards those who talk to it (XEP-0172).
    package var nickname: String?
    /// Its picture.
    package var avatar: AvatarImage?

    package init(name: String? = nil, nickname: String? = nil, avatar: AvatarImage? = nil) {
        self.name = name
        self.nickname = nickname
        self.avatar = avatar
    }

    /// Whether it says nothing.
    package var isEmpty: Bool { name == nil && nickname == nil && avatar == nil }

    /// With what another one says in the place of what this one says, key by key.
    package func overridden(by other: ProfileConfiguration) -> ProfileConfiguration {
        ProfileConfiguration(
            name: other.name ?? name, nickname: other.nickname ?? nickname, avatar: other.avatar ?? avatar)
    }
}
