import DoorwardConsole
import Glibc

/// `doorward-bench stuck`: what a module that never comes back costs the other accounts.
struct StuckBench {
    /// How much longer the p99 may be.
    private static let ratioBound = 1.5
    /// Or so many microseconds more, where it is short.
    private static let moreBound = 5000.0
    /// A call is taken for stuck after 5 seconds: the loop has its processor from the first request to the end.
    private static let stuckSeconds: UInt32 = 7

    let options: StuckOptions
    let cleanup: Cleanup
    private var loads: [Bool: [LoadServer.Load]] = [:]

    private init(_ options: StuckOptions, _ cleanup: Cleanup) { (self.options, self.cleanup) = (options, cleanup) }

    /// Measures, prints, and returns the status to exit with.
    static func runAndPrint(_ options: StuckOptions) -> Int32 {
        cleaningUp { cleanup throws(BenchError) in
            var bench = StuckBench(options, cleanup)
            try bench.measure()
            print(options.printsJSON ? bench.json.indented : bench.words)
            return bench.isWithin && bench.wrong == 0
        }
    }

    private mutating func measure() throws(BenchError) {
        let tools = try BenchTools.folder(options.tools, ["bench-server"])
        let files = try DeskFiles()
        let cleanup = cleanup
        cleanup.add { files.remove() }
        let server = try LoadServer(tools: tools, folder: files.folder, cleanup: cleanup)
        try server.prepare(options.accounts + 1)
        for round in 1...options.rounds {
            for isStuck in [false, true] {
                complain("round \(round) of \(options.rounds): \(isStuck ? "one module stuck" : "no module stuck")")
                loads[isStuck, default: []].append(try visit(server, isStuck))
            }
        }
    }

    private func visit(_ server: LoadServer, _ isStuck: Bool) throws(BenchError) -> LoadServer.Load {
        let files = try DeskFiles()
        let cleanup = cleanup
        cleanup.add { files.remove() }
        defer { files.remove() }
        let accounts = try BenchService.accounts(0..<options.accounts + 1)
        let stuck = isStuck ? accounts.last : nil
        try files.write(
            accounts: accounts, password: "pw", port: server.port, caFile: server.authority,
            policy: ProductVisit.policy
        ) { account in
            "{ spinner: { spins: \(account == stuck) } }"
        }
        server.expect(accounts.count)
        let service = try BenchService(files, cleanup: cleanup)
        defer { service.kill() }
        try server.waitUntilAllAreOnline(seconds: 120) { service.isRunning }
        server.expect(-1)
        usleep(1_000_000)
        // One for each account: the stuck one's module has its event. It counts for nothing.
        _ = try server.load(accounts.count, rate: options.rate)
        var mark = try service.process.cpu()
        sleep(Self.stuckSeconds)
        let spun = try service.process.lap(&mark) > Double(Self.stuckSeconds) * 1e6 / 2
        guard spun == isStuck else { throw BenchError(isStuck ? "no module is stuck" : "something is stuck") }
        return try server.load(options.requests, rate: options.rate)
    }

    // MARK: The figures

    private func median(_ isStuck: Bool, _ value: (LoadServer.Load) -> Double) -> Double {
        ConnectReport.median((loads[isStuck] ?? []).map(value)) ?? 0
    }

    private var ratio: Double { median(true, \.p99) / max(1, median(false, \.p99)) }

    private var isWithin: Bool {
        ratio <= Self.ratioBound || median(true, \.p99) - median(false, \.p99) <= Self.moreBound
    }

    private var wrong: Int {
        loads.values.joined().reduce(0) { $0 + $1.wrong + options.requests - $1.answered }
    }

    private var words: String {
        var lines = ["\(options.accounts) accounts and one".padded(26) + "p50".padded(12) + "p99"]
        for isStuck in [false, true] {
            lines.append(
                (isStuck ? "whose module is stuck" : "whose module is not").padded(26)
                    + "\(ConnectReport.text(median(isStuck, \.median) / 1000, 1)) ms".padded(12)
                    + "\(ConnectReport.text(median(isStuck, \.p99) / 1000, 1)) ms")
        }
        lines.append(
            "p99: \(ConnectReport.text(ratio, 2))x; bound \(Self.ratioBound)x, or "
                + "\(ConnectReport.text(Self.moreBound / 1000, 0)) ms more" + (isWithin ? "" : ": OVER IT"))
        lines.append(
            wrong == 0 ? "every request was answered rightly" : "\(wrong) requests were answered WRONGLY or not at all")
        return lines.joined(separator: "\n")
    }

    private var json: JSONValue {
        func value(_ isStuck: Bool) -> JSONValue {
            .object([
                "p50_us": .array((loads[isStuck] ?? []).map { .number($0.median) }),
                "p99_us": .array((loads[isStuck] ?? []).map { .number($0.p99) }),
            ])
        }
        return .object([
            "benchmark": .string("stuck"), "accounts": .integer(options.accounts),
            "requests": .integer(options.requests), "rate": .integer(options.rate), "without": value(false),
            "stuck": value(true), "ratio": .number((ratio * 100).rounded() / 100), "wrong": .integer(wrong),
            "within": .bool(isWithin),
        ])
    }
}
