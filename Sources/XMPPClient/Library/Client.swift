public import XMPPCore
import XMPPCrypto
import XMPPSession
import XMPPTransport

/// An account online: it logs in, stays online, and hands over what arrives.
///
/// ```swift
/// let client = try Client(account: BareJID("bot@example.org"), password: secret)
/// async let life: Void = client.run()
/// for await message in client.messages { print(message.body ?? "") }
/// try await life
/// ```
///
/// Each client is an actor on an event loop; all clients of a process share one thread. What arrives is kept for the
/// streams up to a bound, over which the oldest is dropped and counted in ``droppedStanzas``.
public actor Client {
    /// How much waits in each stream for its reader.
    public static let streamBound = 256

    /// Whose it is.
    public nonisolated let account: BareJID
    /// All that arrives and is no answer to a request of ours; ends with `run()`.
    public nonisolated let stanzas: AsyncStream<Stanza>
    /// The messages among it.
    public nonisolated let messages: AsyncStream<Message>
    /// The presences among it.
    public nonisolated let presences: AsyncStream<Presence>
    /// Its event loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Our full address, while there is a session.
    public private(set) var address: JID?
    /// Stanzas that no reader took in time, in any of the streams.
    public private(set) var droppedStanzas = 0

    nonisolated let loop: EventLoop
    private let ownsLoop: Bool
    private let password: Secret
    private let options: Options
    private let userAgent: UserAgent
    private let stanzaSink: AsyncStream<Stanza>.Continuation
    private let messageSink: AsyncStream<Message>.Continuation
    private let presenceSink: AsyncStream<Presence>.Continuation

    private var connection: ClientConnection?
    private var router = StanzaRouter(modules: [])
    private var memory = LoginMemory()
    private var token: FASTToken?
    private var onlineSince: Duration?
    private var hasBegun = false
    private var isStopped = false
    private var pause: (timer: TimerID, waiter: CheckedContinuation<Void, Never>)?

    /// A client that is not online yet.
    ///
    /// - Parameters:
    ///   - account: Whom to log in.
    ///   - password: Its password; it is kept in memory that is wiped.
    ///   - options: How.
    /// - Throws: `ClientError` where the process has no descriptors left.
    public init(account: BareJID, password: String, options: Options = Options()) throws(ClientError) {
        self.account = account
        self.password = Secret(password)
        self.options = options
        do {
            if let time = options.transport.time {
                loop = try EventLoop(name: "xmpp-client", time: time)
                loop.start()
                ownsLoop = true
            } else {
                loop = try sharedLoop.get()
                ownsLoop = false
            }
        } catch {
            throw ClientError(.unusable, error.description, advice: "close what is not needed, and try again")
        }
        userAgent = UserAgent(id: UserAgent.randomID(), software: options.software)
        (stanzas, stanzaSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.streamBound))
        (messages, messageSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.streamBound))
        (presences, presenceSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.streamBound))
    }

    deinit {
        stanzaSink.finish()
        messageSink.finish()
        presenceSink.finish()
        if ownsLoop { loop.stop() }
    }

    // MARK: Life

    /// Logs in and stays online, over as many connections as it takes, until `stop()` or the task is cancelled.
    ///
    /// To be called once. A session whose connection breaks is taken up again where the server allows it (XEP-0198).
    ///
    /// - Throws: `ClientError` where trying again cannot help, such as a wrong password, or may not be done
    ///   (`Options.reconnects`).
    public func run() async throws(ClientError) {
        guard !hasBegun else {
            throw ClientError(.unusable, "this client has run already", advice: "make a new one")
        }
        hasBegun = true
        defer {
            stanzaSink.finish()
            messageSink.finish()
            presenceSink.finish()
        }
        var settings = try await self.settings()
        var backoff = options.backoff
        var conflicts = 0
        while !isStopped, !Task.isCancelled {
            settings.memory = memory
            settings.token = token
            let connection = ClientConnection(settings: settings, connector: options.transport.connector, loop: loop) {
                event in self.assumeIsolated { $0.handle(event) }
            }
            self.connection = connection
            let end = await connection.run()
            let online = onlineSince.map { loop.time.now - $0 } ?? .zero
            (self.connection, address, onlineSince) = (nil, nil, nil)
            guard let error = ClientError(end), !isStopped else { return }
            if online >= backoff.recovery { conflicts = 0 }
            switch options.reconnects ? end.retry : .park {
            case .retry: break
            case .retryWithNewResource:
                // Another session has our resource, and the two would throw each other out for ever (RFC 6120 section
                // 7.7.2.2): from now on the server chooses one. Where that does not help, a person must look.
                conflicts += 1
                guard conflicts == 1 else { throw error }
                settings.resource = nil
            case .park: throw error
            }
            settings.resumption = end.resumable
            await wait(backoff.failed(online: online, random: Double.random(in: 0..<1)))
        }
    }

    /// Closes the session in order and ends `run()`, for good.
    public func stop() {
        isStopped = true
        connection?.stop()
        endPause()
    }

    private func settings() async throws(ClientError) -> ClientSettings {
        let file = options.authorities
        let trust: TLSContext
        do {
            trust = try await sharedTrust.context(caFile: file)
        } catch {
            throw ClientError(.unusable, "\(error)", advice: "name a file of certificates that can be read")
        }
        let server = options.server?.address ?? .domain(account.asciiDomain)
        var settings = ClientSettings(
            account: account, password: password, resource: options.resource, address: server, trust: trust)
        settings.allowsPlain = options.allowsPlain
        settings.requiresChannelBinding = options.requiresChannelBinding
        settings.userAgent = userAgent
        settings.observer = options.observer
        settings.pins = options.pins
        settings.sessions = sharedSessions
        return settings
    }

    private func wait(_ duration: Duration) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !isStopped, !Task.isCancelled else { return continuation.resume() }
                let timer = loop.schedule(after: duration) { self.assumeIsolated { $0.endPause() } }
                pause = (timer, continuation)
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.endPause() } }
        }
    }

    private func endPause() {
        guard let (timer, waiter) = pause else { return }
        pause = nil
        loop.cancel(timer)
        waiter.resume()
    }

    // MARK: What arrives

    private func handle(_ event: ClientEvent) {
        switch event {
        case .progressed, .readEnded, .acknowledged:
            break
        case .established(let session):
            (memory, onlineSince, address) = (session.login.memory, loop.time.now, session.jid)
            token = session.token ?? token
            router = StanzaRouter(modules: options.modules())
            if let presence = options.presence { connection?.send([presence.element]) }
        case .resumed(let session):
            (memory, onlineSince) = (session.login.memory, loop.time.now)
            token = session.token ?? token
            address = connection?.address
        case .received(let stanza):
            if let answer = router.route(stanza) { connection?.send([answer]) }
            // A sender that is no address is nobody.
            guard !stanza.fromIsInvalid else { return }
            count(stanzaSink.yield(stanza))
            switch stanza {
            case .message(let message): count(messageSink.yield(message))
            case .presence(let presence): count(presenceSink.yield(presence))
            case .iq: break
            }
        case .tokenExpired:
            token = nil
        }
    }

    private func count<Element>(_ result: AsyncStream<Element>.Continuation.YieldResult) {
        if case .dropped = result { droppedStanzas += 1 }
    }

    // MARK: Sending

    /// Sends a message.
    ///
    /// - Throws: `ClientError.Code.offline` where there is no session.
    public func send(_ message: Message) throws(ClientError) { try send([message.element]) }

    /// Sends a presence.
    ///
    /// - Throws: `ClientError.Code.offline` where there is no session.
    public func send(_ presence: Presence) throws(ClientError) { try send([presence.element]) }

    /// Sends stanzas in one write.
    ///
    /// - Throws: `ClientError.Code.offline` where there is no session.
    public func send(_ stanzas: [Element]) throws(ClientError) {
        guard let connection, address != nil else { throw .offline }
        connection.send(stanzas)
    }

    /// Asks, and waits for the answer; only an answer with the id and the sender of the request counts.
    ///
    /// - Parameters:
    ///   - type: `get` or `set`.
    ///   - recipient: Whom; nil for the account itself.
    ///   - payload: What.
    /// - Returns: What the result holds, if anything.
    /// - Throws: `ClientError`: `offline`, `noReply` after a minute or with the end of the connection, `refused` with the
    ///   condition of the other side.
    @discardableResult
    public func request(
        _ type: IQType, to recipient: JID? = nil, _ payload: Element
    ) async throws(ClientError) -> Element? {
        let reply: IQReply? = await withCheckedContinuation { continuation in
            guard let connection, address != nil else { return continuation.resume(returning: nil) }
            let stanza = connection.request(type, to: recipient, payload) { continuation.resume(returning: $0) }
            connection.send([stanza].compactMap { $0 })
        }
        switch reply {
        case .result(let payload): return payload
        case .error(let error): throw .refused(error)
        case .noReply: throw .noReply
        case nil: throw .offline
        }
    }
}

extension SessionEnd {
    /// Whether a pause may heal it.
    fileprivate var retry: SessionError.RetryAdvice {
        switch cause {
        case .stopped, .abandoned, .unusable: .park
        case .lost, .unreachable: .retry
        case .session(let error): error.retry
        }
    }
}

/// The thread of all clients.
private let sharedLoop: Result<EventLoop, TransportError> = Result { () throws(TransportError) in
    let loop = try EventLoop(name: "xmpp-clients")
    loop.start()
    return loop
}

/// The authorities of all clients, each file loaded once.
private let sharedTrust = TLSContextCache()

/// A login again costs a resumed handshake.
private let sharedSessions = TLSSessionCache()
