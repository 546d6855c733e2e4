import XMPPCore

/// A contact as the machine knows it.
extension ContactAvatars {
    enum Known: Hashable { case unknown, none, picture(AvatarHash) }

    struct Contact {
        /// What its node says.
        var published = Known.unknown
        /// What its presence says of its vCard.
        var announced = Known.unknown
        var current: ContactAvatar?
        /// The last few; a contact that announces ever new ones is left alone between two all the same.
        var failures: [Failure] = []
        /// Whether it stands in the queue, or is being asked.
        var isWaiting = false
        /// When it was last asked, and until when it is not asked again.
        var rest: (since: Timestamp, until: Timestamp)?
        /// How often in a row it did not answer.
        var silences: Int64 = 0

        /// Whether it is left alone; a clock that was set back does not make that last for ever.
        func rests(at now: Timestamp) -> Bool { rest.map { $0.since <= now && now < $0.until } ?? false }
    }
}
