package import DoorwardConfig
import DoorwardPolicy
import DoorwardStore
import XMPPClient
package import XMPPCore
import XMPPSession
package import XMPPTransport

/// Runs one child an account. A child's failure is a value that is judged here; it never touches another child.
package actor Supervisor {
    /// An account to be run.
    private struct Start {
        let account: Account
        /// The account that had the same address before, where it is still ending.
        ///
        /// It ends first: two sessions would throw each other out.
        let previous: Account?
    }

    /// An account has its place in the gate until it is online, and no longer than this: most of a login's cost is
    /// over then, and servers that take a connection and say nothing hold nobody else up.
    private static let hold = Duration.seconds(3)

    /// After so many tries in vain an alert is raised: with the backoff, about half a minute.
    private static let patience = 4

    private struct Child {
        let account: Account
        var configuration: AccountConfiguration
        var policyDigest: String
    }

    private let environment: AccountEnvironment
    private let loops: [EventLoop]
    private let gate: StartGate
    private var restarts = RestartPolicy()
    /// How often an account has failed since it was last online.
    private var failures: [BareJID: Int] = [:]
    /// Accounts for which that was an alert.
    private var offline: Set<BareJID> = []
    /// Accounts that are not tried again before a reload.
    private var parked: Set<BareJID> = []
    private var children: [BareJID: Child] = [:]
    /// Accounts that were told to stop and have not ended yet, the last of each address.
    private var ending: [BareJID: Account] = [:]
    private var nextLoop = 0
    private var isStopping = false
    private let starts: AsyncStream<Start>
    private let give: AsyncStream<Start>.Continuation

    /// A supervisor without children.
    ///
    /// - Parameters:
    ///   - environment: What its accounts share.
    ///   - loops: The event loops that accounts are spread over; at least one.
    ///   - width: How many accounts may be logging in at the same time.
    package init(environment: AccountEnvironment, loops: [EventLoop], width: Int = 10) {
        self.environment = environment
        self.loops = loops
        gate = StartGate(width: width)
        (starts, give) = AsyncStream.makeStream()
    }

    /// Supervises until `stop()`, then returns when every child has ended.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await start in starts {
                group.addTask(executorPreference: start.account.loop) {
                    await start.previous?.ended()
                    await self.supervise(start.account)
                    await start.account.end()
                    await self.ended(start.account)
                }
            }
        }
    }

    // MARK: Orders

    /// Brings the children into line with a configuration: starts, stops and updates only what changed.
    package func apply(_ configuration: Configuration) async -> ReloadOutcome.Change {
        var change = ReloadOutcome.Change(started: [], stopped: [], updated: [], restarted: [])
        guard !isStopping else { return change }
        let wanted = Dictionary(configuration.accounts.map { ($0.jid, $0) }, uniquingKeysWith: { first, _ in first })
        for jid in children.keys.sorted(by: { $0.description < $1.description }) where wanted[jid] == nil {
            await end(jid)
            environment.board.remove(jid)
            await clearAlerts(of: jid)
            change.stopped.append(jid)
        }
        for account in configuration.accounts {
            guard let policy = configuration.policies[account.policy] else { continue }
            guard let child = children[account.jid] else {
                start(account, configuration)
                change.started.append(account.jid)
                continue
            }
            if child.configuration.needsNewConnection(for: account) || parked.contains(account.jid) {
                await end(account.jid)
                await clearAlerts(of: account.jid)
                start(account, configuration)
                change.restarted.append(account.jid)
            } else if child.configuration != account || child.policyDigest != policy.digest {
                children[account.jid]?.configuration = account
                children[account.jid]?.policyDigest = policy.digest
                change.updated.append(account.jid)
            }
            await children[account.jid]?.account.update(
                configuration: account, policy: policy, redeliveryWait: configuration.redeliveryWait)
            environment.board.update(account.jid) {
                $0.policy = policy.name
                $0.mode = account.mode
            }
        }
        return change
    }

    /// Stops every child, the last started first, and ends `run()`.
    package func stop(_ mode: Configuration.StopMode = .close) async {
        isStopping = true
        for jid in children.keys.sorted(by: { $0.description > $1.description }) { await end(jid, mode) }
        give.finish()
    }

    /// Forgets how an account's logins went, with its token, and starts it afresh.
    ///
    /// - Returns: Whether there is such an account.
    package func trustAgain(_ jid: BareJID, _ configuration: Configuration) async throws -> Bool {
        guard let child = children[jid] else { return false }
        await end(jid)
        // The account that ends may have written last what it knew; what comes after it knows nothing.
        await child.account.forgetLogin()
        try await environment.store.forgetLogin(of: jid)
        await clearAlerts(of: jid)
        start(child.configuration, configuration)
        return true
    }

    /// The account of that address.
    package func account(_ jid: BareJID) -> Account? { children[jid]?.account }

    // MARK: Children

    private func start(_ configuration: AccountConfiguration, _ whole: Configuration) {
        // A stop may have come while a reload waited for an account's end.
        guard !isStopping, let policy = whole.policies[configuration.policy], !loops.isEmpty else { return }
        let loop = loops[nextLoop % loops.count]
        nextLoop = (nextLoop + 1) % loops.count
        let account = Account(
            configuration: configuration, policy: policy, redeliveryWait: whole.redeliveryWait, loop: loop,
            environment: environment)
        children[configuration.jid] = Child(
            account: account, configuration: configuration, policyDigest: policy.digest)
        restarts.forget(account: configuration.jid)
        environment.board.add(AccountStatus(starting: configuration, at: now))
        give.yield(Start(account: account, previous: ending[configuration.jid]))
    }

    private func end(_ jid: BareJID, _ mode: Configuration.StopMode = .close) async {
        parked.remove(jid)
        guard let child = children.removeValue(forKey: jid) else { return }
        ending[jid] = child.account
        await child.account.stop(mode)
    }

    private func ended(_ account: Account) {
        if ending[account.jid] === account { ending[account.jid] = nil }
    }

    /// One child's life: session after session, with rests between them, until it is stopped.
    private func supervise(_ account: Account) async {
        while await !account.hasStopped {
            await gate.enter()
            let (gate, jid) = (gate, account.jid)
            let (end, online) = await account.run(
                holding: Self.hold,
                // Unstructured, both: told from the account's loop, which does not wait for the supervisor.
                onStarted: { Task { await gate.leave() } },
                onOnline: { Task { await self.cameOnline(jid) } })
            guard await !account.hasStopped else { break }
            await rest(account, after: end, online)
        }
        await stopped(account)
    }

    /// Waits as long as the end of a session is worth.
    ///
    /// Not inlined, like what follows the last session: its place on the task's stack, some KiB, would be held while the
    /// account is online.
    @inline(never)
    private func rest(_ account: Account, after end: SessionEnd, _ online: Duration) async {
        let decision = restarts.failed(
            account: account.jid, host: children[account.jid]?.configuration.host ?? account.jid.domain,
            failure: RestartPolicy.Failure(end), online: online, now: account.loop.time.now,
            random: Double.random(in: 0..<1))
        switch decision {
        case .retry(let wait):
            await failed(account, end)
            await account.rest(for: wait, as: .waiting, error: end.description)
        case .retryWithNewResource(let wait):
            await failed(account, end)
            await account.takeNewResource()
            await account.rest(for: wait, as: .waiting, error: end.description)
        case .park:
            // Before any await, so that a reload that comes just now tries the account again; and not for one that
            // another has replaced meanwhile.
            if children[account.jid]?.account === account { parked.insert(account.jid) }
            await park(account, end)
            await account.rest(for: nil, as: .parked, error: end.description)
        }
    }

    @inline(never)
    private func stopped(_ account: Account) async {
        // An account that is gone, or begins afresh with other settings, leaves no session behind to go on with; those of a
        // service that stops are the service's.
        if !isStopping { try? await environment.store.discardSession(of: account.jid) }
        // The board shows the account that has the address now.
        guard children[account.jid] == nil || children[account.jid]?.account === account else { return }
        await account.publish(.stopped)
    }

    private func park(_ account: Account, _ end: SessionEnd) async {
        let code = AlertCode.ofParking(end)
        let mend =
            code == AlertCode.accountParked
            ? "It is not tried again by itself: mend the cause, then `doorward reload`."
            : "No password was sent, and it is not tried again by itself; `doorward account trust-again \(account.jid)` "
                + "forgets."
        let text = "\(end.description). \(mend)"
        guard
            let alert = try? await environment.store.raiseAlert(
                code: code, account: account.jid, text: text, at: now)
        else { return }
        environment.events(.alertRaised(alert))
    }

    /// One more try was in vain.
    ///
    /// A short outage mends itself; one that lasts, an operator must know of.
    private func failed(_ account: Account, _ end: SessionEnd) async {
        let count = (failures[account.jid] ?? 0) + 1
        failures[account.jid] = count
        // What DNS says of a domain does not pass by itself, and four tries take half an hour.
        let patience = if case .notOffered = end.cause { 1 } else { Self.patience }
        guard count >= patience else { return }
        let tries = count == 1 ? "one try" : "\(count) tries"
        let text = "not online after \(tries): \(end.description). It is tried again by itself."
        guard
            let alert = try? await environment.store.raiseAlert(
                code: AlertCode.accountOffline, account: account.jid, text: text, at: now)
        else { return }
        if offline.insert(account.jid).inserted { environment.events(.alertRaised(alert)) }
    }

    private func cameOnline(_ jid: BareJID) async {
        failures[jid] = nil
        guard offline.remove(jid) != nil else { return }
        await clear(AlertCode.accountOffline, jid)
    }

    /// The alerts of an account that is gone or begins afresh are over.
    private func clearAlerts(of jid: BareJID) async {
        failures[jid] = nil
        offline.remove(jid)
        for code in AlertCode.ofAccounts { await clear(code, jid) }
    }

    private func clear(_ code: String, _ jid: BareJID) async {
        guard (try? await environment.store.clearAlert(code: code, account: jid, at: now)) == true else { return }
        environment.events(.alertCleared(code: code, account: jid))
    }

    private var now: Timestamp {
        Timestamp(milliseconds: loops.first?.time.wallMilliseconds ?? 0)
    }
}
