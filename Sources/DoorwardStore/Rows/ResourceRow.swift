package import XMPPCore

/// A resource that is available, and what it said of itself.
package struct ResourceRow: Sendable, Hashable {
    /// How ready it is, the readiest first.
    package enum Show: String, Sendable, Hashable, CaseIterable {
        case chat, online, away
        case extendedAway = "xa"
        case doNotDisturb = "dnd"
    }

    /// Bytes of a status that are kept; of a longer one the beginning is, with `…` behind it.
    package static let statusLimit = 128

    /// The bare address where that itself is available, as gateways are.
    package var jid: JID
    package var priority: Int8
    package var show: Show
    package var status: String?
    package var idleSince: Timestamp?
    /// When it was said.
    package var at: Timestamp

    package init(
        _ jid: JID, priority: Int8 = 0, show: Show = .online, status: String? = nil, idleSince: Timestamp? = nil,
        at: Timestamp = Timestamp(milliseconds: 0)
    ) {
        self.jid = jid
        self.priority = priority
        self.show = show
        self.status = status
        self.idleSince = idleSince
        self.at = at
    }
}
