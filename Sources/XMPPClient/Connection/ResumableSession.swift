package import XMPPCore

/// A session that can go on after its link is gone (XEP-0198 section 5); its counts are kept on disk.
package struct ResumableSession: Sendable, Hashable {
    /// Our address as the server bound it.
    package var jid: JID
    /// The id that `<enabled/>` gave.
    package var id: String
    /// Where the server prefers to be called.
    package var location: String?
    /// How long the server keeps it, in seconds, where it said so.
    package var maximum: Int?
    /// Stanzas of the server whose effects are on disk, modulo 2^32.
    package var inbound: UInt32
    /// Stanzas of ours that were sent, as far as is known, modulo 2^32: after a crash more may have been.
    package var outbound: UInt32
    /// Stanzas of ours that the server has acknowledged, modulo 2^32.
    package var acknowledged: UInt32
    /// The stanzas sent and not acknowledged, oldest first, as bytes; empty after a restart, where the outbox knows.
    package var unacknowledged: [[UInt8]]
    /// What was announced when it was established.
    package var features: Element
    /// Whether more may have been sent than `outbound` says, though `unacknowledged` is what was saved with it.
    package var mayHaveSentMore = false
    /// How many connections have ended while it was being asked for.
    package var failures = 0

    /// After so many it is given up.
    static let patience = 3

    package init(
        jid: JID, id: String, location: String? = nil, maximum: Int? = nil, inbound: UInt32, outbound: UInt32,
        acknowledged: UInt32, unacknowledged: [[UInt8]] = [], features: Element
    ) {
        self.jid = jid
        self.id = id
        self.location = location
        self.maximum = maximum
        self.inbound = inbound
        self.outbound = outbound
        self.acknowledged = acknowledged
        self.unacknowledged = unacknowledged
        self.features = features
    }
}
