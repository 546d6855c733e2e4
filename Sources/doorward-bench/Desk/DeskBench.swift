import DoorwardConsole
import Glibc
import XMPPCore
import XMPPTransport

/// `doorward-bench desk`: what the service needs to work off a flood of requests, and how it answers meanwhile.
struct DeskBench {
    private static let password = "correct horse battery"
    /// So long nothing may happen before the run is given up.
    private static let patience = Duration.seconds(60)

    let options: DeskOptions
    private let cleanup: Cleanup
    private let loop: EventLoop
    private let files: DeskFiles

    /// Measures, prints, and returns the status to exit with.
    static func runAndPrint(_ options: DeskOptions) async -> Int32 {
        let cleanup = Cleanup()
        defer { cleanup.run() }
        do {
            let report = try await DeskBench(options, cleanup).run()
            print(options.printsJSON ? report.json.indented : report.words)
            for line in report.wrong.prefix(10) { complain("wrong: \(line)") }
            return report.wrong.isEmpty ? 0 : 1
        } catch {
            complain(String(describing: error))
            return 1
        }
    }

    private init(_ options: DeskOptions, _ cleanup: Cleanup) throws {
        self.options = options
        self.cleanup = cleanup
        let files = try DeskFiles()
        self.files = files
        if options.keepsFolder {
            complain("files of this run: \(files.folder)")
        } else {
            cleanup.add { files.remove() }
        }
        loop = try EventLoop(name: "guests")
        loop.start()
    }

    private func run() async throws -> DeskReport {
        let interrupts = try SignalSource([SIGINT, SIGTERM], on: loop) { [cleanup] _ in
            cleanup.run()
            exit(1)
        }
        defer { interrupts.close() }
        let before = Machine.now()

        let accounts = try (0..<options.accounts).map { try address("account-\($0)@bots.test") }
        var crowd = try GuestCrowd(options.requests, accounts: accounts)
        complain("starting a private Prosody with \(options.accounts + options.requests) users")
        let users = (accounts + crowd.parts.map(\.guest)).map { ($0, Self.password) }
        let prosody = try PrivateProsody.start(
            directory: files.prosody, hosts: ["bots.test", "friends.test", "spam.test", "guests.test"], users: users)
        cleanup.add { prosody.stop() }
        try files.write(accounts: accounts, password: Self.password, port: prosody.port, caFile: prosody.caFile)
        complain("\(options.requests) guests log in")
        try await crowd.logIn(password: Self.password, server: prosody, loop: loop)

        var report = DeskReport(options: options, before: before)
        complain("measuring")
        let service =
            try await options.isWaiting
            ? measureWaiting(crowd, prosody, into: &report)
            : measureOnline(crowd, prosody, into: &report)
        report.wrong = try await mistakes(of: crowd)
        await crowd.logOut()
        service.stop(patience: .seconds(20))
        var log = try ServiceLog(files.serviceLog)
        log.update()
        report.longestTurn = log.farewell["longest_turn_us"].flatMap { Int($0) }
        report.longestTurnCPU = log.farewell["longest_turn_cpu_us"].flatMap { Int($0) }
        report.after = Machine.now()
        return report
    }

    // MARK: The two ways a flood comes

    /// All guests ask at once while every account is online.
    private func measureOnline(
        _ crowd: GuestCrowd, _ prosody: PrivateProsody, into report: inout DeskReport
    ) async throws -> ChildProcess {
        let service = try startService()
        var log = try ServiceLog(files.serviceLog)
        try await follow(&log, service) { $0.online.count == options.accounts }
        let meter = try Meter(service: service.pid, server: prosody.pid)
        report.residentAtStart = meter.service.residentKiB
        async let asked: Void = crowd.ask()
        try await watch(&log, service, meter, into: &report)
        await asked
        return service
    }

    /// The requests are at the server when the service starts: it logs in and gets all of them.
    private func measureWaiting(
        _ crowd: GuestCrowd, _ prosody: PrivateProsody, into report: inout DeskReport
    ) async throws -> ChildProcess {
        await crowd.ask()
        await crowd.settle()
        let service = try startService()
        var log = try ServiceLog(files.serviceLog)
        let meter = try Meter(service: nil, server: prosody.pid)
        try await watch(&log, service, meter, into: &report)
        return service
    }

