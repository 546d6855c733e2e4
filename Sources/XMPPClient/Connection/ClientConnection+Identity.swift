import XMPPCore
import XMPPSession
import XMPPTransport

extension ClientConnection {
    /// What the server announced; nil before the login, and behind one by SASL2 (XEP-0388) for a moment longer.
    package var streamFeatures: StreamFeatures? { identity?.streamFeatures }

    /// Who we are on the stream, once bound.
    struct Identity {
        var jid: JID
        /// Kept where the session can be resumed, which needs them: they are large.
        var features: Element?
        /// What of them modules ask about, once they are there.
        var streamFeatures: StreamFeatures?
        /// Whether a stanza is being read that is worth giving memory back behind it.
        var isReadingLarge = false
        /// Where the connection ends behind the binding, and only the features are missing.
        var look: Look?

        init(_ session: EstablishedSession) {
            jid = session.jid
            if !session.awaitsFeatures { streamFeatures = StreamFeatures(session.features) }
        }

        init(_ resumed: ResumableSession) {
            (jid, features) = (resumed.jid, resumed.features)
            streamFeatures = StreamFeatures(resumed.features)
        }
    }

    /// Bytes of a stanza, or of a read, behind which memory is given back.
    private static let largeBytes = 524_288

    /// Looks at what is let go by now.
    ///
    /// - Parameters:
    ///   - bytes: Of the read that was handed over.
    ///   - rest: Of the stanza that has begun.
    func noteSize(_ bytes: Int, rest: Int) {
        if rest > Self.largeBytes {
            identity?.isReadingLarge = true
        } else if bytes > Self.largeBytes || identity?.isReadingLarge == true {
            identity?.isReadingLarge = false
            loop.shared { SpentMemory() }.spent(on: loop)
        }
    }
}
