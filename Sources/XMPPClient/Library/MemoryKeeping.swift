import XMPPTransport

/// What of a client's memory is stored: see `Client.Options.keep`.
struct MemoryKeeping {
    /// Counts of a session alone are stored no more often than this.
    static let pause = Duration.seconds(2)
    /// So many stanzas that the server was not yet told of are not left waiting: far below what servers keep.
    static let patience: UInt32 = 64

    /// Whether something is not stored.
    var isDue = false
    /// The task that stores, while there is one.
    var task: Task<Void, Never>?
    var timer: TimerID?
    /// The last time it could not be stored: tried again after the pause, whatever else changes.
    var hasFailed = false
    /// The session that was stored last, by its id; nil for none.
    var sessionID: String?
    /// How many of its stanzas from the server were.
    var inbound: UInt32 = 0
}
