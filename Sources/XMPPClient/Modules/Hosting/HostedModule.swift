import XMPPCore
import XMPPTransport

/// One module of one account: its inbox, its calls one after the other, and what they come to.
///
/// Its tasks are unstructured, all of them: they have no parent, since one that never ends must hold nobody up, and they are
/// there only while there is something to do. They run on the lane of the module.
final class HostedModule: Sendable {
    /// A call that takes longer closes the inbox until it returns.
    static let patience = Duration.seconds(5)

    let prepared: PreparedModule
    let state = Locked(State())
    let environment: ModuleHost.Environment
    private let lane: ModuleLane

    init(_ prepared: PreparedModule, _ environment: ModuleHost.Environment) {
        self.prepared = prepared
        self.environment = environment
        let lost = WeakModule()
        lane = ModuleLane(environment.executor) { isLost in lost.module?.laneIsLost(isLost) }
        lost.set(self)
    }

    var name: String { prepared.kind.name }

    /// Whether nothing of it counts any more.
    var isShut: Bool {
        state.withLock { state in
            switch state.phase {
            case .starting, .running, .stopping: false
            case .failed, .disabled, .stopped: true
            }
        }
    }

    /// How many jobs its lane has begun, where it has nothing to do, or cannot do it; nil otherwise.
    var rest: Int? {
        // First: what is put into the inbox behind this is seen there, or in another number.
        let (isIdle, begun) = lane.rest
        return state.withLock { state in
            let isQuiet =
                switch state.phase {
                case .starting: state.isLost
                case .running: !state.isOpen || state.inbox.count == 0 && !state.isInCall
                case .failed, .disabled, .stopped: true
                case .stopping: false
                }
            return isQuiet && (isIdle || state.isLost) ? begun : nil
        }
    }

    var status: ModuleStatus {
        state.withLock { state in
            var status = ModuleStatus(name: name, state: state.shown)
            (status.handled, status.waiting) = (state.handled, state.inbox.count)
            (status.dropped, status.errors) = (state.dropped, state.errors)
            return status
        }
    }

    // MARK: Beginning and ending

    func start(_ context: ModuleContext) {
        state.withLock { $0.context = context }
        if let reason = prepared.disabled {
            state.withLock { $0.phase = .disabled(reason) }
            return tell()
        }
        let life = Task(executorPreference: lane) { await self.live(context) }
        state.withLock { $0.life = life }
    }

    private func live(_ context: ModuleContext) async {
        let module: any XMPPModule
        let declared: (any Sendable)?
        let note = environment.notes?.begin(account: environment.account, module: name, event: Self.beginning)
        do {
            module = try prepared.make()
            declared = environment.companion?.declarations(module)
        } catch {
            environment.notes?.end(note)
            let words = Self.words(of: error)
            let dropped = state.withLock { state in
                state.phase = .failed(words)
                return state.close()
            }
            refuse(dropped, context)
            return tell()
        }
        environment.notes?.end(note)
        let (goesOn, drains) = state.withLock { state in
            guard case .starting = state.phase else { return (false, false) }
            (state.phase, state.declared) = (.running(module), declared)
            return (true, state.takesDrain())
        }
        guard goesOn else { return }
        tell()
        context.link.tell { host, module in host.began(module) }
        if drains { startDrain() }
        do { try await module.run(in: context) } catch { threw(error) }
    }

    /// Its making, as a note calls it.
    private static let beginning = "start"

    /// Stops it, and returns when it has said goodbye, or has had the time for it.
    func stop() async {
        guard let context = state.withLock({ $0.context }) else { return }
        let (module, waits, dropped) = state.withLock { state in
            var module: (any XMPPModule)?
            if case .running(let running) = state.phase { module = running }
            if case .stopped = state.phase { return (module, nil as State?, [ModuleJob]()) }
            let before = state
            state.phase = .stopping
            state.life?.cancel()
            state.drain?.cancel()
            return (module, before, state.close())
        }
        guard let waits else { return }
        refuse(dropped, context)
        // One that is stuck is not waited for: it would take all of the time.
        if let module, waits.isOpen {
            let end = Once<Void>()
            let timer = environment.loop.schedule(after: Self.patience) { end.give(()) }
            Task(executorPreference: lane) {
                await waits.life?.value
                await waits.drain?.value
                await module.stop(in: context)
                end.give(())
            }
            await withCheckedContinuation { end.wait($0) }
            environment.loop.cancel(timer)
        }
        state.withLock { ($0.phase, $0.context) = (.stopped, nil) }
        tell()
    }

    // MARK: Events

    /// Puts something into the inbox.
    ///
    /// - Returns: What gave way, if something did: this where the inbox is closed.
    func put(_ job: ModuleJob) -> ModuleJob? {
        let (dropped, drains) = state.withLock { state in
            guard state.isOpen else {
                state.dropped += 1
                return (job as ModuleJob?, false)
            }
            let oldest = state.inbox.put(job)
            if oldest != nil { state.dropped += 1 }
            return (oldest, state.takesDrain())
        }
        if drains { startDrain() }
        return dropped
    }

    func startDrain() {
        guard let context = state.withLock({ $0.context }) else { return }
        let drain = Task(executorPreference: lane) { await self.drain(context) }
        state.withLock { $0.drain = drain }
    }

    private func drain(_ context: ModuleContext) async {
        while let (job, module, call) = next() {
            let digest = environment.notes == nil ? "" : job.digest
            let note = environment.notes?.begin(account: environment.account, module: name, event: digest)
            let timer = environment.loop.schedule(after: Self.patience) { self.overdue(call, context) }
            do {
                switch job {
                case .event(let event): try await module.handle(event, in: context)
                case .call(let call): try await call.perform(module, context)
                }
            } catch {
                threw(error)
            }
            environment.loop.cancel(timer)
            environment.notes?.end(note)
            refuseUnanswered(job, context)
            finished()
        }
        // One that was cancelled ends with its call; what has come since is for another.
        if state.withLock({ $0.takesDrain() }) { startDrain() }
    }

    /// What is to be done next; nil ends the task.
    private func next() -> (ModuleJob, any XMPPModule, UInt64)? {
        state.withLock { state in
            // One that was cancelled is followed by another task, which is not.
            guard case .running(let module) = state.phase, state.isOpen, !Task.isCancelled,
                let job = state.inbox.take()
            else {
                state.isDraining = false
                return nil
            }
            state.call &+= 1
            state.isInCall = true
            return (job, module, state.call)
        }
    }

    private func finished() {
        let wasOverdue = state.withLock { state in
            state.isInCall = false
            state.handled += 1
            defer { state.isOverdue = false }
            return state.isOverdue
        }
        if wasOverdue { tell() }
    }
}

/// For the lane, which is made before its module.
private final class WeakModule: @unchecked Sendable {
    // Unchecked because it is written once, before anything runs on the lane.
    private(set) weak var module: HostedModule?

    func set(_ module: HostedModule) { self.module = module }
}
