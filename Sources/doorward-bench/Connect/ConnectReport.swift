import DoorwardConsole

/// The figures of all rounds, as a table with the ratio beside each figure, and as JSON.
struct ConnectReport: Sendable {
    /// One line of the table.
    private struct Row {
        var title: String
        var key: String
        /// Zero decimals or more.
        var digits = 0
        var scale = 1.0
        var unit: String
        var bound: Double?
        var value: @Sendable (VisitFigures) -> Double?
    }

    let options: ConnectOptions
    let before: Machine
    var after: Machine?
    var absent: [(name: String, why: String)] = []
    var storm: [VisitFigures] = []
    private var order: [String] = []
    private var visits: [String: [Int: [VisitFigures]]] = [:]

    init(options: ConnectOptions, before: Machine) {
        self.options = options
        self.before = before
    }

    mutating func add(_ figures: VisitFigures, of name: String, _ accounts: Int) {
        if !order.contains(name) { order.append(name) }
        visits[name, default: [:]][accounts, default: []].append(figures)
    }

    func isGone(_ name: String) -> Bool { absent.contains { $0.name == name } }

    var wrong: Int { visits.values.joined().reduce(0) { $0 + $1.value.reduce(0) { $0 + $1.wrong } } }

    private static let rows = [
        Row(title: "CPU a login", key: "login_us", digits: 2, scale: 1e-3, unit: "ms", bound: 1.3) { $0.login },
        Row(title: "memory an account", key: "memory_bytes", digits: 1, scale: 1 / 1024, unit: "KiB", bound: 1.4) {
            $0.memory
        },
        Row(title: "CPU a decision, 100/s", key: "decision_us", unit: "us", bound: 1.3) { $0.decision },
        Row(title: "CPU a decision, closed", key: "closed_decision_us", digits: 1, unit: "us", bound: 1.5) {
            $0.closedDecision
        },
        Row(title: "latency p50", key: "latency_us", unit: "us", bound: 1.3) { $0.latency },
    ]

    private func median(_ name: String, _ accounts: Int, _ value: (VisitFigures) -> Double?) -> Double? {
        Self.median((visits[name]?[accounts] ?? []).compactMap(value))
    }

