import XMPPCore
import XMPPCrypto
import XMPPSession
package import XMPPTransport

/// One connection's life: from the first packet to the last, as one `run()`.
///
/// It drives the machines of XMPPSession over a channel: bytes to elements, elements to negotiation or stanzas,
/// replies to their waiters, everything else to the owner. It never reconnects: that is the supervisor's decision. Only
/// where a server sends it on to another host before the login is done (RFC 6120 section 4.9.3.19) it goes there, and
/// where whoever answers has not shown that it is the server, it tries the next address. Sent on later, it ends with the
/// way that the next connection is to take.
///
/// `@unchecked Sendable` because it is confined to its loop: the channel, the timers and the owner (an actor on the same
/// loop) all call it there, and each entry checks it. What a stanza touches is not checked for overlapping access at run
/// time either: none of it is lent out over a call.
package final class ClientConnection: @unchecked Sendable {
    /// How long the server has to answer our closing of the stream (RFC 6120 section 4.4).
    static let farewell = Duration.seconds(2)
    /// The slowest link that a stanza may come over, beyond `Timeouts.stanza`.
    static let slowestBytesPerSecond = 1024
    /// How many that answer are passed over at most; `Timeouts.search` bounds the time that it takes.
    static let passes = 8

    enum Phase {
        case idle
        case negotiating
        case online
        /// We sent the closing tag and wait for the server's.
        case closing
        /// The channel is being closed.
        case ended
    }

    let settings: ClientSettings
    let connector: any Connector
    let loop: EventLoop
    @exclusivity(unchecked) private(set) var handler: @Sendable (ClientEvent) -> Void

    @exclusivity(unchecked) var phase = Phase.idle
    @exclusivity(unchecked) var channel: (any Channel)?
    /// Where the channel goes, once TCP is up; for observers.
    var reachedAddress: String?
    /// How many that answered were passed over.
    var passedOver = 0
    /// Until when others are.
    var searchDeadline = Duration.zero
    /// What those failed by: the first, or where a certificate was refused, that.
    var failure: (cause: SessionEnd.Cause, isOfCertificate: Bool)?
    /// Counts channels: what one of before still reports concerns nobody.
    @exclusivity(unchecked) var attempt = 0
    var route: ServerRoute
    @exclusivity(unchecked) var parser: XMLStreamParser
    @exclusivity(unchecked) var negotiation: StreamNegotiation
    @exclusivity(unchecked) var requests: IQTable<@Sendable (IQReply) -> Void>? {
        didSet {
            let isOut = requests?.isEmpty == false
            guard isOut != isRequestOut else { return }
            isRequestOut = isOut
            // Only what was asked for may be larger than a stanza.
            if phase == .online { parser.limits = isOut ? .answers : .normal }
        }
    }
    /// Whether a request waits for its answer: asked after each stanza, where the table itself would be copied.
    @exclusivity(unchecked) private(set) var isRequestOut = false
    @exclusivity(unchecked) var management: StreamManagement?
    @exclusivity(unchecked) var identity: Identity?
    /// The session of before, until the server has taken it up or refused it.
    var pendingResumption: ResumableSession?
    /// Whether it was asked for before this connection began again.
    var askedBefore = false
    /// What is sent within one event leaves in one write.
    @exclusivity(unchecked) var outgoing: [UInt8] = []
    @exclusivity(unchecked) var isInEvent = false
    /// Whether a TLS session of before may be taken up.
    var resumesTLS = true
    /// Whether one was, of TLS 1.2.
    var hasResumedOldTLS = false
    /// Whether the login is bound to the channel by tls-unique.
    var isBoundByUnique = false
    /// Under which the cache has the keys of this login.
    var derivationKey: SCRAMDerivation.CacheKey?

    @exclusivity(unchecked) var keepalive: Keepalive
    var ids: StanzaIDs
    var stage = ClientStage.connecting
    var stageDeadline = Duration.zero
    /// Since when keys are being derived.
    var derivingSince: Duration?
    /// How long that took in this stage, as far as its deadline does not allow for it yet.
    var ownTime = Duration.zero
    /// How long the channel had waited in the loop's queue, as far as that is allowed for.
    var queuedBefore = Duration.zero
    @exclusivity(unchecked) var stallDeadline: Duration?
    /// When a stanza began that has not ended.
    @exclusivity(unchecked) var stanzaBegan: Duration?
    var farewellDeadline: Duration?
    @exclusivity(unchecked) var timer: (id: TimerID, due: Duration)?
    var end: SessionEnd?
    private var channelIsClosed = false
    private var waiter: CheckedContinuation<SessionEnd, Never>?

    /// A connection that has not begun.
    ///
    /// - Parameters:
    ///   - settings: Whom to log in, and where.
    ///   - connector: Makes the channel.
    ///   - loop: Where all of it runs.
    ///   - handler: Gets the events, on the loop, in order.
    package init(
        settings: ClientSettings, connector: any Connector, loop: EventLoop,
        handler: @escaping @Sendable (ClientEvent) -> Void
    ) {
        self.settings = settings
        self.connector = connector
        self.loop = loop
        self.handler = handler
        pendingResumption = settings.endsAfterBinding ? nil : settings.resumption
        route =
            settings.route.flatMap { $0.configured == settings.address ? $0 : nil }
            ?? ServerRoute(settings.address, location: pendingResumption?.location)
        parser = XMLStreamParser(limits: .beforeLogin)
        negotiation = Self.negotiation(settings, pendingResumption, at: loop.time.wallMilliseconds / 1000)
        keepalive = Keepalive(settings.timeouts.patience, now: loop.time.now)
        ids = StanzaIDs(prefix: settings.random(9))
    }

    /// Whom TLS must find at the other end, and how.
    var security: TLSSettings {
        var security = settings.security
        if !resumesTLS { security.sessions = nil }
        return security
    }

    static func negotiation(
        _ settings: ClientSettings, _ resumption: ResumableSession?, at now: Int64
    ) -> StreamNegotiation {
        var configuration = StreamNegotiation.Configuration(
            account: settings.account, password: settings.password, resource: settings.resource,
            nonce: settings.random(24), iterationBounds: settings.iterationBounds)
        (configuration.allowsPlain, configuration.hasCertificate) = (settings.allowsPlain, settings.identity != nil)
        configuration.requiresChannelBinding = settings.requiresChannelBinding
        configuration.memory = settings.memory
        configuration.leavesNothing = settings.endsAfterBinding
        configuration.userAgent = settings.userAgent
        configuration.token = settings.token.flatMap { $0.hasExpired(at: now) ? nil : $0 }
        configuration.resumption = resumption.map { ResumptionRequest(id: $0.id, inbound: $0.inbound) }
        return StreamNegotiation(configuration)
    }

    // MARK: Life

    /// Connects, logs in, and stays until the end.
    ///
    /// Called once. Cancelling the task closes the stream in order.
    ///
    /// - Returns: How it ended; the channel is closed by then.
    package func run() async -> SessionEnd {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Onto the loop wherever this was called: the compiler may leave out the hop to the caller's actor where
                // the call is all that it does (Swift 6.3).
                loop.execute {
                    self.waiter = continuation
                    self.begin()
                }
            }
        } onCancel: {
            loop.execute { self.stop() }
        }
    }

    private func begin() {
        guard phase == .idle else {
            // Stopped before it began.
            resumeIfOver()
            return
        }
        phase = .negotiating
        searchDeadline = loop.time.now + settings.timeouts.search
        connect()
    }

    /// Begins, or begins again, at the present address of the route, or with a channel that goes on with its search.
    func connect(by next: (any Channel)? = nil) {
        attempt += 1
        channelIsClosed = false
        enter(.connecting)
        // The owner, who was told, may have given up on it.
        guard phase != .ended else {
            next?.abort()
            return
        }
        if let next {
            channel = next
        } else {
            observe(.connecting(route.address))
            channel = connector.connect(
                to: route.address, security: security, on: loop, handler: reporter(of: attempt))
        }
    }

    /// What the channel of that number tells.
    func reporter(of attempt: Int) -> @Sendable (ChannelEvent) -> Void {
        // The loop holds the connection through the channel only until `.closed`, its last event.
        { event in
            guard attempt == self.attempt else { return }
            self.isInEvent = true
            self.channelReported(event)
            self.isInEvent = false
            self.flush()
        }
    }

    /// Closes in order: the closing tag, the server's answer to it or two seconds, then TLS and TCP.
    package func stop() {
        loop.checkIsolated()
        switch phase {
        case .idle:
            phase = .ended
            channelIsClosed = true
            end = end ?? SessionEnd(.stopped, resumable: pendingResumption)
            resumeIfOver()
        case .negotiating:
            finish(.stopped)
        case .online:
            phase = .closing
            end = SessionEnd(.stopped)
            // What the server need not deliver to anyone else (XEP-0198 section 4).
            write((management?.farewell() ?? []) + Self.closingTag)
            farewellDeadline = loop.time.now + Self.farewell
            arm(by: loop.time.now + Self.farewell)
        case .closing, .ended:
            break
        }
    }

    /// Cuts the link without closing the stream, so that the session can be resumed: see `SessionEnd.resumable`.
    package func drop() {
        loop.checkIsolated()
        if phase == .online, let answer = management?.farewell() { write(answer) }
        finish(.stopped, .silently)
    }

    /// Ends it at once, for a reason of the owner's; the stream is closed in order as far as that needs no answer.
    package func abandon(_ reason: String) {
        loop.checkIsolated()
        finish(.abandoned(reason))
    }

    func finish(_ cause: SessionEnd.Cause, _ farewell: Farewell = .closingTag) {
        guard phase != .ended else { return }
        let wasOnline = phase == .online
        // Only an unclean end can be resumed (XEP-0198 section 5).
        let resumable = wasOnline ? (farewell == .closingTag ? nil : resumable) : unansweredResumption(cause)
        phase = .ended
        end = end ?? SessionEnd(cause, resumable: resumable)
        if let timer { loop.cancel(timer.id) }
        timer = nil
        let waiting = requests?.drain() ?? []
        requests = nil
        for reply in waiting { reply(.noReply) }
        if let end { observe(.ended(end)) }
        if case .session(let error) = cause, error.streamError?.condition == .reset {
            // The next handshake is to look at the certificate anew (RFC 6120 section 4.9.3.16).
            settings.sessions?.forget(domain: settings.security.domain)
        }
        // Before the login the negotiation says goodbye itself where it may.
        if wasOnline, farewell == .closingTag { write(Self.closingTag) }
        flush()
        // Ended before it began, which `begin` will see.
        if channel == nil { channelIsClosed = true }
        if channelIsClosed {
            resumeIfOver()
        } else if farewell == .atOnce {
            channel?.abort()
        } else {
            channel?.close()
        }
    }

    /// What the next connection may still ask for: not what connections fail by, or they could fail by it for ever.
    private func unansweredResumption(_ cause: SessionEnd.Cause) -> ResumableSession? {
        var session = pendingResumption
        // The place that the server named did not get us there.
        if route.isAtLocation { session?.location = nil }
        guard cause.leavesResumption else { return nil }
        switch cause {
        case .stopped, .abandoned: return session
        case .lost, .unreachable, .notOffered, .session, .unusable:
            guard hasAskedToResume else { return session }
            session?.failures += 1
            return (session?.failures ?? 0) < ResumableSession.patience ? session : nil
        }
    }

    func channelClosed() {
        channelIsClosed = true
    }

    func resumeIfOver() {
        guard channelIsClosed, let end, let waiter else { return }
        self.waiter = nil
        // It holds the owner, and what the owner keeps may hold this.
        handler = { _ in }
        waiter.resume(returning: end)
    }

    static let closingTag = Array("</stream:stream>".utf8)
}
