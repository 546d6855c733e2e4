import DoorwardConsole

/// The figures of `doorward-bench roster`.
struct RosterReport {
    /// Milliseconds for 10,000 contacts.
    private static let cpuBound = 60.0
    /// Bytes for as many.
    private static let memoryBound = Double(3 << 20)
    /// Bytes for 1,000 accounts.
    private static let fleetMemoryBound = Double(64 << 20)
    private static let fleetDiskBound = Double(40 << 20)
    /// Those of the sides that are ours.
    private static let own = ["ours", RosterSides.product, RosterSides.productAgain]

    private let options: RosterOptions
    var whole: [RosterBench.Load] = []
    var versioned: [RosterBench.Load] = []
    var sides: RosterSides?
    var fleet: RosterFleet.Figures?

    init(_ options: RosterOptions) { self.options = options }

    /// The bounds grow with the contacts, and with the accounts.
    private var scale: Double { Double(options.contacts) / 10_000 }
    private var fleetScale: Double { Double(options.fleet) / 1000 }

    private static func median(_ loads: [RosterBench.Load], _ value: (RosterBench.Load) -> Double) -> Double {
        ConnectReport.median(loads.map(value)) ?? 0
    }

    // MARK: The verdict

    var isWithin: Bool { faults.isEmpty }

    /// What is over its bound.
    private var faults: [String] {
        var faults: [String] = []
        for (name, loads) in [("the whole roster", whole), ("by its version", versioned)] {
            if Self.median(loads, \.cpu) > Self.cpuBound * scale { faults.append("\(name): CPU") }
            let heap = Self.median(loads) { Double($0.heapBytes) }
            if heap > Self.memoryBound * scale { faults.append("\(name): heap") }
        }
        for name in Self.own {
            guard let cpu = sides?.cpu(name), let memory = sides?.memory(name) else { continue }
            if cpu > Self.cpuBound * scale { faults.append("\(name): CPU") }
            if memory > Self.memoryBound * scale { faults.append("\(name): memory") }
            for peer in sides?.order ?? [] where peer != "floor" && !Self.own.contains(peer) {
                if cpu >= sides?.cpu(peer) ?? cpu { faults.append("\(name): no less CPU than \(peer)") }
                if memory >= sides?.memory(peer) ?? memory { faults.append("\(name): no less memory than \(peer)") }
            }
        }
        if let fleet {
            if fleet.full - fleet.connections > Self.fleetMemoryBound * fleetScale { faults.append("fleet: memory") }
            if fleet.disk > Self.fleetDiskBound * fleetScale { faults.append("fleet: disk") }
        }
        return faults
    }

    // MARK: Words

    var words: String {
        var lines: [String] = []
        if !whole.isEmpty {
            lines.append(
                "\(options.contacts) contacts, alone".padded(26) + "CPU".padded(18) + "heap".padded(18) + "resident")
            for (title, loads) in [("the whole roster", whole), ("by its version", versioned)] {
                lines.append(
                    ("  " + title).padded(26) + Self.milliseconds(Self.median(loads, \.cpu)).padded(18)
                        + Self.mebibytes(Self.median(loads) { Double($0.heapBytes) }).padded(18)
                        + Self.mebibytes(Self.median(loads) { Double($0.residentKiB) * 1024 }))
            }
        }
        lines += sideLines
        if !whole.isEmpty || sides?.order.isEmpty == false {
            lines.append(
                "  bound".padded(26) + Self.milliseconds(Self.cpuBound * scale).padded(18)
                    + Self.mebibytes(Self.memoryBound * scale).padded(18) + "and less than any peer")
        }
        lines += fleetLines
        lines += sides?.absent.map { "skipped: \($0.name), \($0.why)" } ?? []
        lines.append(isWithin ? "all bounds are kept" : "OVER A BOUND: " + faults.joined(separator: "; "))
        return lines.joined(separator: "\n")
    }

    private var sideLines: [String] {
        guard let sides, !sides.order.isEmpty else { return [] }
        var lines = ["\(options.contacts) contacts, processes".padded(26) + "CPU".padded(18) + "resident"]
        let (baseCPU, baseMemory) = (sides.cpu("ours"), sides.memory("ours"))
        for name in sides.order {
            guard let cpu = sides.cpu(name), let memory = sides.memory(name) else { continue }
            lines.append(
                ("  " + name).padded(26)
                    + (Self.milliseconds(cpu) + Self.ratio(cpu, baseCPU, name)).padded(18)
                    + Self.mebibytes(memory) + Self.ratio(memory, baseMemory, name))
        }
        return lines
    }

    private static func ratio(_ value: Double, _ base: Double?, _ name: String) -> String {
        guard let base, base > 0, name != "ours" else { return "" }
        return " (\(ConnectReport.text(value / base, 2))x)"
    }

    private var fleetLines: [String] {
        guard let fleet else { return [] }
        let beyond = Self.mebibytes(fleet.full - fleet.connections)
        return [
            "\(options.fleet) accounts with \(RosterFleet.contacts) contacts each, all of whom are there",
            "  their connections alone".padded(44) + Self.mebibytes(fleet.connections),
            "  the service with them, without contacts".padded(44) + Self.mebibytes(fleet.empty),
            "  with contacts".padded(44) + Self.mebibytes(fleet.full),
            "  that is beyond their connections".padded(44)
                + beyond.padded(14) + "bound \(Self.mebibytes(Self.fleetMemoryBound * fleetScale))",
            "  their contacts on disk".padded(44)
                + Self.mebibytes(fleet.disk).padded(14) + "bound \(Self.mebibytes(Self.fleetDiskBound * fleetScale))",
        ]
    }

    private static func milliseconds(_ value: Double) -> String { "\(ConnectReport.text(value, 1)) ms" }

    private static func mebibytes(_ bytes: Double) -> String { "\(ConnectReport.text(bytes / 1_048_576, 2)) MiB" }

    // MARK: JSON

    var json: JSONValue {
        func value(_ loads: [RosterBench.Load]) -> JSONValue {
            .object([
                "cpu_ms": .array(loads.map { Self.number($0.cpu) }),
                "heap_bytes": .array(loads.map { .integer($0.heapBytes) }),
                "resident_kib": .array(loads.map { .integer($0.residentKiB) }),
            ])
        }
        let contenders = (sides?.order ?? []).map { name in
            let figures = sides?.figures[name] ?? []
            return JSONValue.object([
                "name": .string(name), "cpu_ms": .array(figures.map { Self.number($0.cpu / 1000) }),
                "memory_bytes": .array(figures.map { .integer(Int($0.memory)) }),
            ])
        }
        return .object([
            "benchmark": .string("roster"), "contacts": .integer(options.contacts),
            "rounds": .integer(options.rounds), "whole": value(whole), "versioned": value(versioned),
            "sides": .array(contenders),
            "skipped": .array(
                (sides?.absent ?? []).map { .object(["name": .string($0.name), "why": .string($0.why)]) }),
            "fleet": fleet.map { fleet in
                .object([
                    "accounts": .integer(options.fleet), "connections_bytes": .integer(Int(fleet.connections)),
                    "empty_bytes": .integer(Int(fleet.empty)), "full_bytes": .integer(Int(fleet.full)),
                    "disk_bytes": .integer(Int(fleet.disk)),
                ])
            } ?? .null,
            "over": .array(faults.map { .string($0) }), "within": .bool(isWithin),
        ])
    }

    private static func number(_ value: Double) -> JSONValue { .number((value * 100).rounded() / 100) }
}
