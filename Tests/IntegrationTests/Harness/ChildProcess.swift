import Foundation
import Glibc
import XMPPTransport

/// Starts a program: no signal blocked or ignored, no descriptor of ours open, in a process group of its own.
///
/// Without `input` it reads `/dev/null`. Its standard output goes to the file `output` or nowhere, standard error to the
/// same name with `.err`. `environment` is added to ours.
func spawn(
    _ program: String, _ arguments: [String], input: Int32? = nil, output: String? = nil, folder: String? = nil,
    environment: [String: String] = [:]
) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
        posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    let flags = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, 1, output ?? "/dev/null", flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, output.map { $0 + ".err" } ?? "/dev/null", flags, 0o600)
    keepDescriptorsToOurselves()

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
    // `env -C` changes the folder and then becomes the program, under the same pid.
    let words = (folder.map { ["env", "-C", $0] } ?? []) + [program] + arguments
    var argv = words.map { strdup($0) } + [nil]
    var envp = variables.map { strdup($0) } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var pid: pid_t = 0
    let failure = posix_spawnp(&pid, words[0], &actions, &attributes, &argv, &envp)
    guard failure == 0 else {
        throw HarnessError("\(program) could not be started: \(String(cString: strerror(failure)))")
    }
    return pid
}

/// A child must not hold our pipes open, such as the one at which the guard waits.
private func keepDescriptorsToOurselves() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
        if let fd = Int32(name), fd > 2 { _ = fcntl(fd, F_SETFD, FD_CLOEXEC) }
    }
}

/// A program of ours that runs, known by its pid.
final class ChildProcess: Sendable {
    /// How a program ended.
    enum Ending: Hashable, Sendable {
        case status(Int32)
        case signal(Int32)
    }

    let pid: pid_t
    private struct State {
        var ending: Ending?
        var waiters: [CheckedContinuation<Ending, Never>] = []
    }
    private let state = Locked(State())

    init(
        _ program: String, _ arguments: [String], output: String? = nil, folder: String? = nil,
        environment: [String: String] = [:]
    ) throws {
        pid = try spawn(program, arguments, output: output, folder: folder, environment: environment)
        RunFolder.shared.began(pid)
        // Waiting blocks, so it has a thread of its own.
        Thread.detachNewThread { self.reap() }
    }

    /// Nil while it runs.
    var ending: Ending? { state.withLock { $0.ending } }

    /// Waits until it ends.
    func ended() async -> Ending {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> Ending? in
                if state.ending == nil { state.waiters.append(continuation) }
                return state.ending
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Sends a signal, while the pid is still its own.
    func signal(_ number: Int32) {
        state.withLock { state in
            if state.ending == nil { kill(pid, number) }
        }
    }

    /// SIGTERM, after that time SIGKILL; waits until it is gone.
    @discardableResult
    func stop(within limit: Duration = .seconds(10)) async -> Ending {
        signal(SIGTERM)
        after(limit) { self.signal(SIGKILL) }
        return await ended()
    }

    private func reap() {
        var info = siginfo_t()
        // Looks without reaping first: until the ending is noted under the lock, the pid stays taken.
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (ending, waiters) = state.withLock { state in
            RunFolder.shared.ended(pid)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            let ending: Ending = status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
            state.ending = ending
            defer { state.waiters = [] }
            return (ending, state.waiters)
        }
        for waiter in waiters { waiter.resume(returning: ending) }
    }
}

/// What a command printed and how it ended.
struct CommandOutput: Sendable {
    var status: Int32
    var output: String
    var errors: String

    /// Standard output as JSON.
    var json: JSON {
        get throws { try JSON(text: output) }
    }
}

/// Runs a program to its end.
func run(
    _ program: String, _ arguments: [String], folder: String? = nil, environment: [String: String] = [:],
    limit: Duration = .seconds(60)
) async throws -> CommandOutput {
    let place = try RunFolder.shared.folder("out")
    defer { try? FileManager.default.removeItem(atPath: place) }
    let file = place + "/stdout"
    let child = try ChildProcess(program, arguments, output: file, folder: folder, environment: environment)
    after(limit) { child.signal(SIGKILL) }
    let ending = await child.ended()
    func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    switch ending {
    case .status(let status): return CommandOutput(status: status, output: text(file), errors: text(file + ".err"))
    case .signal(let signal):
        throw HarnessError(
            "\(program) \(arguments.joined(separator: " ")) ended by signal \(signal): \(text(file + ".err"))")
    }
}
