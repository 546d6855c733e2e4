extension HostedModule {
    /// How far it is.
    enum Phase {
        case starting
        case running(any XMPPModule)
        case failed(String)
        case disabled(String)
        case stopping
        case stopped
    }

    /// All that changes of it.
    struct State {
        var phase = Phase.starting
        /// What its calls get; nil before its begin and behind its end.
        var context: ModuleContext?
        var inbox = ModuleInbox()
        /// What it said of itself when it began, for the host's companion.
        var declared: (any Sendable)?
        /// Counts the calls; the one at hand has this number.
        var call: UInt64 = 0
        var isInCall = false
        /// Whether that call has taken too long.
        var isOverdue = false
        /// Whether a job of it does not give its thread back.
        var isLost = false
        /// Whether the task that empties the inbox is there.
        var isDraining = false
        var drain: Task<Void, Never>?
        var life: Task<Void, Never>?
        var handled = 0
        var dropped = 0
        var errors = 0
        var pace = LogPace()

        /// Whether events come in.
        var isOpen: Bool {
            switch phase {
            case .starting, .running: !isOverdue && !isLost
            case .failed, .disabled, .stopping, .stopped: false
            }
        }

        var shown: ModuleState {
            switch phase {
            case .starting: isLost ? .stuck : .starting
            case .running: isOverdue || isLost ? .stuck : .running
            case .failed(let text): .failed(text)
            case .disabled(let text): .disabled(text)
            case .stopping, .stopped: .stopped
            }
        }

        /// Whether there is something to do, and nothing that does it.
        mutating func takesDrain() -> Bool {
            guard case .running = phase, isOpen, !isDraining, inbox.count > 0 else { return false }
            isDraining = true
            return true
        }

        /// Empties the inbox: what was in it is dropped.
        mutating func close() -> [ModuleJob] {
            let jobs = inbox.takeAll()
            dropped += jobs.count
            return jobs
        }
    }
}