    private func watch(
        _ log: inout ServiceLog, _ service: ChildProcess, _ meter: Meter, into report: inout DeskReport
    ) async throws {
        let calls = StatusCalls(count: options.statusCalls)
        let path = files.control
        async let status = BlockingPool.run { try calls.make(path: path) }
        // However this ends, the calls do.
        defer { calls.progress.withLock { $0 = 1 } }
        let requests = options.requests
        var decided: ContinuousClock.Instant?
        try await follow(&log, service) { log in
            let share = Double(log.decided.count + log.workedOff.count) / Double(2 * requests)
            calls.progress.withLock { $0 = share }
            if log.decided.count == requests, decided == nil { decided = ContinuousClock.now }
            return log.workedOff.count == requests
        }
        let end = ContinuousClock.now
        report.decided = (decided ?? end) - meter.start
        report.workedOff = end - meter.start
        try meter.stop(service: service.pid, into: &report)
        let made = try await status
        report.statusCalls = made.count
        let during = made.filter { $0.began < end }
        report.status = Spread(during.map(\.took))
        if let longest = during.max(by: { $0.took < $1.took }) {
            report.longestStatusBegan = longest.began - meter.start
        }
    }

    // MARK: Parts

    private func startService() throws -> ChildProcess {
        let program = try options.service ?? Self.besideUs()
        guard access(program, X_OK) == 0 else {
            throw BenchError("there is no executable \(program); build it with the same flags as this program")
        }
        let service = try ChildProcess(
            program, ["run", "--config", files.configuration], output: files.serviceLog)
        cleanup.add { service.stop(patience: .seconds(20)) }
        return service
    }

    private static func besideUs() throws(BenchError) -> String {
        guard let path = realpath("/proc/self/exe", nil) else { throw BenchError("/proc/self/exe cannot be read") }
        defer { free(path) }
        let own = String(cString: path)
        return own[...(own.lastIndex(of: "/") ?? own.startIndex)] + "doorward"
    }

    /// Reads the log until something holds.
    private func follow(
        _ log: inout ServiceLog, _ service: ChildProcess, until holds: (borrowing ServiceLog) -> Bool
    ) async throws {
        var deadline = ContinuousClock.now + Self.patience
        var seen = -1
        while true {
            log.update()
            if holds(log) { return }
            let progress = log.online.count + log.decided.count + log.workedOff.count
            if progress != seen {
                seen = progress
                deadline = ContinuousClock.now + Self.patience
            }
            guard service.report() == nil, ContinuousClock.now < deadline else {
                let text = "online \(log.online.count), decided \(log.decided.count), done \(log.workedOff.count)"
                throw BenchError("the service got no further (\(text)); --keep keeps its log, \(files.serviceLog)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Holds what the guests were told and what the history says against the policy.
    private func mistakes(of crowd: GuestCrowd) async throws -> [String] {
        await crowd.settle()
        // The last steps (block, roster set) may still be on their way to being confirmed.
        var wrong: [String] = []
        for _ in 0..<100 {
            wrong = try await crowd.wrongVerdicts() + wrongHistory(of: crowd)
            if wrong.isEmpty { return [] }
            try await Task.sleep(for: .milliseconds(50))
        }
        return wrong
    }

    private func wrongHistory(of crowd: GuestCrowd) throws(BenchError) -> [String] {
        var caller = try ControlCaller(path: files.control)
        var found: [BareJID: [[String?]]] = [:]
        for account in Set(crowd.parts.map(\.account)) {
            let arguments = JSONValue.object(["account": .string(account.description), "limit": .integer(5000)])
            for row in try caller.call("history", arguments).array ?? [] {
                guard let contact = row["contact"]?.string.flatMap({ try? BareJID($0) }) else { continue }
                found[contact, default: []].append([row["decision"]?.string, row["state"]?.string])
            }
        }
        return crowd.parts.compactMap { part in
            let rows = found[part.guest] ?? []
            return rows == [[part.fate.decision, part.fate.state]]
                ? nil : "the history has \(rows) for \(part.guest), due \(part.fate.decision), \(part.fate.state)"
        }
    }
}