    static func median(_ values: [Double]) -> Double? {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    // MARK: Words

    var words: String {
        var lines: [String] = []
        for accounts in options.accounts {
            let names = order.filter { $0 != "product" }
            lines.append("\(accounts) accounts".padded(26) + names.map { $0.padded(18) }.joined() + "bound")
            for row in Self.rows {
                let floor = median("floor", accounts, row.value)
                let cells = names.map { name in
                    cell(median(name, accounts, row.value), row.digits, row.scale, row.unit, floor, name)
                }
                lines.append("  " + row.title.padded(24) + cells.joined() + (row.bound.map { "\($0)x" } ?? ""))
            }
            lines += extraLines(accounts)
            lines.append("")
        }
        lines += summary
        return lines.joined(separator: "\n")
    }

    /// The rows that only we have.
    private func extraLines(_ accounts: Int) -> [String] {
        var lines: [String] = []
        let floorLogin = median("floor", accounts, \.login)
        lines.append(
            line(
                "CPU a login again", median("ours", accounts, \.loginAgain), 2, 1e-3, "ms", floorLogin,
                "0.5x of its login"))
        lines.append(
            line(
                "full login again", median("ours", accounts, \.loginAfresh), 2, 1e-3, "ms", floorLogin,
                "1.3x of its login: nothing resumed or kept"))
        if let resumed = median("ours", accounts, \.resumed) {
            lines.append("  " + "  resumed handshakes".padded(42) + "\(Int(resumed)) of \(accounts)")
        }
        if let idle = median("ours", accounts, \.idle) {
            lines.append(
                "  " + "CPU when idle, a second".padded(24)
                    + cell(median("floor", accounts, \.idle), 2, 1e-3, "ms", nil, "floor")
                    + cell(idle, 2, 1e-3, "ms", nil, "ours") + "1 ms")
        }
        if let product = median("product", accounts, \.decision) {
            lines.append(
                line(
                    "the product, 100/s", product, 0, 1, "us", median("ours", accounts, \.decision),
                    "2x of ours without store")
            )
        }
        if let reads = median("product", accounts, \.reads), let commits = median("product", accounts, \.commits) {
            lines.append(
                "  " + "  commits, reads a second".padded(42)
                    + "\(Self.text(commits, 0)), \(Self.text(reads, 0))".padded(18)
                    + "commits at most reads: " + (commits <= reads ? "yes" : "NO"))
        }
        return lines
    }

    private var summary: [String] {
        var lines: [String] = []
        if let first = options.accounts.min(), let last = options.accounts.max(), first != last,
            let few = median("ours", first, \.decision), let many = median("ours", last, \.decision)
        {
            lines.append("a decision at \(last) accounts costs \(Self.text(many / few, 2)) of one at \(first)")
        }
        if let turn = Self.median(storm.compactMap(\.turn)), let turnCPU = Self.median(storm.compactMap(\.turnCPU)) {
            lines.append(
                "longest turn with \(options.storm) logins at once: \(Self.text(turn / 1000, 1)) ms by the clock, "
                    + "\(Self.text(turnCPU / 1000, 1)) ms of processor time (bound 5 ms, with 2000)")
        }
        for (name, why) in absent { lines.append("skipped: \(name), \(why)") }
        let machines = [before, after ?? before]
        lines.append(
            "machine: \(Machine.cores) cores; before and after: load "
                + machines.map { Self.text($0.load, 1) }.joined(separator: " and ") + ", calibration "
                + machines.map { $0.calibration.inMilliseconds }.joined(separator: " and "))
        lines.append(
            wrong == 0 ? "every request was answered rightly" : "\(wrong) requests were answered WRONGLY or not at all")
        return lines
    }

    private func line(
        _ title: String, _ value: Double?, _ digits: Int, _ scale: Double, _ unit: String, _ base: Double?,
        _ bound: String
    ) -> String {
        "  " + title.padded(24) + "".padded(18) + cell(value, digits, scale, unit, base, "ours") + bound
    }

    private func cell(
        _ value: Double?, _ digits: Int, _ scale: Double, _ unit: String, _ base: Double?, _ name: String
    ) -> String {
        guard let value else { return "-".padded(18) }
        var text = Self.text(value * scale, digits) + " " + unit
        if let base, base > 0, name != "floor" { text += " (\(Self.text(value / base, 2))x)" }
        return text.padded(18)
    }

    static func text(_ value: Double, _ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let rounded = Int64((abs(value) * scale).rounded())
        let whole = String(rounded / Int64(scale))
        let sign = value < 0 && rounded > 0 ? "-" : ""
        guard digits > 0 else { return sign + whole }
        let fraction = String(rounded % Int64(scale))
        return sign + whole + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    // MARK: JSON

    var json: JSONValue {
        .object([
            "benchmark": .string("connect"), "rounds": .integer(options.rounds), "cores": .integer(Machine.cores),
            "load": .array([before, after ?? before].map { .number($0.load) }),
            "calibration_us": .array([before, after ?? before].map { .integer($0.calibration.microseconds) }),
            "wrong": .integer(wrong),
            "skipped": .array(absent.map { .object(["name": .string($0.name), "why": .string($0.why)]) }),
            "logins_at_once": .array(storm.map(Self.json)),
            "contenders": .array(
                order.map { name in
                    let sizes = (visits[name] ?? [:]).sorted { $0.key < $1.key }
                    return .object([
                        "name": .string(name),
                        "accounts": .array(
                            sizes.map { size in
                                .object([
                                    "count": .integer(size.key), "rounds": .array(size.value.map(Self.json)),
                                ])
                            }),
                    ])
                }),
        ])
    }

    private static func json(_ figures: VisitFigures) -> JSONValue {
        let number = { (value: Double?) in value.map { JSONValue.number(($0 * 10).rounded() / 10) } ?? .null }
        return .object([
            "login_us": number(figures.login), "login_again_us": number(figures.loginAgain),
            "login_afresh_us": number(figures.loginAfresh),
            "memory_bytes": number(figures.memory), "decision_us": number(figures.decision),
            "closed_decision_us": number(figures.closedDecision), "latency_us": number(figures.latency),
            "idle_us_per_second": number(figures.idle), "online_s": number(figures.wait),
            "resumed_handshakes": number(figures.resumed), "longest_turn_us": number(figures.turn),
            "longest_turn_cpu_us": number(figures.turnCPU), "reads_per_second": number(figures.reads),
            "commits_per_second": number(figures.commits),
            "commits_within_reads": figures.commits.map { .bool($0 <= figures.reads ?? 0) } ?? .null,
            "wrong": .integer(figures.wrong),
        ])
    }
}

extension String {
    /// With blanks behind it up to a width, and one at least.
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
