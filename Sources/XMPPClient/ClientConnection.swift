package import XMPPCore
import XMPPCrypto
import XMPPSession
package import XMPPTransport

/// One connection's life: from the first packet to the last, as one `run()`.
///
/// It drives the machines of XMPPSession over a channel: bytes to elements, elements to negotiation or stanzas,
/// replies to their waiters, everything else to the owner. It never reconnects: that is the supervisor's decision.
///
/// `@unchecked Sendable` because it is confined to its loop: the channel, the timers and the owner (an actor on the same
/// loop) all call it there, and each entry checks it.
package final class ClientConnection: @unchecked Sendable {
    /// How often deadlines are looked at.
    private static let tick = Duration.seconds(5)
    /// How long the server has to answer our closing of the stream (RFC 6120 section 4.4).
    private static let farewell = Duration.seconds(2)

    private enum Phase {
        case idle
        case negotiating
        case online
        /// We sent the closing tag and wait for the server's.
        case closing
        /// The channel is being closed.
        case ended
    }

    private let settings: ClientSettings
    private let connector: any Connector
    private let loop: EventLoop
    private let handler: @Sendable (ClientEvent) -> Void

    private var phase = Phase.idle
    private var channel: (any Channel)?
    private var parser: XMLStreamParser
    private var negotiation: StreamNegotiation
    private var requests: IQTable<@Sendable (IQReply) -> Void>?
    private var keepalive: Keepalive
    private var ids: StanzaIDs
    private var stage = ClientStage.connecting
    private var stageDeadline = Duration.zero
    private var timer: TimerID?
    private var end: SessionEnd?
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
        parser = XMLStreamParser(limits: .beforeLogin)
        negotiation = StreamNegotiation(
            .init(
                account: settings.account, password: settings.password, resource: settings.resource,
                nonce: randomBytes(24)))
        keepalive = Keepalive(
            idle: settings.timeouts.silence, timeout: settings.timeouts.pong, now: loop.time.now)
        ids = StanzaIDs(prefix: randomBytes(9))
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
        enter(.connecting)
        scheduleTick()
        // The loop holds the connection through the channel only until `.closed`, its last event.
        let security = TLSSettings(domain: settings.account.asciiDomain, context: settings.trust)
        channel = connector.connect(to: settings.address, security: security, on: loop) { event in
            self.channelReported(event)
        }
    }

    /// Closes in order: the closing tag, the server's answer to it or two seconds, then TLS and TCP.
    package func stop() {
        loop.checkIsolated()
        switch phase {
        case .idle:
            phase = .ended
            channelIsClosed = true
            end = end ?? SessionEnd(.stopped)
            resumeIfOver()
        case .negotiating:
            finish(.stopped)
        case .online:
            phase = .closing
            end = SessionEnd(.stopped)
            channel?.send(Self.closingTag)
            _ = loop.schedule(after: Self.farewell) { self.finish(.stopped) }
        case .closing, .ended:
            break
        }
    }

    /// Cuts the link without closing the stream, so that the session can be resumed.
    package func drop() {
        loop.checkIsolated()
        finish(.stopped)
    }

    /// Ends it at once, for a reason of the owner's; the stream is closed in order as far as that needs no answer.
    package func abandon(_ reason: String) {
        loop.checkIsolated()
        finish(.abandoned(reason))
    }

    private func finish(_ cause: SessionEnd.Cause) {
        guard phase != .ended else { return }
        // Before the login the negotiation says goodbye itself where it may; on a plain stream nothing more is said.
        let sayGoodbye = phase == .online
        phase = .ended
        end = end ?? SessionEnd(cause)
        if let timer { loop.cancel(timer) }
        timer = nil
        let waiting = requests?.drain() ?? []
        requests = nil
        for reply in waiting { reply(.noReply) }
        if sayGoodbye { channel?.send(Self.closingTag) }
        if channelIsClosed { resumeIfOver() } else { channel?.close() }
    }

    private func resumeIfOver() {
        guard channelIsClosed, let end, let waiter else { return }
        self.waiter = nil
        waiter.resume(returning: end)
    }

    // MARK: The channel

    private func channelReported(_ event: ChannelEvent) {
        loop.checkIsolated()
        switch event {
        case .attempted:
            break
        case .connected:
            guard phase == .negotiating else { return }
            enter(.securing)
            perform(negotiation.connected())
        case .secured:
            guard phase == .negotiating else { return }
            parser = XMLStreamParser(limits: .beforeLogin)
            enter(.authenticating)
            perform(negotiation.secured())
        case .received(let bytes):
            received(bytes)
        case .writable:
            break
        case .closed(let closure):
            channelIsClosed = true
            switch closure {
            case .endOfStream: finish(.lost("the server closed the connection"))
            case .local: finish(.stopped)
            case .failed(let error):
                finish(stage == .online ? .lost(error.description) : .unreachable(error.description))
            }
            resumeIfOver()
        }
    }

    private func received(_ bytes: [UInt8]) {
        guard phase != .ended, phase != .idle else { return }
        keepalive.heard(at: loop.time.now)
        let reader = parser
        for event in reader.feed(bytes) {
            switch phase {
            case .negotiating: perform(negotiation.received(event))
            case .online, .closing: streamReported(event)
            case .idle, .ended: return
            }
        }
        if phase == .online { handler(.readEnded(inbound: 0)) }
    }

    private func perform(_ actions: [NegotiationAction]) {
        for action in actions {
            guard phase == .negotiating else { return }
            switch action {
            case .send(let bytes):
                channel?.send(bytes)
            case .startTLS:
                // White space or half a tag behind the go-ahead makes no event, but is plain text all the same: somebody
                // on the way may have put it there (RFC 6120 section 5.4.3.3).
                guard parser.unconsumedBytes == 0 else {
                    finish(.session(.plaintextAfterStartTLS))
                    return
                }
                channel?.startTLS(TLSSettings(domain: settings.account.asciiDomain, context: settings.trust))
            case .resetParser:
                parser.reset()
            case .derive(let derivation):
                derive(derivation)
            case .raiseLimits:
                parser.limits = .normal
                enter(.binding)
            case .established(let session):
                phase = .online
                stage = .online
                parser.limits = .answers
                requests = IQTable(account: session.jid)
                handler(.progressed(.online))
                handler(.established(session))
            case .resumed, .forgetToken, .observed:
                break
            case .fail(let error):
                finish(.session(error))
            }
        }
    }

    private func derive(_ derivation: SCRAMDerivation) {
        // Unstructured: thousands of hash rounds must not hold the loop, and this runs in a callback of the loop. The
        // result comes back as one more event; a connection that ended meanwhile ignores it.
        Task(executorPreference: loop) {
            let keys = try? await BlockingPool.run { derivation.deriveKeys() }
            self.loop.execute {
                guard self.phase == .negotiating, let keys else { return }
                self.perform(self.negotiation.derived(keys))
            }
        }
    }

    // MARK: The stream after login

    private func streamReported(_ event: XMLStreamEvent) {
        switch event {
        case .element(let element):
            if let error = StreamError(element) {
                finish(.session(.streamError(error)))
            } else if let stanza = Stanza(element) {
                stanzaArrived(stanza)
            }
        // What is no stanza belongs to features that we did not ask for (RFC 6120 section 4.9.3.22 leaves it to us).
        // Nothing is done yet about what was skipped.
        case .discarded: break
        case .closed:
            if phase == .online { channel?.send(Self.closingTag) }
            let stopping = phase == .closing
            phase = .closing
            finish(stopping ? .stopped : .lost("the server closed the stream"))
        case .failed(let error):
            channel?.send(error.element.serialized(inside: Namespace.client))
            finish(.session(.streamError(error)))
        case .opened:
            finish(.session(.streamError(StreamError(.notWellFormed))))
        }
    }

    private func stanzaArrived(_ stanza: Stanza) {
        if case .iq(let iq) = stanza, let match = requests?.received(iq) {
            switch match.answer {
            case .result(let payload): match.waiter(.result(payload))
            case .error(let error): match.waiter(.error(error))
            }
            return
        }
        guard phase == .online else { return }
        handler(.received(stanza))
    }

    // MARK: Sending

    /// Sends stanzas in one write.
    ///
    /// - Returns: The number of the last of them as `ClientEvent.acknowledged` counts; nil without stream management and
    ///   without a session, where nothing is sent.
    @discardableResult
    package func send(_ stanzas: [Element]) -> UInt32? {
        loop.checkIsolated()
        guard phase == .online, !stanzas.isEmpty else { return nil }
        var bytes: [UInt8] = []
        for stanza in stanzas { stanza.serialized(into: &bytes, inside: Namespace.client) }
        channel?.send(bytes)
        return nil
    }

    /// The effects of the stanzas up to this number are on disk (see `ClientEvent.readEnded`): the server may forget them.
    package func committed(inbound: UInt32) {
        loop.checkIsolated()
    }

    /// From now on strangers' stanzas arrive: long ones are dropped.
    ///
    /// Before that roster and block list have arrived, however long they are.
    package func limitStanzas() {
        loop.checkIsolated()
        parser.limits = .normal
    }

    /// Makes a request and registers who waits for its reply; the caller sends it, alone or among others.
    ///
    /// - Parameters:
    ///   - type: `get` or `set`.
    ///   - recipient: Nil for the account itself.
    ///   - payload: The request.
    ///   - reply: Called once, on the loop: with the answer, or `noReply` after the time or with the connection's end.
    /// - Returns: The stanza; nil where there is no session or too much is outstanding, and `reply` was told.
    package func request(
        _ type: IQType, to recipient: JID? = nil, _ payload: Element, reply: @escaping @Sendable (IQReply) -> Void
    ) -> Element? {
        loop.checkIsolated()
        let id = ids.next()
        let deadline = loop.time.now + settings.timeouts.request
        guard phase == .online,
            requests?.register(to: recipient, id: id, waiter: reply, deadline: deadline) == true
        else {
            reply(.noReply)
            return nil
        }
        return IQ(type, to: recipient, id: id, payload: payload).element
    }

    // MARK: Time

    private func enter(_ stage: ClientStage) {
        self.stage = stage
        stageDeadline = loop.time.now + settings.timeouts.stage
        handler(.progressed(stage))
    }

    private func scheduleTick() {
        timer = loop.schedule(after: Self.tick) { self.ticked() }
    }

    private func ticked() {
        guard phase != .ended else { return }
        let now = loop.time.now
        switch phase {
        case .negotiating where now >= stageDeadline:
            finish(.unreachable("the server did not answer in time while \(stage.rawValue)"))
            return
        case .online:
            for reply in requests?.expired(at: now) ?? [] { reply(.noReply) }
            switch keepalive.tick(at: now) {
            case .wait: break
            case .ping: ping()
            case .dead:
                finish(.lost("the server did not answer a ping"))
                return
            }
        case .idle, .negotiating, .closing, .ended: break
        }
        scheduleTick()
    }

    private func ping() {
        let payload = Element("ping", namespace: Namespace.ping)
        // Any reply is a sign of life, an error too (XEP-0199 section 4.2); `keepalive` hears it as bytes.
        if let stanza = request(.get, to: JID(settings.account.server), payload, reply: { _ in }) { send([stanza]) }
    }

    private static let closingTag = Array("</stream:stream>".utf8)
}
