import Glibc
import XMPPTransport

/// The password commands that run now, so that none of them outlives the service.
final class RunningCommands: Sendable {
    private struct State {
        var groups: Set<pid_t> = []
        var isOver = false
    }

    private let state = Locked(State())

    /// Starts a command, unless the service is ending.
    func start(_ spawn: () throws(SecretError) -> pid_t) throws(SecretError) -> pid_t {
        // Under the lock, so that `endAll` either finds the command or keeps it from starting.
        let result: Result<pid_t, SecretError> = state.withLock { state in
            guard !state.isOver else {
                return .failure(SecretError(.commandFailed, "no password command is started while the service stops"))
            }
            return Result { () throws(SecretError) in try spawn() }.map { group in
                state.groups.insert(group)
                return group
            }
        }
        return try result.get()
    }

    /// It has been waited for, so its number may be another's from now on.
    func ended(_ group: pid_t) {
        state.withLock { _ = $0.groups.remove(group) }
    }

    /// Ends every command with all that it started, and lets none begin.
    func endAll() {
        state.withLock { state in
            state.isOver = true
            for group in state.groups { kill(-group, SIGKILL) }
        }
    }
}
