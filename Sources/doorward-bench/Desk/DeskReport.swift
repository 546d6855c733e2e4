import DoorwardConsole

/// The figures of one run.
struct DeskReport: Sendable {
    let options: DeskOptions
    let before: Machine
    var after: Machine?

    var decided = Duration.zero
    var workedOff = Duration.zero
    var cpu = Duration.zero
    /// Nil where the service started with the flood.
    var residentAtStart: Int?
    var residentAtEnd = 0
    var residentPeak = 0
    /// In microseconds, over the whole life of the service; nil where its log does not say.
    var longestTurn: Int?
    var longestTurnCPU: Int?
    /// All calls; `status` has those begun before the work was done.
    var statusCalls = 0
    var status = Spread([])
    /// When the longest of these began, from the start of the work.
    var longestStatusBegan = Duration.zero
    var serverCPU = Duration.zero
    var guestsCPU = Duration.zero
    /// What was not as the policy says.
    var wrong: [String] = []

    init(options: DeskOptions, before: Machine) {
        self.options = options
        self.before = before
    }

    private var cpuPerRequest: Int { cpu.microseconds / max(1, options.requests) }

    #if DEBUG
        private static let build = "debug"
    #else
        private static let build = "release"
    #endif

    var json: JSONValue {
        let machines = [before, after ?? before]
        return .object([
            "benchmark": .string("desk"), "build": .string(Self.build),
            "scenario": .string(options.isWaiting ? "waiting" : "online"),
            "accounts": .integer(options.accounts), "requests": .integer(options.requests),
            "decided_us": .integer(decided.microseconds), "worked_off_us": .integer(workedOff.microseconds),
            "cpu_us": .integer(cpu.microseconds), "cpu_us_per_request": .integer(cpuPerRequest),
            "rss_start_kib": residentAtStart.map { .integer($0) } ?? .null, "rss_end_kib": .integer(residentAtEnd),
            "rss_peak_kib": .integer(residentPeak),
            "longest_turn_us": longestTurn.map { .integer($0) } ?? .null,
            "longest_turn_cpu_us": longestTurnCPU.map { .integer($0) } ?? .null,
            "status": .object([
                "calls": .integer(statusCalls), "during_the_work": .integer(status.count),
                "p50_us": .integer(status.percentile(50).microseconds),
                "p99_us": .integer(status.percentile(99).microseconds),
                "max_us": .integer(status.longest.microseconds),
                "max_began_us": .integer(longestStatusBegan.microseconds),
            ]),
            "server_cpu_us": .integer(serverCPU.microseconds), "guests_cpu_us": .integer(guestsCPU.microseconds),
            "cores": .integer(Machine.cores),
            "load": .array(machines.map { .number($0.load) }),
            "calibration_us": .array(machines.map { .integer($0.calibration.microseconds) }),
            "wrong": .strings(wrong),
        ])
    }

    var words: String {
        let machines = [before, after ?? before]
        let how = options.isWaiting ? "waiting at the server when the service starts" : "to accounts that are online"
        let start = residentAtStart.map { Self.mebibytes($0) + " before, " } ?? ""
        let turn = longestTurn.map { Duration.microseconds($0).inMilliseconds } ?? "not known"
        let turnCPU = longestTurnCPU.map { ", of one's own processor time \(Duration.microseconds($0).inMilliseconds)" }
        return """
            \(options.requests) requests over \(options.accounts) accounts, \(how) (\(Self.build) build)
              all decided      \(decided.inSeconds)
              all worked off   \(workedOff.inSeconds)  (\(Self.rate(options.requests, workedOff)) a second)
              processor        \(cpu.inSeconds)  (\(cpuPerRequest) us a request)
              memory           \(start)\(Self.mebibytes(residentAtEnd)) after, \(Self.mebibytes(residentPeak)) at most
              longest turn     \(turn)\(turnCPU ?? "")
              status calls     p50 \(status.percentile(50).inMilliseconds), p99 \
            \(status.percentile(99).inMilliseconds), longest \(status.longest.inMilliseconds) at \
            \(longestStatusBegan.inSeconds) (\(status.count) of \(statusCalls) during the work)
              beside it        Prosody \(serverCPU.inSeconds), guests \(guestsCPU.inSeconds) of processor
              machine          \(Machine.cores) cores; before and after: load \
            \(machines.map { Self.tenths($0.load) }.joined(separator: " and ")), calibration \
            \(machines.map { $0.calibration.inMilliseconds }.joined(separator: " and "))
              answers          \(wrong.isEmpty ? "all as the policy says" : "\(wrong.count) WRONG")
            """
    }

    private static func mebibytes(_ kibibytes: Int) -> String { "\((kibibytes + 512) / 1024) MiB" }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static func rate(_ count: Int, _ duration: Duration) -> Int {
        count * 1_000_000 / max(1, duration.microseconds)
    }
}
