public import XMPPCore

/// The account in one room (XEP-0045): a machine, driven by what the room sends and by time.
///
/// At most ``occupantLimit`` occupants are known by name; further ones are counted.
public struct Room {
    /// Most occupants that are kept.
    public static let occupantLimit = 2_000
    /// How many names are tried where the wanted one is somebody's.
    public static let nicknameAttempts = 5
    /// After so long a room that has not let us in is asked again.
    public static let entryWait = Duration.seconds(60)
    /// After so long without a word of the room it is asked whether we are still in (XEP-0410).
    public static let silence = Duration.seconds(900)
    /// Waits before another try, the last of them over and over.
    public static let pauses: [Duration] = [.seconds(30), .seconds(60), .seconds(300), .seconds(900)]

    /// Where the account stands.
    public enum State: Hashable, Sendable {
        /// Not in, and does not want to.
        case outside
        /// Asked to be let in.
        case entering
        /// In.
        case inside
        /// Not in, and comes back after a pause.
        case paused
    }

    /// What is to be done.
    public enum Action: Hashable, Sendable {
        /// Send it.
        case send(Element)
        /// Ask the own occupant whether it is there (XEP-0410); the answer goes to ``pingAnswered(_:)``.
        case ping(JID)
        /// Tell the owner.
        case report(RoomEvent)
        /// Come back with ``timePassed()`` after so long, and not before; an earlier call is taken back.
        case wait(Duration)
        /// No call is to come any more.
        case waitNoLonger
    }

    /// How to sit in it.
    public private(set) var settings: RoomSettings
    /// Where the account stands.
    public internal(set) var state = State.outside
    /// The account's own name there; while it enters, the one that it asked for.
    public internal(set) var nickname: String
    /// What the room is about.
    public internal(set) var subject: String?
    /// Those who are there, the account among them, by their full address in the room.
    public internal(set) var occupants: [JID: RoomOccupant] = [:]
    /// Further ones, over the bound.
    public internal(set) var uncounted = 0
    var hasSubject = false
    var attempts = 0
    private var failures = 0

    /// A room that the account is not in.
    public init(_ settings: RoomSettings) {
        self.settings = settings
        nickname = settings.nickname
    }

    /// The account's own full address in the room; nil where the name cannot be one.
    public var ownAddress: JID? { occupantAddress(nickname) }

    // MARK: What the owner wants

    /// Goes in.
    ///
    /// Also once a session began: what was before is over.
    public mutating func enter() -> [Action] {
        (nickname, attempts) = (settings.nickname, 0)
        return ask()
    }

    /// Goes out.
    public mutating func leave() -> [Action] {
        defer { reset(.outside) }
        guard state != .outside, let ownAddress else { return [.waitNoLonger] }
        return [
            .send(Presence(.unavailable, to: ownAddress).element), .report(.left(RoomEnd(.left))), .waitNoLonger,
        ]
    }

    /// The session goes on over another link: the room may have thrown us out meanwhile.
    public func resumed() -> [Action] {
        guard state == .inside, let ownAddress else { return [] }
        return [.ping(ownAddress)]
    }

    // MARK: What comes

    /// A presence of the room.
    public mutating func received(_ presence: Presence) -> [Action] {
        guard let from = presence.from, from.bare == settings.address, state != .outside else { return [] }
        switch presence.type {
        case .error: return refused(presence)
        case .available: return from.resource == nil ? [] : isThere(presence, from)
        case .unavailable: return from.resource == nil ? [] : isGone(presence, from)
        case .subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe, .other: return []
        }
    }

    /// The wait is over.
    public mutating func timePassed() -> [Action] {
        switch state {
        case .outside: return []
        case .paused: return enter()
        case .entering: return pause(RoomEnd(.unreachable))
        case .inside:
            guard let ownAddress else { return [] }
            return [.ping(ownAddress), .wait(Self.silence)]
        }
    }

    /// What came of the question whether the account is there (XEP-0410 section 3.3).
    ///
    /// - Parameter error: Nil where it was answered; `remoteServerTimeout` where nothing came.
    /// - Returns: What is to be done.
    public mutating func pingAnswered(_ error: StanzaError.Condition?) -> [Action] {
        guard state == .inside, let error else { return [] }
        // Answered, by somebody who does not know pings or has just taken another name; or by nobody, which says nothing.
        let inside: [StanzaError.Condition] = [
            .serviceUnavailable, .featureNotImplemented, .itemNotFound, .remoteServerNotFound, .remoteServerTimeout,
        ]
        guard !inside.contains(error) else { return [] }
        return enter()
    }

    // MARK: Parts

    private mutating func ask() -> [Action] {
        reset(.entering)
        guard let ownAddress else { return end(RoomEnd(.nickname, text: "the name cannot be part of an address")) }
        return [.send(RoomPayload.enter(ownAddress, password: settings.password)), .wait(Self.entryWait)]
    }

    private mutating func refused(_ presence: Presence) -> [Action] {
        let error =
            presence.element.first("error", Namespace.client).map(StanzaError.init)
            ?? StanzaError(.undefinedCondition)
        guard state == .entering else {
            // A name that was asked for while inside: the old one stays.
            return [.report(.refused(id: presence.id, error))]
        }
        switch error.condition {
        case .conflict:
            attempts += 1
            guard attempts < Self.nicknameAttempts else { return end(RoomEnd(.nickname)) }
            nickname = settings.nickname + String(repeating: "_", count: attempts)
            return ask()
        case .serviceUnavailable, .resourceConstraint, .remoteServerNotFound, .remoteServerTimeout,
            .recipientUnavailable, .internalServerError, .unexpectedRequest:
            return pause(RoomEnd(.unreachable, text: error.text))
        case .forbidden: return end(RoomEnd(.banned, text: error.text))
        case .registrationRequired: return end(RoomEnd(.membersOnly, text: error.text))
        case .notAuthorized: return end(RoomEnd(.password, text: error.text))
        case .itemNotFound, .notAllowed: return end(RoomEnd(.notFound, text: error.text))
        case .gone: return end(RoomEnd(.destroyed, text: error.text))
        case _: return end(RoomEnd(.refused, text: error.text))
        }
    }

    mutating func end(_ end: RoomEnd) -> [Action] {
        reset(.outside)
        return [.report(.left(end)), .waitNoLonger]
    }

    mutating func pause(_ end: RoomEnd) -> [Action] {
        reset(.paused)
        var end = end
        end.returns = true
        let pause = Self.pauses[min(failures, Self.pauses.count - 1)]
        failures += 1
        return [.report(.left(end)), .wait(pause)]
    }

    mutating func entered() { failures = 0 }

    private mutating func reset(_ state: State) {
        self.state = state
        (occupants, uncounted, subject, hasSubject) = ([:], 0, nil, false)
    }

    func occupantAddress(_ nickname: String) -> JID? { try? JID("\(settings.address)/\(nickname)") }
}
