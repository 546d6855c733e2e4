/// What happens on a channel; comes on its loop, one at a time, never within a call of the channel.
///
/// What comes once in a connection's life is `indirect`, so that the events of every read are small.
package enum ChannelEvent: Sendable {
    /// A step on the way to the server, for observers; any number of them, before the connection is up.
    indirect case attempted(ConnectStep)
    /// The connection is up, without TLS as yet.
    ///
    /// Not with direct TLS (XEP-0368): there `secured` says that it is up.
    case connected
    /// The TLS handshake is done; on the client's side the certificate was verified too.
    indirect case secured(TLSSummary)
    /// Bytes of the peer; never empty.
    case received([UInt8])
    /// All is sent, after more had been waiting than the high-water mark.
    case writable
    /// The last event; comes exactly once.
    indirect case closed(ChannelClosure)
}

/// How a channel ended.
package enum ChannelClosure: Sendable, Equatable {
    /// The peer ended it in order.
    case endOfStream
    /// This side did, by `close()` or `abort()`.
    case local
    case failed(TransportError)
}

/// A connection: bytes out and events in.
///
/// Every call must be made on its loop, and is checked.
///
/// A channel stays alive until it is closed, whether someone holds it or not.
package protocol Channel: AnyObject, Sendable {
    /// Queues bytes; what is sent in one turn of the loop leaves together. Over 8 MiB of unsent output the channel fails
    /// with `.outputOverflow`. Ignored after `close()`.
    func send(_ bytes: [UInt8])
    /// Begins TLS behind what is queued; the context says on which side. What arrived in clear and was not delivered yet
    /// is a failure.
    func startTLS(_ settings: TLSSettings)
    /// Sends what is queued and TLS's end, then closes; gives up after 2 s. What still arrives is dropped.
    func close()
    /// Closes at once; unsent output is lost.
    func abort()
    /// Bytes queued and not yet given to the system.
    var unsentBytes: Int { get }
    /// How long steps of its TLS handshake have waited for their turn behind those of other channels: time that no peer
    /// took, and no deadline of a peer counts.
    var timeInQueue: Duration { get }
    /// Whether bytes are read and delivered; false lets the peer wait (TCP's back-pressure). True at first.
    func setReading(_ isReading: Bool)
    /// Whoever answers is not the server that was looked for: another channel, which goes on with the addresses that the
    /// search has left. Its connecting has the bounds of any.
    ///
    /// Also once this one is closed, which does not close by it. Nil where nothing is left, before it is connected, and
    /// behind `settle()`.
    func passOver(handler: @escaping @Sendable (ChannelEvent) -> Void) -> (any Channel)?
    /// The server is the right one: what the search has left is forgotten.
    func settle()
}

/// Of channels that no search led to.
extension Channel {
    package func passOver(handler: @escaping @Sendable (ChannelEvent) -> Void) -> (any Channel)? { nil }
    package func settle() {}
}

/// The bounds and deadlines of every channel.
enum ChannelLimits {
    static let unsentBytes = 8 * 1024 * 1024
    static let highWaterMark = 256 * 1024
    static let handshake: Duration = .seconds(15)
    static let closing: Duration = .seconds(2)
    /// All of connecting: name look-ups, every address, and the handshakes of direct TLS.
    static let connecting: Duration = .seconds(30)
    static let connectingToOneAddress: Duration = .seconds(10)
    /// For the one service's SRV records, once the other one's are known.
    static let otherService: Duration = .seconds(2)
    /// For the addresses of the other family or of a target that comes before (RFC 8305 section 8).
    static let resolutionDelay: Duration = .milliseconds(50)
    /// From one attempt to the next (RFC 8305 section 8).
    static let attemptDelay: Duration = .milliseconds(250)
    static let userTimeoutMilliseconds: UInt32 = 60_000
}
