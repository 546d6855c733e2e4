import DoorwardStore
import XMPPClient
import XMPPCore

extension ResumableSession {
    /// A session as the store has it: what was sent in it, the outbox knows.
    init(_ saved: SavedSession) {
        self.init(
            jid: saved.jid, id: saved.id, location: saved.location, maximum: saved.maximum,
            inbound: saved.counts.inbound, outbound: saved.counts.outbound, acknowledged: saved.counts.acknowledged,
            features: Element(streamFeatures: saved.features))
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
    /// Stream features as they were saved; none where they cannot be read.
    init(streamFeatures text: String) {
        let parser = XMLStreamParser(limits: .normal)
        let header = "<s:stream xmlns='\(Namespace.client)' xmlns:s='\(Namespace.streams)' version='1.0'>"
        for case .element(let element) in parser.feed(Array((header + text).utf8)) {
            self = element
            return
        }
        self.init("features", namespace: Namespace.streams)
    }
}
