package import XMPPCore
import XMPPSession

/// What others ask of a connection.
extension ClientConnection {
    /// How the peer learns of the end.
    enum Farewell {
        /// By the closing tag, where there is a session: it ends with the stream.
        case closingTag
        /// By nothing on the stream, so that the session can be resumed.
        case silently
        /// As that, and what is unsent is lost: nobody takes it.
        case atOnce
    }

    /// Whether what is sent goes out: there is a session, and it is not being closed.
    package var isOnline: Bool { phase == .online }

    /// Whether a server was asked to go on with the session of before.
    package var hasAskedToResume: Bool { askedBefore || negotiation.hasAskedToResume }

    /// What would let another connection go on with this session if the link broke now; nil where nothing would.
    package var resumable: ResumableSession? {
        guard phase == .online, let identity, let management, let start = management.start, let id = start.id,
            let unacknowledged = management.unacknowledged, let features = identity.features
        else { return nil }
        return ResumableSession(
            jid: identity.jid, id: id, location: start.location, maximum: start.maximum,
            inbound: management.committed, outbound: management.outbound, acknowledged: management.acknowledged,
            unacknowledged: unacknowledged, features: features)
    }

    /// By what the server knows the session as one that can go on; nil where it cannot.
    var resumableID: String? { management?.start?.id }

    /// Our address as the server bound it; nil before.
    package var fullAddress: JID? { identity?.jid }
}
