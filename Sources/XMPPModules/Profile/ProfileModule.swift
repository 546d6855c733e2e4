public import XMPPClient
public import XMPPCore

/// What the account says of itself: publishes what differs from a ``Profile``, and announces its picture (XEP-0153).
///
/// It looks and publishes once a session, and when the profile is another; it does not fight with other clients of the account.
/// Behind a new picture the presence is sent again, once, also where the server puts the announcement into it (XEP-0398): it
/// does so with the next presence only, and contacts would see the picture at the next login.
/// Without a profile it asks and publishes nothing.
public final class ProfileModule: SessionModule {
    /// What came of a part of the profile.
    public struct Outcome: Hashable, Sendable {
        /// Which part.
        public let part: ProfilePlan.Part
        /// Why the server does not have it; nil where it took it.
        public let error: ClientError?
    }

    /// Most publications that wait for the one under way, beside that of the profile.
    public static let queueLimit = 10

    private let account: BareJID
    private let onOutcome: (Outcome) -> Void
    private var profile: Profile
    private var own = OwnAvatar()
    /// Whether presence announces the picture: not where the server does so by itself (XEP-0398).
    private var announces = false
    /// The hash that the server had in the vCard before the publication under way.
    private var cardHash: AvatarHash?
    /// Whether the picture is another, and the server says so with the next presence only.
    private var isAnnouncedLate = false
    private var isReading = false
    private var isDone = false
    private var session: ModuleSession?
    /// Told what came of the publication under way.
    private var publishing: (([Outcome]) -> Void)?
    /// Those that wait; without a profile of its own it is the account's, as that is when its turn comes.
    private var queue: [(profile: Profile?, reply: ([Outcome]) -> Void)] = []

    /// A module that has published nothing yet.
    ///
    /// - Parameters:
    ///   - account: Whose it is.
    ///   - profile: What it says; an empty one asks and publishes nothing.
    ///   - onOutcome: Told each part that was published, or was refused.
    public init(account: BareJID, profile: Profile, onOutcome: @escaping (Outcome) -> Void = { _ in }) {
        self.account = account
        self.profile = profile
        self.onOutcome = onOutcome
    }

    deinit {
        for reply in [publishing].compactMap({ $0 }) + queue.map(\.reply) { reply([Self.unfinished]) }
    }

    private static var unfinished: Outcome { Outcome(part: .avatar, error: .offline) }

    /// It answers nothing.
    public var namespaces: [String] { [] }

    /// What the presence says of the picture: nothing definite before the vCard was read.
    public var presenceExtensions: [Element] {
        [announces ? own.update.element : VCardUpdate.notReady.element].compactMap { $0 }
    }

    /// Publishes what differs.
    public func began(_ session: ModuleSession) {
        self.session = session
        if !session.isResumed {
            // Which other clients are there is told anew.
            own = OwnAvatar()
            (announces, isDone, isReading, isAnnouncedLate) = (false, false, false, false)
        }
        publishProfile()
    }

    /// The profile is another: publishes what differs from it now.
    public func change(to profile: Profile) {
        guard profile != self.profile else { return }
        self.profile = profile
        isDone = false
        publishProfile()
    }

    /// Publishes once what is not in the profile, such as a picture that a person gives.
    ///
    /// - Parameters:
    ///   - profile: What.
    ///   - reply: Called once, with what came of each part; none where the server has it all, and `busy` where
    ///     ``queueLimit`` wait already.
    public func publish(_ profile: Profile, reply: @escaping ([Outcome]) -> Void) {
        guard queue.count(where: { $0.profile != nil }) < Self.queueLimit else {
            return reply([Outcome(part: .avatar, error: .busy)])
        }
        queue.append((profile, reply))
        next()
    }

    /// Another client of the account, and what it says of the picture.
    public func received(presence: Presence) {
        guard announces, let from = presence.from, from.bare == account, let resource = from.resource,
            !sameBytes(resource, session?.address.resource)
        else { return }
        switch presence.type {
        case .available: perform(own.handle(.presence(resource: resource, VCardUpdate(presence))))
        case .unavailable: perform(own.handle(.gone(resource: resource)))
        case .subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe, .error, .other: break
        }
    }

    // MARK: Publishing

    private func publishProfile() {
        guard !isDone, !profile.isEmpty, session?.isOnline == true else { return }
        isDone = true
        guard !queue.contains(where: { $0.profile == nil }) else { return }
        queue.append(
            (
                nil,
                { [weak self] outcomes in
                    // What the connection took with it is tried again in the next session.
                    if outcomes.contains(where: { $0.error != nil && $0.error?.code != .refused }) {
                        self?.isDone = false
                    }
                }
            ))
        next()
    }

    private func next() {
        guard publishing == nil, !queue.isEmpty else { return }
        let (given, reply) = queue.removeFirst()
        let profile = given ?? self.profile
        publishing = reply
        guard let session, session.isOnline else { return finish([Self.unfinished]) }
        ProfileInquiry(session: session).look(for: profile, account: account) { [weak self] found, errors in
            guard let self else { return }
            learned(found)
            take(ProfilePlan(for: profile, over: found).steps[...], errors)
        }
    }

    private func finish(_ outcomes: [Outcome]) {
        if isAnnouncedLate {
            isAnnouncedLate = false
            session?.announce()
        }
        for outcome in outcomes { onOutcome(outcome) }
        publishing.take()?(outcomes)
        next()
    }

    private func learned(_ found: ProfilePlan.Found) {
        announces = !found.converts
        cardHash = found.card?.photo?.hash
        guard announces, let card = found.card else { return }
        perform(own.handle(.card(card.photo?.hash)))
    }

    private func take(_ steps: ArraySlice<ProfilePlan.Step>, _ outcomes: [Outcome]) {
        guard let step = steps.first, let session else { return finish(outcomes) }
        let done: (ClientError?) -> Void = { [weak self] error in
            if error == nil { self?.published(step) }
            self?.take(steps.dropFirst(), outcomes + [Outcome(part: step.part, error: error)])
        }
        switch step {
        case .vCard(let card): session.publish(card, reply: done)
        case .nickname(let nickname):
            let payload = SubscriptionPayload.nick(nickname)
            session.publish(
                PubSubItem(id: "current", payload: payload), at: Namespace.nick, options: PublishOptions(.open),
                reply: done)
        case .avatar(let image): session.publish(image, reply: done)
        }
    }

    private func published(_ step: ProfilePlan.Step) {
        switch step {
        case .vCard(let card) where announces: perform(own.handle(.card(card.photo?.hash)))
        case .vCard(let card): isAnnouncedLate = isAnnouncedLate || card.photo?.hash != cardHash
        case .avatar: isAnnouncedLate = isAnnouncedLate || !announces
        case .nickname: break
        }
    }

    private func perform(_ actions: [OwnAvatar.Action]) {
        for action in actions {
            switch action {
            case .announce: session?.announce()
            case .read: read()
            }
        }
    }

    private func read() {
        guard !isReading, let session else { return }
        isReading = true
        session.vCard { [weak self] result in
            self?.isReading = false
            // Without an answer nothing is announced: that there is no picture would be a guess.
            if case .success(let card) = result { self?.perform(self?.own.handle(.card(card.photo?.hash)) ?? []) }
        }
    }
}
