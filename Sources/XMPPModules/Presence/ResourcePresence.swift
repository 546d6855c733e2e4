public import XMPPCore

/// What one resource of somebody says of itself (RFC 6121 section 4).
public struct ResourcePresence: Hashable, Sendable {
    /// How ready somebody is, the readiest first.
    public enum Show: UInt8, Hashable, Sendable, CaseIterable, Comparable {
        /// Looks for company.
        case chat
        /// There; what is said where nothing, or nothing known, is.
        case online
        /// Away for a moment.
        case away
        /// Away for long.
        case extendedAway
        /// There, and does not want to be disturbed.
        case doNotDisturb

        /// Whether one is readier.
        public static func < (left: Show, right: Show) -> Bool { left.rawValue < right.rawValue }
    }

    /// Bytes of a status that are kept; what is longer is cut between two characters.
    public static let statusLimit = 1024

    /// Which of somebody's resources is to get what is sent to the bare address; a negative one none of it.
    public var priority: Int8
    /// How ready it is.
    public var show: Show
    /// What a person wrote; nil where nothing.
    public var status: String?
    /// Since when nobody has touched it (XEP-0319); nil where somebody does.
    public var idleSince: Timestamp?
    /// When this was said, to the second: when it arrived.
    public var at: Timestamp

    /// A presence.
    public init(
        priority: Int8 = 0, show: Show = .online, status: String? = nil, idleSince: Timestamp? = nil,
        at: Timestamp = Timestamp(milliseconds: 0)
    ) {
        (self.priority, self.show, self.idleSince, self.at) = (priority, show, idleSince, at)
        self.status = status
    }

    /// Reads an available presence; what is unknown or no number is as if it were not there (RFC 6121 section 4.7.2).
    ///
    /// - Parameters:
    ///   - presence: Of type available.
    ///   - now: When it arrived. Nobody is idle since later than that.
    public init(_ presence: Presence, at now: Timestamp) {
        var show: String?
        var status: String?
        var priority: String?
        var idle: String?
        for case .element(let child) in presence.element.children {
            if sameBytes(child.namespace, Namespace.client) {
                if show == nil, sameBytes(child.name, "show") { show = child.text }
                if status == nil, sameBytes(child.name, "status") { status = child.text }
                if priority == nil, sameBytes(child.name, "priority") { priority = child.text }
            } else if idle == nil, child.matches("idle", Namespace.idle) {
                idle = child[attribute: "since"]
            }
        }
        self.init(
            priority: priority.flatMap { Int8($0) } ?? 0, show: show.map(Self.show) ?? .online,
            status: status.flatMap(Self.kept),
            idleSince: idle.flatMap(seconds(ofDateTime:)).map { Timestamp(milliseconds: $0 * 1000) }
                .flatMap { $0 <= now ? $0 : nil },
            at: now)
    }

    private static func show(_ word: String) -> Show {
        if sameBytes(word, "chat") {
            .chat
        } else if sameBytes(word, "away") {
            .away
        } else if sameBytes(word, "xa") {
            .extendedAway
        } else if sameBytes(word, "dnd") {
            .doNotDisturb
        } else {
            .online
        }
    }

    private static func kept(_ status: String) -> String? {
        guard status.utf8.count > statusLimit else { return status.isEmpty ? nil : status }
        var bytes = Array(status.utf8.prefix(statusLimit + 1))
        // Not in the middle of a character: its first byte is the last that is none of 10xxxxxx.
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether this one comes before another of the same person: by priority, then by readiness, then the newer one.
    public func isBefore(_ other: ResourcePresence) -> Bool {
        if priority != other.priority { return priority > other.priority }
        if show != other.show { return show < other.show }
        return at > other.at
    }
}
