import Glibc

/// The figures of one contender in one round; nil is what was not measured.
struct VisitFigures: Sendable {
    /// Microseconds of processor time an account.
    var login: Double?
    var loginAgain: Double?
    /// The same with a full handshake and keys derived anew.
    var loginAfresh: Double?
    /// Bytes an account.
    var memory: Double?
    /// Microseconds of processor time a decision, at 100 a second and in the closed loop.
    var decision: Double?
    var closedDecision: Double?
    /// Microseconds from request to answer.
    var latency: Double?
    /// Microseconds of processor time a second.
    var idle: Double?
    /// Seconds until all were online.
    var wait: Double?
    /// Handshakes of the second login that were resumed.
    var resumed: Double?
    /// Microseconds of the longest turn in the first login: by the clock, of processor time.
    var turn: Double?
    var turnCPU: Double?
    /// A second under the requests of the open loop: reads from streams, and transactions on the disk.
    var reads: Double?
    var commits: Double?

    var wrong = 0
}

/// One contender logs in, works, and is ended.
struct Visit {
    /// What a login leaves to be done (tickets, released memory) is over by then.
    private static let settling: UInt32 = 1_500_000

    let contender: Contender
    let server: LoadServer
    let accounts: Int
    let options: ConnectOptions
    let cleanup: Cleanup
    var ramp = 50

    /// A library that hangs is skipped; the slowest one known takes a twentieth of a second for an account.
    private var loginSeconds: Int { 60 + accounts / 5 }

    func run() throws(BenchError) -> VisitFigures {
        let bot = try ContenderProcess(contender, server, accounts: accounts, ramp: ramp, cleanup: cleanup)
        defer { bot.end() }
        let (helper, process) = (bot.helper, bot.process)
        var figures = VisitFigures()
        let memory = try process.resident()
        var mark = try process.cpu()
        let start = ContinuousClock.now
        server.expect(accounts)
        helper.say("go")
        try server.waitUntilAllAreOnline(seconds: loginSeconds)
        figures.wait = (ContinuousClock.now - start) / .seconds(1)
        usleep(Self.settling)
        figures.login = try process.lap(&mark) / Double(accounts)
        figures.memory = try (process.resident() - memory) / Double(accounts)
        if contender.kind == .ours { try again(helper, process, &mark, &figures) }
        try work(process, &figures)
        return figures
    }

    private func again(
        _ helper: Helper, _ process: MeteredProcess, _ mark: inout Double, _ figures: inout VisitFigures
    ) throws(BenchError) {
        helper.say("turn")
        let turn = try helper.wait(for: "TURN", seconds: 10).compactMap { Double($0) }
        (figures.turn, figures.turnCPU) = (turn.first, turn.last)
        let before = try server.handshakes()
        figures.loginAgain = try relogin("again", helper, process, &mark)
        let between = try server.handshakes()
        figures.resumed = Double(between.resumed - before.resumed)
        figures.loginAfresh = try relogin("afresh", helper, process, &mark)
        let resumed = try server.handshakes().resumed - between.resumed
        guard resumed == 0 else { throw BenchError("\(resumed) handshakes were resumed that were to be full") }
    }

    /// With the logout, which costs less than the login saves by far.
    private func relogin(
        _ word: String, _ helper: Helper, _ process: MeteredProcess, _ mark: inout Double
    ) throws(BenchError) -> Double {
        _ = try process.lap(&mark)
        helper.say(word)
        try server.waitUntilAllAreOffline(seconds: loginSeconds)
        server.expect(accounts)
        try server.waitUntilAllAreOnline(seconds: loginSeconds)
        usleep(Self.settling)
        return try process.lap(&mark) / Double(accounts)
    }

    private func work(_ process: MeteredProcess, _ figures: inout VisitFigures) throws(BenchError) {
        var mark = try process.cpu()
        if options.requests > 0 {
            let load = try server.load(options.requests, rate: 100)
            figures.decision = try process.lap(&mark) / Double(options.requests)
            figures.latency = load.median
            figures.wrong += load.wrong + options.requests - load.answered
        }
        if options.closedRequests > 0 {
            let load = try server.load(options.closedRequests, rate: nil)
            figures.closedDecision = try process.lap(&mark) / Double(options.closedRequests)
            figures.wrong += load.wrong + options.closedRequests - load.answered
        }
        if options.idleSeconds > 0, accounts == 1000 {
            _ = try process.lap(&mark)
            sleep(UInt32(options.idleSeconds))
            figures.idle = try process.lap(&mark) / Double(options.idleSeconds)
        }
    }
}

/// What the kernel says of a process of ours.
struct MeteredProcess {
    private let pid: Int32
    private let clock: clockid_t

    init(_ pid: Int32) throws(BenchError) {
        var clock = clockid_t()
        guard clock_getcpuclockid(pid, &clock) == 0 else {
            throw BenchError("process \(pid) has ended before it could be measured")
        }
        self.pid = pid
        self.clock = clock
    }

    /// Microseconds of processor time of all its threads, those that have ended too; exact, unlike the 10 ms ticks of
    /// /proc.
    func cpu() throws(BenchError) -> Double {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { throw BenchError("process \(pid) has ended") }
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    /// Since a mark, which moves to now.
    func lap(_ mark: inout Double) throws(BenchError) -> Double {
        let now = try cpu()
        defer { mark = now }
        return now - mark
    }

    /// Bytes of resident memory.
    func resident() throws(BenchError) -> Double { Double(try ProcessFigures(of: pid).residentKiB) * 1024 }
}
