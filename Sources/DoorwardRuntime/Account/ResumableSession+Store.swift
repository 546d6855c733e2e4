import DoorwardStore
import XMPPClient
import XMPPCore

extension ResumableSession {
    /// A session as the store has it: what was sent in it, the outbox knows; nil where its features cannot be read.
    init?(_ saved: SavedSession) {
        guard let features = Element(streamFeatures: saved.features) else { return nil }
        self.init(
            jid: saved.jid, id: saved.id, location: saved.location, maximum: saved.maximum,
            inbound: saved.counts.inbound, outbound: saved.counts.outbound, acknowledged: saved.counts.acknowledged,
            features: features)
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

extension Element {
    /// Stream features as they were saved; nil where they cannot be read.
    fileprivate init?(streamFeatures text: String) {
        let parser = XMLStreamParser(limits: .normal)
        let header = "<s:stream xmlns='\(Namespace.client)' xmlns:s='\(Namespace.streams)' version='1.0'>"
        let events = parser.feed(Array((header + text).utf8))
        guard events.count == 2, case .element(let element) = events[1],
            element.matches("features", Namespace.streams), parser.unconsumedBytes == 0
        else { return nil }
        self = element
    }
}
