import Glibc
import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPTransport

/// `doorward-bench bot`: all accounts of one run, on one loop.
final class BotFleet: Sendable {
    private struct State {
        var started = 0
        var up = 0
        var down = 0
        /// Whether accounts that go down do so on our word.
        var isLeaving = false
    }

    private let options: BotOptions
    private let loop: EventLoop
    /// Filled once.
    private let accounts = Locked<[BotAccount]>([])
    private let state = Locked(State())

    init(_ options: BotOptions) throws {
        self.options = options
        let loop = try EventLoop(name: "bots")
        self.loop = loop
        let trust = try TLSContext.client(caFile: nil)
        let connector = SocketConnector()
        let sessions = TLSSessionCache()
        let accounts = try (options.first..<options.first + options.count).map { number in
            var settings = ClientSettings(
                account: try BareJID("\(options.prefix)\(number)@\(options.domain)"), password: Secret("pw"),
                resource: "bot", address: .host(options.host, port: options.port), trust: trust)
            settings.sessions = sessions
            return BotAccount(settings: settings, connector: connector, loop: loop) { [unowned self] in heard($0) }
        }
        self.accounts.withLock { $0 = accounts }
        loop.start()
    }

    /// Follows standard input, a word a line, until it ends.
    ///
    /// The first line begins the logins; then `again` logs all of them out and in again, `afresh` the
    /// same with full handshakes and keys derived anew, and `turn` prints the longest
    /// turn of the loop since the last `turn`, in microseconds by the clock and of processor time.
    func run() -> Never {
        say("READY")
        while let line = readLine() {
            switch line {
            case "again", "afresh":
                state.withLock { $0.isLeaving = true }
                let forgets = line == "afresh"
                for account in accounts.withLock({ $0 }) {
                    Task(executorPreference: loop) { await account.logOut(forgetting: forgets) }
                }
            case "turn":
                say("TURN \(loop.longestTurn.microseconds) \(loop.longestTurnCPU.microseconds)")
                loop.resetLongestTurn()
            default:
                begin()
            }
        }
        exit(0)
    }

    private func begin() {
        state.withLock { $0 = State() }
        for _ in 0..<min(options.ramp, options.count) { startNext() }
    }

    private func startNext() {
        let number = state.withLock { state -> Int? in
            guard state.started < options.count else { return nil }
            state.started += 1
            return state.started - 1
        }
        guard let number else { return }
        let account = accounts.withLock { $0[number] }
        // Unstructured: from a callback of the loop, or from the thread that reads standard input.
        Task(executorPreference: loop) { await account.logIn() }
    }

    private func heard(_ news: BotAccount.News) {
        switch news {
        case .up:
            startNext()
            if state.withLock({
                $0.up += 1; return $0.up == options.count
            }) {
                say("ALLUP")
            }
        case .down(let reason):
            let (isLeaving, areAllDown) = state.withLock { state in
                state.down += 1
                return (state.isLeaving, state.down == options.count)
            }
            if !isLeaving {
                complain("an account went offline: \(reason)")
            } else if areAllDown {
                begin()
            }
        }
    }

    private func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}
