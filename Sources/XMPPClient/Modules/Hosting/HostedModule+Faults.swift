import XMPPTransport

/// What goes wrong with a module, and what is made of it.
extension HostedModule {
    /// A call has not returned in time; on the loop.
    func overdue(_ call: UInt64, _ context: ModuleContext) {
        let dropped: [ModuleJob]? = state.withLock { state in
            guard state.isInCall, state.call == call, case .running = state.phase else { return nil }
            state.isOverdue = true
            state.drain?.cancel()
            return state.close()
        }
        guard let dropped else { return }
        refuse(dropped, context)
        tell()
    }

    /// A job keeps its thread, or has given it back.
    func laneIsLost(_ isLost: Bool) {
        let (isTold, drains) = state.withLock { state in
            let before = state.shown
            state.isLost = isLost
            return (state.shown != before, state.takesDrain())
        }
        if drains { startDrain() }
        if isTold { tell() }
    }

    func threw(_ error: any Error) {
        guard !(error is CancellationError) else { return }
        let now = environment.loop.time.now
        let dropped = state.withLock { state in
            state.errors += 1
            return state.pace.take(at: now)
        }
        if let dropped { environment.report(.threw(module: name, error: Self.words(of: error), dropped: dropped)) }
    }

    /// What was not done is refused, so that nobody waits for it.
    func refuse(_ jobs: [ModuleJob], _ context: ModuleContext) {
        let waited = jobs.filter { job in
            switch job {
            case .event(.request), .call: true
            case .event: false
            }
        }
        guard !waited.isEmpty else { return }
        context.link.tell { host, _ in for job in waited { host.refuse(job) } }
    }

    /// A request that a call has left unanswered gets the answer of somebody who does not know it.
    func refuseUnanswered(_ job: ModuleJob, _ context: ModuleContext) {
        guard case .event(.request) = job else { return }
        refuse([job], context)
    }

    func tell() {
        environment.report(.changed(module: name, state.withLock { $0.shown }))
    }

    /// What may be said of an error: its own words where it has chosen some, for those that Swift makes may show bodies.
    static func words(of error: any Error) -> String {
        let type = String(describing: type(of: error))
        guard let chosen = error as? any CustomStringConvertible else { return type }
        return logText("\(type): \(chosen.description)")
    }
}
