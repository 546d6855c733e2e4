import XMPPTransport

/// What looks like chance and is the same for the same seed: the generator SplitMix64.
struct SeededChance {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<max(0, count)).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
    }

    /// For each client that begins, the same chance from its beginning: what one draws is nothing to the others.
    static func maker(_ seed: UInt64) -> @Sendable () -> @Sendable (Int) -> [UInt8] {
        {
            let chance = Locked(SeededChance(seed: seed))
            return { count in chance.withLock { $0.bytes(count) } }
        }
    }
}
