package import DoorwardConfig
import DoorwardPolicy
package import DoorwardStore
package import XMPPCore
package import XMPPTransport

/// The whole service: supervisor, store and desk, and the configuration they run by.
package actor Service {
    /// What is used beside the configuration; tests replace it.
    package struct Parts: Sendable {
        package var loops: [EventLoop]
        package var connector: any Connector
        package var events: EventSink
        /// Reads the files again, for a reload.
        package var load: @Sendable () -> LoadResult
        package var version: String
        /// Reads a password; blocking.
        package var readSecret: @Sendable (SecretSource) throws -> [UInt8] = { try SecretReader.read($0) }
        /// Whether what nobody waits for is recorded later than it is known.
        package var recordsLater = true
        /// How long a command waits for another server to refuse that it is asked.
        package var refusalWait = Duration.seconds(3)
        /// Contacts' pictures; in memory where nothing else is said.
        package var avatars = AvatarFleet()

        package init(
            loops: [EventLoop], connector: any Connector, version: String,
            load: @escaping @Sendable () -> LoadResult, events: @escaping EventSink
        ) {
            self.loops = loops
            self.connector = connector
            self.version = version
            self.load = load
            self.events = events
        }
    }

    var configuration: Configuration
    let parts: Parts
    let store: Store
    private let board = StatusBoard()
    let supervisor: Supervisor
    let desk: Desk
    /// The threads of bot authors' modules.
    private let modules: ModuleExecutor?
    private let startedAt: Timestamp
    private var isReloading = false
    private var reloadWaiters: [CheckedContinuation<Void, Never>] = []

    /// A service that does not run yet.
    ///
    /// - Parameters:
    ///   - configuration: Without faults.
    ///   - store: Open.
    ///   - parts: What it uses beside.
    package init(configuration: Configuration, store: Store, parts: Parts) {
        self.configuration = configuration
        self.store = store
        self.parts = parts
        startedAt = Timestamp(milliseconds: parts.loops.first?.time.wallMilliseconds ?? 0)
        var environment = AccountEnvironment(
            store: store, connector: parts.connector, trust: TLSContextCache(), board: board, events: parts.events,
            readSecret: parts.readSecret)
        environment.recordsLater = parts.recordsLater
        environment.refusalWait = parts.refusalWait
        environment.modules = parts.loops.first.map { ModuleExecutor(watch: $0) }
        modules = environment.modules
        environment.avatars = parts.avatars
        environment.version = parts.version
        supervisor = Supervisor(environment: environment, loops: parts.loops)
        desk = Desk(store: store, supervisor: supervisor, events: parts.events)
        // Commands may come before `run()` has begun: none of these accounts is unknown, or not configured.
        for account in configuration.accounts where configuration.policies[account.policy] != nil {
            board.add(AccountStatus(starting: account, at: startedAt))
        }
    }

    /// Runs until `stop()`.
    package func run() async {
        await clearOldAlerts()
        await noteCrashes()
        _ = await supervisor.apply(configuration)
        await closeRequestsWithoutAccount()
        await supervisor.run()
        modules?.end()
        // A stream that was closed in order cannot be resumed.
        if configuration.stop == .close { try? await store.discardSessions() }
    }

    /// Stops every account, in order or so that the next start can go on with its session; `run()` then returns.
    package func stop() async {
        await supervisor.stop(configuration.stop)
    }

    // MARK: Commands

    package func status() async throws -> ServiceStatus {
        let pending = try await store.pendingCounts()
        let alerts = try await store.alerts(all: false)
        let accounts = board.all.map { status in
            var status = status
            status.pending = pending[status.jid] ?? 0
            status.modules = board.modules(of: status.jid)
            return status
        }
        return ServiceStatus(version: parts.version, startedAt: startedAt, alerts: alerts, accounts: accounts)
    }

    package func pending(all: Bool, account: BareJID?, after: Int64) async throws -> [RequestRow] {
        try await store.pending(all: all, account: account, after: after)
    }

    package func request(id: Int64) async throws -> RequestRow? {
        try await store.request(id: id)
    }

    package func waitingCounts() async throws -> [BareJID: Int] {
        try await store.pendingCounts()
    }

    package func answer(_ answers: [Answer]) async throws -> [AnswerOutcome] {
        try await desk.answer(answers, at: now)
    }

    package func history(limit: Int, before: Int64?, account: BareJID?) async throws -> [HistoryRow] {
        try await store.history(limit: limit, before: before, account: account)
    }

    /// Forgets how an account's logins went and starts it afresh: from the next login on its server is trusted again.
    ///
    /// - Returns: Whether there is such an account.
    package func trustAgain(_ account: BareJID, by name: String) async throws -> Bool {
        guard try await supervisor.trustAgain(account, configuration) else { return false }
        parts.events(.trustedAgain(account, operator: name))
        return true
    }

    package func alerts(all: Bool) async throws -> [AlertRow] {
        try await store.alerts(all: all)
    }

    /// How often accounts have read from their streams, and how often something was written to the disk for that.
    package nonisolated var work: (reads: Int, commits: Int) { (board.reads, store.commits) }

    package func operators() -> [OperatorConfiguration] { configuration.operators }

    /// Reads all files again and changes what they changed.
    ///
    /// With any error nothing changes, and an alert says why.
    package func reload() async -> ReloadOutcome {
        // One after the other: who comes while one is under way gets the files as they are after it.
        while isReloading {
            await withCheckedContinuation { continuation in
                guard isReloading else { return continuation.resume() }
                reloadWaiters.append(continuation)
            }
        }
        isReloading = true
        defer {
            isReloading = false
            for waiter in reloadWaiters { waiter.resume() }
            reloadWaiters = []
        }
        let load = parts.load
        let result = (try? await BlockingPool.run { load() }) ?? LoadResult(configuration: nil, faults: [])
        guard var fresh = result.configuration, result.errors.isEmpty else {
            await refuse(result.errors)
            return ReloadOutcome(change: nil, faults: result.faults)
        }
        var faults = result.faults
        if !fresh.storePath.utf8.elementsEqual(configuration.storePath.utf8)
            || !fresh.controlPath.utf8.elementsEqual(configuration.controlPath.utf8)
        {
            faults.append(
                Fault(
                    FaultCatalogue.needsRestart, path: fresh.path,
                    "store and control take effect at the next start of the service"))
            fresh.storePath = configuration.storePath
            fresh.controlPath = configuration.controlPath
        }
        configuration = fresh
        let change = await supervisor.apply(fresh)
        await closeRequestsWithoutAccount()
        await clear(AlertCode.reloadRefused, nil)
        parts.events(.reloaded(change))
        return ReloadOutcome(change: change, faults: faults)
    }

    // MARK: Parts

    nonisolated var avatars: AvatarFleet { parts.avatars }
    var events: EventSink { parts.events }

    func account(_ jid: BareJID) async -> Account? { await supervisor.account(jid) }

    var now: Timestamp { Timestamp(milliseconds: parts.loops.first?.time.wallMilliseconds ?? 0) }

    private func refuse(_ errors: [Fault]) async {
        let first =
            errors.first.map { "\($0.path):\($0.line):\($0.column): \($0.message)" } ?? "the files were not read"
        let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
        let text =
            "the running configuration stays, since the files have faults: \(first)\(more). `doorward check` shows them."
        if let alert = try? await store.raiseAlert(code: AlertCode.reloadRefused, account: nil, text: text, at: now) {
            parts.events(.alertRaised(alert))
        }
    }

    /// Requests of accounts that are no longer configured leave the desk.
    ///
    /// Nobody could send an answer. The server keeps them: where the account comes back, they are delivered again and
    /// reopen under their ids.
    private func closeRequestsWithoutAccount() async {
        let configured = Set(configuration.accounts.map(\.jid))
        // What is known of their contacts' pictures is worth nothing; a login finds it out again.
        try? await store.forgetAvatars(besides: configured)
        let closure = Closure(.withdrawn, by: .server, reason: "the account is not configured any more")
        for jid in ((try? await store.pendingCounts()) ?? [:]).keys where !configured.contains(jid) {
            let rows = (try? await store.liveRequests(of: jid)) ?? []
            let changes = rows.filter { $0.state == .open || $0.state == .held }
                .map { RequestChange.closed(contact: $0.contact, as: closure) }
            let closed = try? await store.commit(account: jid, session: 0, at: now, changes: changes)
            for case let row? in closed ?? [] { parts.events(.closed(row, reason: closure.reason)) }
        }
    }

    /// Modules that had an event in their hands when the process before ended: who does so again is shut off.
    private func noteCrashes() async {
        for note in (try? await store.takeCrashes(at: now)) ?? [] {
            guard let account = try? BareJID(note.account) else { continue }
            parts.events(.moduleCrashed(account, module: note.module))
        }
    }

    /// Conditions of the run before: whatever still holds is raised again.
    private func clearOldAlerts() async {
        for alert in (try? await store.alerts(all: false)) ?? [] { await clear(alert.code, alert.account) }
    }

    private func clear(_ code: String, _ account: BareJID?) async {
        if (try? await store.clearAlert(code: code, account: account, at: now)) == true {
            parts.events(.alertCleared(code: code, account: account))
        }
    }
}
