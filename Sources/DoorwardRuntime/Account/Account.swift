package import DoorwardConfig
package import DoorwardPolicy
import DoorwardStore
package import XMPPClient
package import XMPPCore
import XMPPModules
package import XMPPTransport

/// One configured account: an actor pinned to an event loop, so that bytes, session, modules and policy run without
/// a hop, and only the store and slow work are awaited.
///
/// The supervisor calls `run()` again and again; each call is one connection's life and returns how it ended.
package actor Account {
    package nonisolated let loop: EventLoop
    package nonisolated let jid: BareJID
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let environment: AccountEnvironment
    var configuration: AccountConfiguration { didSet { refreshServices() } }
    var policy: Policy
    var redeliveryWait: Duration

    /// What lives and dies with the present session; nil between two connections.
    var session: AccountSession?
    /// A session whose link is gone, to go on with over the next connection.
    var dormant: DormantSession?
    /// The session of the process before, asked for with the present connection.
    var saved: SavedSession?
    /// How often a server that was asked for it led it to nothing.
    var resumptionFailures = 0
    /// What is known of earlier logins; nil before the first connection.
    var login: LoginRow?
    /// Whether the store does not have it yet.
    var isLoginDue = false
    /// Where the server sent the session before on.
    var route: ServerRoute?
    /// What has become known of contacts' pictures and is not written yet.
    var avatarChanges: [BareJID: Store.AvatarChange] = [:]
    /// Told apart from another client that has our resource.
    var resourceSuffix: String?
    /// The modules of its bot; nil until there were some.
    var moduleHost: ModuleHost?
    var moduleChanges = ModuleChanges()
    /// Set once they end for good.
    var moduleEnding: Task<Void, Never>?
    /// Counts connections.
    ///
    /// What comes back from an await checks that it still belongs to the present one.
    var generation = 0
    /// How many contacts the board shows; nil before it was told.
    var shownContacts: Int??
    /// Commands about contacts, one after the other.
    let (contactTurns, openOrders) = (TurnQueue(), OpenOrders())
    private var isStopped = false
    private var pause: CheckedContinuation<Void, Never>?
    private var preparation: CheckedContinuation<Result<ClientSettings, SessionEnd>, Never>?
    private var pauseTimer: TimerID?
    private var hasEnded = false
    private var endWaiters: [CheckedContinuation<Void, Never>] = []
    /// Set while other accounts wait for this one's start; called once.
    private var onStarted: (@Sendable () -> Void)?
    private var onOnline: (@Sendable () -> Void)?

    package init(
        configuration: AccountConfiguration, policy: Policy, redeliveryWait: Duration, loop: EventLoop,
        environment: AccountEnvironment
    ) {
        jid = configuration.jid
        self.configuration = configuration
        (self.policy, self.redeliveryWait) = (policy, redeliveryWait)
        (self.loop, self.environment) = (loop, environment)
    }

    // MARK: What the supervisor calls

    /// One session: reads the password, connects, works until the connection ends.
    ///
    /// - Parameters:
    ///   - hold: How long other accounts wait for this one's start at most.
    ///   - onStarted: Called once, when the account is online, the attempt is over, or `hold` has passed.
    ///   - onOnline: Called when the account is online.
    /// - Returns: How it ended, and how long it was online.
    package func run(
        holding hold: Duration, onStarted: @escaping @Sendable () -> Void, onOnline: @escaping @Sendable () -> Void
    ) async -> (end: SessionEnd, online: Duration) {
        self.onStarted = onStarted
        self.onOnline = onOnline
        let holdTimer = loop.schedule(after: hold) { self.assumeIsolated { $0.started() } }
        defer {
            loop.cancel(holdTimer)
            started()
            // It holds the supervisor, which holds the account.
            self.onOnline = nil
        }
        guard !isStopped else { return (SessionEnd(.stopped), .zero) }
        publish(.connecting)
        if moduleHost == nil { await applyModules() }
        let connection: ClientConnection
        switch await preparedConnection() {
        case .success(let prepared): connection = prepared
        case .failure(let end): return (end, .zero)
        }
        session = AccountSession(connection: connection)
        let end = await connection.run()
        route = end.route
        let online = session?.onlineSince.map { loop.time.now - $0 } ?? .zero
        await connectionEnded(end)
        self.generation += 1
        return (end, online)
    }

    /// Ends the session, or the wait between two, for good; its modules say their last words first, five seconds at most.
    ///
    /// - Parameter mode: In order, or so that the next start of the service can go on with it.
    package func stop(_ mode: Configuration.StopMode = .close) {
        isStopped = true
        prepared(.failure(SessionEnd(.stopped)))
        guard moduleHost != nil, session?.connection.isOnline == true else { return leave(mode) }
        // Unstructured: the supervisor stops all accounts, one after the other, and waits for them together.
        Task.immediate {
            await self.endModules()
            self.leave(mode)
        }
    }

    private func leave(_ mode: Configuration.StopMode) {
        switch mode {
        case .close: session?.connection.stop()
        case .resumable: session?.connection.drop()
        }
        wake()
    }

    package var hasStopped: Bool { isStopped }

    /// The supervisor is done with it: no connection of it is left.
    package func end() async {
        await endModules()
        hasEnded = true
        // Its connection holds the account; on disk it is all the same.
        forgetDormant()
        for waiter in endWaiters { waiter.resume() }
        endWaiters = []
    }

    /// Waits for that.
    package func ended() async {
        await withCheckedContinuation { continuation in
            // In here and not before: for a task that prefers another executor the call itself gives way, and the end may
            // come in between. So it is wherever something waits.
            guard !hasEnded else { return continuation.resume() }
            endWaiters.append(continuation)
        }
    }

    /// Waits between two sessions.
    ///
    /// - Parameters:
    ///   - duration: Nil waits until `stop()`.
    ///   - state: What `status` shows meanwhile, published when the wait has begun.
    ///   - error: Why it waits.
    func rest(for duration: Duration?, as state: AccountStatus.State, error: String) async {
        await withCheckedContinuation { continuation in
            guard !isStopped else { return continuation.resume() }
            pause = continuation
            if let duration {
                pauseTimer = loop.schedule(after: duration) { self.assumeIsolated { $0.wake() } }
            }
            publish(state, error: error)
        }
    }

    // MARK: What the session calls

    /// Shows a state; `isResumed` where the session of before goes on.
    func publish(_ state: AccountStatus.State, error: String? = nil, isResumed: Bool = false) {
        let status = environment.board.update(jid) { status in
            if status.state != state { status.since = now }
            status.state = state
            status.policy = policy.name
            status.mode = configuration.mode
            status.resumedAt = isResumed ? now : nil
            if state == .online { status.lastError = nil }
            if let error { status.lastError = error }
        }
        if let status { environment.events(.accountChanged(status)) }
        guard state == .online else { return }
        started()
        onOnline?()
    }

    // MARK: Parts

    private func started() {
        onStarted?()
        onStarted = nil
    }

    private func wake() {
        if let pauseTimer { loop.cancel(pauseTimer) }
        pauseTimer = nil
        pause?.resume()
        pause = nil
    }

    /// A connection for the next session, or why there is none.
    ///
    /// Not inlined: its place on the task's stack would be held while the account is online.
    @inline(never)
    private func preparedConnection() async -> Result<ClientConnection, SessionEnd> {
        let settings: ClientSettings
        switch await preparedSettings() {
        case .success(let prepared): settings = prepared
        case .failure(let end): return .failure(end)
        }
        guard !isStopped else { return .failure(SessionEnd(.stopped)) }
        generation += 1
        let generation = generation
        return .success(
            ClientConnection(settings: settings, connector: environment.connector, loop: loop) { event in
                self.hand((event, generation)) { $0.handle($1.0, of: $1.1) }
            })
    }

    /// The settings, or the stop where that comes first: a password command may take its time.
    private func preparedSettings() async -> Result<ClientSettings, SessionEnd> {
        await withCheckedContinuation { continuation in
            guard !isStopped else { return continuation.resume(returning: .failure(SessionEnd(.stopped))) }
            preparation = continuation
            // Unstructured, so that a stop need not wait for it; it ends with the command, and its result is then dropped.
            Task.immediate { await self.prepare() }
        }
    }

    private func prepare() async {
        do throws(SessionEnd) {
            prepared(.success(try await clientSettings()))
        } catch {
            prepared(.failure(error))
        }
    }

    private func prepared(_ result: Result<ClientSettings, SessionEnd>) {
        preparation?.resume(returning: result)
        preparation = nil
    }
}
