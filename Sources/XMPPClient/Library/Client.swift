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
    /// What becomes of the sessions: each one that begins, goes on or ends.
    public nonisolated let sessions: AsyncStream<SessionChange>
    /// Its event loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Our full address, while there is a session.
    public internal(set) var address: JID?
    /// Stanzas that no reader took in time, in any of the streams.
    public internal(set) var droppedStanzas = 0

    nonisolated let loop: EventLoop
    private let ownsLoop: Bool
    let password: Secret
    let options: Options
    let stanzaSink: AsyncStream<Stanza>.Continuation
    let messageSink: AsyncStream<Message>.Continuation
    let presenceSink: AsyncStream<Presence>.Continuation
    let sessionSink: AsyncStream<SessionChange>.Continuation

    var connection: ClientConnection?
    var router: StanzaRouter?
    /// Whether the modules were told of a session and not of its end.
    var modulesHaveSession = false
    /// Modules of bot authors, while `run()` runs.
    var hosting: ModuleHost?
    /// Set once they end.
    var hostingEnd: Task<Void, Never>?
    /// The last available presence for all of this session, as it was given.
    var presence: Element?
    /// What the logins have left; the session in it is the one to go on with where there is no connection.
    var remembered: Memory
    /// What of `remembered` and the session is stored, and when the rest is.
    var keeping = MemoryKeeping()
    /// Stanzas of the server that were handed over in this session, modulo 2^32.
    var inbound: UInt32 = 0
    /// The resource that is asked for.
    var resource: String?
    var onlineSince: Duration?
    /// A session that was given up without an answer, until the next one begins.
    var lost: ResumableSession?
    /// Who waits for a session.
    var waiters: [UInt64: CheckedContinuation<Result<JID, ClientError>, Never>] = [:]
    var nextWaiter: UInt64 = 0
    /// Set once there will be no session any more: why.
    var ending: ClientError?
    private var hasBegun = false
    var isStopped = false
    private var pause: (timer: TimerID, waiter: CheckedContinuation<Void, Never>)?

    /// A client that is not online yet.
    ///
    /// - Parameters:
    ///   - account: Whom to log in.
    ///   - password: Its password; it is kept in memory that is wiped. Nil where `options` have a certificate instead.
    ///   - options: How.
    /// - Throws: `ClientError` where the process has no descriptors left, or the memory is another account's.
    public init(account: BareJID, password: String?, options: Options = Options()) throws(ClientError) {
        self.account = account
        self.password = Secret(password ?? "")
        self.options = options
        remembered = options.memory ?? Memory(account: account, chance: options.transport.makeChance())
        guard remembered.account == account else {
            throw ClientError(
                .unusable, "the memory is that of \(remembered.account)", advice: "give each account its own")
        }
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
        (stanzas, stanzaSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.streamBound))
        (messages, messageSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.streamBound))
        (presences, presenceSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.streamBound))
        (sessions, sessionSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.streamBound))
    }

    deinit {
        stanzaSink.finish()
        messageSink.finish()
        presenceSink.finish()
        sessionSink.finish()
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
        await beginHosting()
        defer {
            stanzaSink.finish()
            messageSink.finish()
            presenceSink.finish()
            sessionSink.finish()
        }
        do throws(ClientError) {
            try await live()
            await endHosting()
            ended(by: .ended)
        } catch {
            await endHosting()
            ended(by: error)
            throw error
        }
    }

    private func live() async throws(ClientError) {
        var settings = try await self.settings()
        var backoff = options.backoff
        var conflicts = 0
        var route: ServerRoute?
        // A session belongs to the resource that it was begun with.
        if !sameBytes(remembered.resource, options.resource) { remembered.forgetSession() }
        while !isStopped, !Task.isCancelled {
            if backoff.failures > 0, let trust = try? await trust() {
                // Renewed certificates, and authorities that are trusted no longer; what cannot be read stays as it was.
                (settings.trust, settings.identity) = trust
            }
            // It may have been stopped while they were read.
            guard !isStopped else { return }
            settings.memory = remembered.login
            settings.token = remembered.token
            settings.resumption = remembered.session
            settings.route = route
            resource = settings.resource
            let connection = ClientConnection(settings: settings, connector: options.transport.connector, loop: loop) {
                event in self.hand(event) { $0.handle($1) }
            }
            self.connection = connection
            let end = await connection.run()
            let online = onlineSince.map { loop.time.now - $0 } ?? .zero
            (remembered.session, route) = (end.resumable, end.route)
            if end.resumable == nil { endModules() }
            if onlineSince != nil {
                sessionSink.yield(.ended(ClientError(end)))
            } else if end.resumable == nil {
                // Asked for in vain too often, or not to be asked for any more.
                lost = lost ?? settings.resumption
            }
            // What was handed over does not come again, whether or not the server was told.
            if onlineSince != nil { remembered.session?.inbound = inbound }
            (self.connection, address, onlineSince) = (nil, nil, nil)
            hosting?.sessionEnded()
            // Before the next connection tells the server of it.
            await keepAll()
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
            await wait(pause(behind: end.reason, online: online, &backoff, settings.random))
        }
    }

    /// How long to wait before the next connection.
    private func pause(
        behind reason: Backoff.Reason, online: Duration, _ backoff: inout Backoff, _ chance: ClientTransport.Chance
    ) -> Duration {
        let clients =
            reason == .link
            ? options.transport.outages.lost(account, to: options.address(for: account), at: loop.time.now) : 1
        return backoff.failed(online: online, by: reason, among: clients, random: fraction(of: chance))
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

    func endPause() {
        guard let (timer, waiter) = pause else { return }
        pause = nil
        loop.cancel(timer)
        waiter.resume()
    }
}

/// The thread of all clients.
private let sharedLoop: Result<EventLoop, TransportError> = Result { () throws(TransportError) in
    let loop = try EventLoop(name: "xmpp-clients")
    loop.start()
    return loop
}
