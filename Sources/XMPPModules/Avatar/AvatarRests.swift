import XMPPCore

/// Which contacts are left alone, since they were asked a little while ago.
///
/// Only who was asked lately stands in it; it is bounded by ``ContactAvatars/limit``, over which nobody more is noted: the
/// budget of all holds for them.
struct AvatarRests: Sendable {
    private struct Rest {
        var since: Timestamp
        var until: Timestamp
        /// How often in a row the contact did not answer.
        var silences: Int64 = 0
    }

    /// A contact that never answers is asked once in ten minutes times two to the power of this: about ten hours.
    private static let silenceLimit: Int64 = 6
    /// So long it is known that one did not answer.
    private static let memory: Int64 = 86_400_000
    private static let fewest = 1_000

    private var rests: [BareJID: Rest] = [:]
    /// At so many, those who rest no more are taken out.
    private var crowd = fewest

    init() {}

    var count: Int { rests.count }

    /// Until when a contact is left alone; nil where it may be asked.
    ///
    /// A clock that was set back makes it no longer.
    func end(of contact: BareJID, at now: Timestamp) -> Timestamp? {
        rests[contact].flatMap { $0.since <= now && now < $0.until ? $0.until : nil }
    }

    /// A contact was asked before, in another session.
    mutating func restore(_ contact: BareJID, askedAt: Timestamp) {
        guard rests[contact] == nil, rests.count < ContactAvatars.limit else { return }
        rests[contact] = Rest(since: askedAt, until: Self.add(ContactAvatars.contactPause, to: askedAt))
    }

    /// A contact was asked.
    ///
    /// - Returns: Until when it is left alone.
    mutating func asked(_ contact: BareJID, isSilent: Bool, at now: Timestamp) -> Timestamp {
        if rests.count >= crowd {
            rests = rests.filter { now < Self.add($0.value.silences > 0 ? Self.memory : 0, to: $0.value.until) }
            crowd = max(Self.fewest, 2 * rests.count)
        }
        let silences = rests[contact]?.silences ?? 0
        let pause =
            isSilent
            ? ContactAvatars.silentPause << min(silences, Self.silenceLimit) : ContactAvatars.contactPause
        let until = Self.add(pause, to: now)
        if rests.count < ContactAvatars.limit || rests[contact] != nil {
            let more = isSilent ? min(silences + 1, Self.silenceLimit) : 0
            rests[contact] = Rest(since: now, until: until, silences: more)
        }
        return until
    }

    private static func add(_ milliseconds: Int64, to time: Timestamp) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds &+ milliseconds)
    }
}
