import Glibc
import XMPPTransport

/// A program that runs beside us, in a process group of its own.
///
/// Ctrl-C in the terminal goes to the terminal's foreground group; a child in its own group gets no signal but ours, and
/// so lives until we have said goodbye to it.
package final class ChildProcess: Sendable {
    package let pid: Int32
    /// Set once it was waited for.
    ///
    /// Until then the kernel keeps the pid for us, so a signal cannot hit another process.
    private let exit = Locked<ExitReport?>(nil)

    /// How a program ended.
    package enum ExitReport: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
        /// Somebody else in this process waited for it.
        case unknown

        init(status: Int32) {
            // <bits/waitstatus.h>, whose macros Swift does not import: the low seven bits are the signal.
            let signal = status & 0x7F
            self = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
        }
    }

    /// Starts a program, without a shell.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - arguments: Those after its name.
    ///   - output: A file that gets what it prints; what was in it goes.
    /// - Throws: Where the system cannot start it.
    package init(_ program: String, _ arguments: [String], output: String) throws(DemoError) {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        // Nothing of ours is inherited: no socket, no database. All are opened to close by themselves; this is for what a
        // library opened otherwise. Closing what is closed already is no failure.
        for descriptor in Files.names(in: "/proc/self/fd").compactMap({ Int32($0) }) where descriptor > STDERR_FILENO {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        // The service blocks its signals for a signalfd; a child with them blocked could not be stopped.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))

        var pid: pid_t = 0
        let result = withCStrings([program] + arguments) { argv in
            withCStrings(Self.environment) { envp in
                posix_spawn(&pid, program, &actions, &attributes, argv, envp)
            }
        }
        guard result == 0 else {
            throw DemoError(.programFailed, "\(program) could not be started: \(String(cString: strerror(result)))")
        }
        self.pid = pid
    }

    /// Runs a program to its end; blocks.
    package static func run(_ program: String, _ arguments: [String], output: String) throws(DemoError) {
        let child = try ChildProcess(program, arguments, output: output)
        guard child.wait() == .exited(0) else {
            throw DemoError(.programFailed, "\(program) failed; \(output) has what it said")
        }
    }

    /// Whether it has ended, without waiting for it.
    package func report() -> ExitReport? {
        exit.withLock { exit in
            guard exit == nil else { return exit }
            exit = Self.reap(pid, WNOHANG)
            return exit
        }
    }

    /// Waits for its end.
    package func wait() -> ExitReport {
        exit.withLock { exit in
            let report = exit ?? Self.reap(pid, 0) ?? .unknown
            exit = report
            return report
        }
    }

    /// Asks it to end, and ends it where it has not by then; blocks until it is gone.
    ///
    /// Harmless when it has ended.
    package func stop(patience: Duration) {
        signal(SIGTERM)
        let deadline = ContinuousClock.now + patience
        while report() == nil {
            if ContinuousClock.now >= deadline { signal(SIGKILL) }
            usleep(20_000)
        }
    }

    /// Ends it at once.
    package func kill() {
        signal(SIGKILL)
        _ = wait()
    }

    private func signal(_ number: Int32) {
        exit.withLock { exit in
            if exit == nil { _ = Glibc.kill(pid, number) }
        }
    }

    private static func reap(_ pid: pid_t, _ options: Int32) -> ExitReport? {
        var status: Int32 = 0
        while true {
            let result = waitpid(pid, &status, options)
            if result == pid { return ExitReport(status: status) }
            if result == 0 { return nil }
            if errno != EINTR { return .unknown }
        }
    }

    /// Little and known, whatever the user's environment holds.
    private static var environment: [String] {
        let home = getenv("HOME").map { String(cString: $0) } ?? "/"
        return ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=\(home)", "LANG=C.UTF-8"]
    }
}

/// Lends texts as a C array that ends with a null pointer.
private func withCStrings<Result>(
    _ texts: [String],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
}
