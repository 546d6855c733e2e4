import XMPPCore

/// A session with stream management (XEP-0198), which outlives its connection.
struct ServerSession {
    let id: String
    let jid: JID
    /// Nil where the link is gone and the session waits to be resumed.
    var connection: Int?
    var isResumable: Bool
    /// Stanzas of the client that were handled, modulo 2^32.
    var inbound: UInt32 = 0
    /// Stanzas of ours that the client has acknowledged, modulo 2^32.
    var acknowledged: UInt32 = 0
    /// Those that it has not, oldest first.
    var unacknowledged: [[UInt8]] = []

    var outbound: UInt32 { acknowledged &+ UInt32(clamping: unacknowledged.count) }

    /// The client's count.
    ///
    /// - Returns: Whether we sent that many.
    mutating func acknowledge(_ handled: UInt32) -> Bool {
        let count = Int(handled &- acknowledged)
        guard count <= unacknowledged.count else { return false }
        unacknowledged.removeFirst(count)
        acknowledged = handled
        return true
    }
}
