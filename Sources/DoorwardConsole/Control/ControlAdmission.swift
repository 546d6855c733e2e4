/// Who may have a connection to the control socket, and how many.
///
/// The service's own user and root have places that nobody else can take. Of the others each user has a few, and a
/// stranger only until the first answer says that this user is no operator.
struct ControlAdmission {
    /// Connections of root and the service's user, and again of all others.
    static let limit = 64
    /// Connections of one user who is neither.
    static let userLimit = 16
    /// How often the log may say that somebody was turned away.
    static let noticeInterval = Duration.seconds(60)

    /// What the log may say, at most once in a while.
    struct Notice: Hashable {
        var user: UInt32
        /// How many were turned away since the last notice, this one too.
        var count: Int
    }

    private let serviceUser: UInt32
    private var owners = 0
    private var others: [UInt32: Int] = [:]
    private var turnedAway = 0
    private var lastNotice: Duration?

    init(serviceUser: UInt32) { self.serviceUser = serviceUser }

    private func isOwner(_ user: UInt32) -> Bool { user == 0 || user == serviceUser }

    /// Takes a place for a connection.
    ///
    /// - Returns: Nil, or why there is none.
    mutating func admit(_ user: UInt32) -> String? {
        if isOwner(user) {
            guard owners < Self.limit else { return Self.full }
            owners += 1
            return nil
        }
        let own = others[user] ?? 0
        guard own < Self.userLimit else {
            return "this user has \(Self.userLimit) control connections, the most of one; try again"
        }
        guard others.values.reduce(0, +) < Self.limit else { return Self.full }
        others[user] = own + 1
        return nil
    }

    /// Gives the place back.
    mutating func leave(_ user: UInt32) {
        if isOwner(user) {
            owners = max(0, owners - 1)
        } else if let own = others[user] {
            others[user] = own > 1 ? own - 1 : nil
        }
    }

    /// Notes that somebody was turned away.
    ///
    /// - Returns: What the log says of it; nil where it said so a moment ago.
    mutating func turnedAway(_ user: UInt32, at now: Duration) -> Notice? {
        turnedAway = min(turnedAway, .max - 1) + 1
        if let lastNotice, now - lastNotice < Self.noticeInterval { return nil }
        lastNotice = now
        defer { turnedAway = 0 }
        return Notice(user: user, count: turnedAway)
    }

    private static let full = "the service has \(limit) control connections, its most; try again"
}
