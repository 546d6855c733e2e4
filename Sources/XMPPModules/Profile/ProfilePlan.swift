public import XMPPCore

/// What is to be published so that the server has a profile: what differs, and nothing else.
public struct ProfilePlan: Hashable, Sendable {
    /// What the server has, and what it can; nil is what it did not say, and that is not touched.
    public struct Found: Hashable, Sendable {
        /// Whether accounts have nodes (XEP-0163).
        public var hasNodes = false
        /// Whether the pictures of nodes and vCard are kept the same by the server (XEP-0398).
        public var converts = false
        /// The vCard.
        public var card: VCard?
        /// What the nodes say of the picture.
        public var metadata: AvatarMetadata?
        /// What the node says of the nickname; empty where it says nothing.
        public var nickname: String?

        /// Nothing.
        public init() {}
    }

    /// A part of a profile as it is published.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        /// The vCard (XEP-0054).
        case vCard = "vcard"
        /// The node of nicknames (XEP-0172).
        case nickname
        /// The nodes of pictures (XEP-0084).
        case avatar
    }

    /// What to publish, in this order.
    public enum Step: Hashable, Sendable {
        /// The vCard, as a whole.
        case vCard(VCard)
        /// A nickname.
        case nickname(String)
        /// A picture: its bytes first, then what is said of it (XEP-0084 section 3.1).
        case avatar(AvatarImage)

        /// Which part it is.
        public var part: Part {
            switch self {
            case .vCard: .vCard
            case .nickname: .nickname
            case .avatar: .avatar
            }
        }
    }

    /// What is to be published; none where the server has it all.
    public let steps: [Step]

    /// Makes a plan.
    ///
    /// The vCard comes first: a server that keeps the two pictures the same takes the old one from it, and the new one then
    /// from the node.
    ///
    /// - Parameters:
    ///   - profile: What is wanted.
    ///   - found: What is there.
    public init(for profile: Profile, over found: Found) {
        var steps: [Step] = []
        if var card = found.card {
            let before = card
            if let name = profile.name { card.fullName = name }
            if let nickname = profile.nickname { card.nickname = nickname }
            let isForNode = found.hasNodes && found.converts
            if let avatar = profile.avatar, !isForNode, card.photo?.hash != avatar.hash {
                card.photo = VCardPhoto(avatar)
            }
            if card != before { steps.append(.vCard(card)) }
        }
        if found.hasNodes, let nickname = profile.nickname, let old = found.nickname, !sameBytes(nickname, old) {
            steps.append(.nickname(nickname))
        }
        if found.hasNodes, let avatar = profile.avatar, let metadata = found.metadata,
            !metadata.infos.contains(where: { $0.hash == avatar.hash })
        {
            steps.append(.avatar(avatar))
        }
        self.steps = steps
    }
}
