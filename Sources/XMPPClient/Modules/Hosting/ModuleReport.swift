/// What an owner of modules is told of them, for its log and its alerts; from any thread.
package enum ModuleReport: Sendable {
    /// A module said something itself; so many lines before it were too many.
    case said(module: String, text: String, isWarning: Bool, dropped: Int)
    /// A call threw; so many errors before it were too many to be told.
    case threw(module: String, error: String, dropped: Int)
    /// Its state is another.
    case changed(module: String, ModuleState)
}

/// How a module is.
package enum ModuleState: Hashable, Sendable {
    case starting
    case running
    /// A call does not come back: the inbox is closed until it does.
    case stuck
    /// It could not be made.
    case failed(String)
    /// It is not run, since it ended the process before.
    case disabled(String)
    case stopped

    /// Stable, for scripts.
    package var word: String {
        switch self {
        case .starting: "starting"
        case .running: "running"
        case .stuck: "stuck"
        case .failed: "failed"
        case .disabled: "disabled"
        case .stopped: "stopped"
        }
    }

    /// Whether somebody should look at it.
    package var isWrong: Bool {
        switch self {
        case .stuck, .failed, .disabled: true
        case .starting, .running, .stopped: false
        }
    }

    /// Why it is so, where that is known.
    package var reason: String? {
        switch self {
        case .failed(let text), .disabled(let text): text
        case .starting, .running, .stuck, .stopped: nil
        }
    }
}

/// A module and its figures at one moment.
package struct ModuleStatus: Hashable, Sendable {
    package var name: String
    package var state: ModuleState
    /// Events that were handled.
    package var handled = 0
    /// Events that wait.
    package var waiting = 0
    /// Events that were dropped: over the limit of the inbox, or while it was closed.
    package var dropped = 0
    /// Calls that threw.
    package var errors = 0

    package init(name: String, state: ModuleState) { (self.name, self.state) = (name, state) }
}
