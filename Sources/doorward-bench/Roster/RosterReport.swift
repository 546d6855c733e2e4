import DoorwardConsole

/// The figures of `doorward-bench roster`.
struct RosterReport {
    /// Milliseconds for 10,000 contacts.
    private static let cpuBound = 60.0
    /// Bytes for as many.
    private static let heapBound = 3 << 20

    private let options: RosterOptions
    private let whole: [RosterBench.Load]
    private let versioned: [RosterBench.Load]

    init(_ options: RosterOptions, whole: [RosterBench.Load], versioned: [RosterBench.Load]) {
        (self.options, self.whole, self.versioned) = (options, whole, versioned)
    }

    /// The bounds grow with the contacts.
    private var scale: Double { Double(options.contacts) / 10_000 }

    private static func cpu(_ loads: [RosterBench.Load]) -> Double { ConnectReport.median(loads.map(\.cpu)) ?? 0 }

    private static func heap(_ loads: [RosterBench.Load]) -> Double {
        ConnectReport.median(loads.map { Double($0.heapBytes) }) ?? 0
    }

    private static func resident(_ loads: [RosterBench.Load]) -> Double {
        ConnectReport.median(loads.map { Double($0.residentKiB) }) ?? 0
    }

    /// Whether both loads keep to the bounds.
    var isWithin: Bool {
        [whole, versioned].allSatisfy {
            Self.cpu($0) <= Self.cpuBound * scale && Self.heap($0) <= Double(Self.heapBound) * scale
        }
    }

    var words: String {
        var lines = ["\(options.contacts) contacts".padded(24) + "CPU".padded(14) + "heap".padded(14) + "resident"]
        for (title, loads) in [("the whole roster", whole), ("by its version", versioned)] {
            lines.append(
                title.padded(24) + "\(ConnectReport.text(Self.cpu(loads), 1)) ms".padded(14)
                    + "\(ConnectReport.text(Self.heap(loads) / 1024, 0)) KiB".padded(14)
                    + "\(ConnectReport.text(Self.resident(loads), 0)) KiB")
        }
        lines.append(
            "bounds: \(ConnectReport.text(Self.cpuBound * scale, 1)) ms, "
                + "\(ConnectReport.text(Double(Self.heapBound) * scale / 1024, 0)) KiB"
                + (isWithin ? "" : ": OVER THEM"))
        return lines.joined(separator: "\n")
    }

    var json: JSONValue {
        func value(_ loads: [RosterBench.Load]) -> JSONValue {
            .object([
                "cpu_ms": .array(loads.map { .number(($0.cpu * 100).rounded() / 100) }),
                "heap_bytes": .array(loads.map { .integer($0.heapBytes) }),
                "resident_kib": .array(loads.map { .integer($0.residentKiB) }),
            ])
        }
        return .object([
            "benchmark": .string("roster"), "contacts": .integer(options.contacts),
            "rounds": .integer(options.rounds), "whole": value(whole), "versioned": value(versioned),
            "within": .bool(isWithin),
        ])
    }
}
