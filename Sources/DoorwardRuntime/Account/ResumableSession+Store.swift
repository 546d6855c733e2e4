import DoorwardStore
import XMPPClient
import XMPPCore

extension ResumableSession {
    /// A session as the store has it: what was sent in it, the outbox knows; nil where its features cannot be read.
    init?(_ saved: SavedSession) {
        guard let features = Element(savedStreamFeatures: saved.features) else { return nil }
        self.init(
            jid: saved.jid, id: saved.id, location: saved.location, maximum: saved.maximum,
            inbound: saved.counts.inbound, outbound: saved.counts.outbound, acknowledged: saved.counts.acknowledged,
            features: features)
        mayHaveSentMore = true
    }
}

extension SavedSession {
    init(_ session: ResumableSession, number: Int64, canBlock: Bool, counts: StreamCounts) {
        self.init(
            number: number, jid: session.jid, id: session.id, location: session.location, maximum: session.maximum,
            features: String(decoding: session.features.serialized(inside: Namespace.client), as: UTF8.self),
            canBlock: canBlock, counts: counts)
    }
}
