import Glibc
import XMPPTransport

/// A program that is spoken to by lines: its standard input and output are pipes, what it complains about is shown.
final class Helper: Sendable {
    let name: String
    let pid: Int32
    private let input: Int32
    private let output: Int32
    private let unread = Locked<[UInt8]>([])
    private let hasEnded = Locked(false)

    /// - Parameters:
    ///   - name: For messages.
    ///   - command: Its path and arguments.
    ///   - environment: Beside ours.
    /// - Throws: Where the system cannot start it.
    init(_ name: String, _ command: [String], environment: [String: String] = [:]) throws(BenchError) {
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw BenchError("no pipe for \(name)") }
        for descriptor in [toChild[1], fromChild[0]] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            close(toChild[0])
            close(fromChild[1])
        }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO)
        posix_spawn_file_actions_addclose(&actions, toChild[0])
        posix_spawn_file_actions_addclose(&actions, fromChild[1])
        // Our signals are blocked for a signalfd; a child with them blocked could not be stopped. Ctrl-C reaches it
        // through us only.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGMASK))
        var variables = Self.environment
        variables.merge(environment) { $1 }
        var pid: pid_t = 0
        let program = command.first ?? ""
        let result = Self.withCStrings(command) { words in
            Self.withCStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
                posix_spawn(&pid, program, &actions, &attributes, words, variables)
            }
        }
        guard result == 0 else {
            close(toChild[1])
            close(fromChild[0])
            throw BenchError("\(program) cannot be started: \(String(cString: strerror(result)))")
        }
        self.name = name
        self.pid = pid
        input = toChild[1]
        output = fromChild[0]
    }

    func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(input, bytes, bytes.count)
    }

    /// Waits for a line that begins with a word, and passes over others.
    ///
    /// - Returns: The words behind it.
    func wait(
        for word: String, seconds: Int, while isAlive: () -> Bool = { true }
    ) throws(BenchError) -> [String] {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            while let line = nextLine() {
                let words = line.split(separator: " ").map { String($0) }
                if words.first == word { return Array(words.dropFirst()) }
            }
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard ContinuousClock.now < deadline else {
                throw BenchError("\(name) did not say \(word) within \(seconds) s")
            }
            guard isAlive() else { throw BenchError("what was to be measured has ended before \(name) said \(word)") }
            guard poll(&waiting, 1, 200) > 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { throw BenchError("\(name) has ended before it said \(word)") }
            unread.withLock { $0 += buffer[..<count] }
        }
    }

    /// Ends it at once.
    func end() {
        let isFirst = hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
        guard isFirst else { return }
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        close(input)
        close(output)
    }

    private func nextLine() -> String? {
        unread.withLock { unread in
            guard let end = unread.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            defer { unread.removeFirst(end + 1) }
            return String(decoding: unread[..<end], as: UTF8.self)
        }
    }

    private static var environment: [String: String] {
        var variables: [String: String] = [:]
        for name in ["PATH", "HOME", "LANG", "PEERPY"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables
    }

    /// Lends texts as a C array that ends with a null pointer.
    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
