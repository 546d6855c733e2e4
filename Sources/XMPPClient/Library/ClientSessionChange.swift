public import XMPPCore
import XMPPSession

extension Client {
    /// What becomes of a client's sessions.
    public enum SessionChange: Sendable {
        /// A new session. Where one of before was to go on and does not, `lost` has what is known of it: nil also where the
        /// server keeps no sessions, or has closed the one before itself.
        case began(JID, lost: Loss?)
        /// The session of before goes on over another connection: nothing that was sent in it is lost (XEP-0198).
        case resumed(JID)
        /// The connection of a session is over: nil where that was wanted, else why.
        ///
        /// Another one follows unless `run()` ends.
        case ended(ClientError?)

        /// What a session that did not go on leaves.
        public struct Loss: Sendable {
            /// The stanzas, oldest first, of which the server has not said that it has them: each may have arrived or not.
            ///
            /// To be sent again where arriving twice is better than not at all. Presences among them are of the old session.
            public let unacknowledged: [Element]
            /// Whether those are all; after a restart more may have been sent than is known.
            public let isComplete: Bool

            /// Of a session that was refused; `handled` is how many the server has had, where it said so (XEP-0198 section
            /// 5).
            init(_ session: ResumableSession, handled: UInt32?) {
                let waiting = session.outbound &- session.acknowledged
                var rest = session.unacknowledged[...]
                let isWhole = UInt32(clamping: rest.count) == waiting
                if isWhole, let distance = handled.map({ $0 &- session.acknowledged }) {
                    // A count above what was saved, after a crash: the server has had all of it.
                    let isMeant = distance <= waiting || session.mayHaveSentMore && distance < 1 << 31
                    if isMeant { rest = rest.dropFirst(Int(distance)) }
                }
                let read = rest.compactMap { Element(onStream: String(decoding: $0, as: UTF8.self)) }
                unacknowledged = read
                isComplete = isWhole && !session.mayHaveSentMore && read.count == rest.count
            }
        }
    }
}

extension Client.SessionChange.Loss: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many they are: their texts belong in no log.
    public var description: String {
        "\(unacknowledged.count) stanzas not acknowledged\(isComplete ? "" : ", and maybe more")"
    }

    /// The same.
    public var debugDescription: String { description }

    /// No parts: `dump` shows nothing more.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
