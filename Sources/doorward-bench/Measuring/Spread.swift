/// Many durations in a few figures, by nearest rank.
struct Spread: Sendable {
    private let sorted: [Duration]

    init(_ durations: [Duration]) { sorted = durations.sorted() }

    var count: Int { sorted.count }
    var longest: Duration { sorted.last ?? .zero }

    /// The least value that `percent` of all are not above.
    func percentile(_ percent: Int) -> Duration {
        guard !sorted.isEmpty else { return .zero }
        let rank = (sorted.count * percent + 99) / 100
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}

extension Duration {
    var microseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    }

    /// Seconds with two decimals, or three below a tenth.
    var inSeconds: String { Self.decimal(microseconds, per: 1_000_000, digits: microseconds < 100_000 ? 3 : 2) + " s" }

    /// Milliseconds with one decimal.
    var inMilliseconds: String { Self.decimal(microseconds, per: 1000, digits: 1) + " ms" }

    private static func decimal(_ value: Int, per unit: Int, digits: Int) -> String {
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let rounded = (value * scale + unit / 2) / unit
        let fraction = String(rounded % scale)
        return "\(rounded / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
