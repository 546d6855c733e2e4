import Glibc

/// Runs the program that prints a password: no shell, no input, nothing inherited, a limit of time and of output.
enum SecretCommand {
    /// A stop of the service waits for it, so it is short.
    static let seconds = 5
    static let running = RunningCommands()

    static func output(_ words: [String], within limit: Duration = .seconds(seconds)) throws(SecretError) -> [UInt8] {
        guard let program = words.first else { throw SecretError(.commandFailed, "the password command is empty") }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw SecretError(.commandFailed, "no pipe for \(program): \(SystemError.words(errno))")
        }
        let (reading, writing) = (ends[0], ends[1])
        // As every descriptor of this program: another child must not inherit them.
        _ = fcntl(reading, F_SETFD, FD_CLOEXEC)
        _ = fcntl(writing, F_SETFD, FD_CLOEXEC)
        defer { close(reading) }
        let process: pid_t
        do throws(SecretError) {
            process = try running.start { () throws(SecretError) in try spawn(words, output: writing) }
        } catch {
            close(writing)
            throw error
        }
        close(writing)
        defer { running.ended(process) }
        let deadline = ContinuousClock.now + limit
        let result = Result { () throws(SecretError) in try collect(reading, until: deadline, program) }
        // Whatever came of it, nothing of it stays behind.
        if case .failure = result { kill(-process, SIGKILL) }
        let status = try wait(for: process, until: deadline, program)
        let bytes = try result.get()
        guard status == 0 else {
            throw SecretError(
                .commandFailed,
                "\(program) ended without success; run it by hand as the service's user"
            )
        }
        return bytes
    }

    private static func spawn(_ words: [String], output: Int32) throws(SecretError) -> pid_t {
        let program = words.first ?? ""
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A group of its own, so that its children can be stopped with it; no signal blocked or ignored.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))

        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var process: pid_t = 0
        let code = posix_spawnp(&process, program, &actions, &attributes, arguments, environ)
        guard code == 0 else {
            throw SecretError(.commandFailed, "\(program) cannot be started: \(SystemError.words(code))")
        }
        return process
    }

    /// Reads the output to its end, or to the deadline.
    private static func collect(
        _ descriptor: Int32,
        until deadline: ContinuousClock.Instant,
        _ program: String
    ) throws(SecretError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1_024)
        while true {
            let left = milliseconds(until: deadline)
            guard left > 0 else { throw timedOut(program) }
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&poller, 1, left)
            if ready == 0 || (ready < 0 && errno == EINTR) { continue }
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: chunk.prefix(count))
            guard bytes.count <= SecretReader.limit else {
                throw SecretError(.tooLong, "\(program) prints more than \(SecretReader.limit) bytes")
            }
        }
    }

    /// The process's status, once it has ended; it is stopped at the deadline.
    private static func wait(
        for process: pid_t,
        until deadline: ContinuousClock.Instant,
        _ program: String
    ) throws(SecretError) -> Int32 {
        var status: Int32 = 0
        while true {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process { return status }
            // Somebody else has waited for it already.
            if ended < 0, errno != EINTR { return 0 }
            guard milliseconds(until: deadline) > 0 else {
                kill(-process, SIGKILL)
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                throw timedOut(program)
            }
            // Its output has ended, so it ends at once in all but odd cases.
            usleep(2_000)
        }
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = (deadline - ContinuousClock.now) / .milliseconds(1)
        return left > 0 ? Int32(clamping: Int(left.rounded(.up))) : 0
    }

    private static func timedOut(_ program: String) -> SecretError {
        SecretError(.timedOut, "\(program) did not print the password within \(seconds) seconds")
    }
}
