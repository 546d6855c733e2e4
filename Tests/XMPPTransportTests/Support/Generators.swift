/// A generator that always gives the same, for orders that must not depend on chance.
///
/// Not 0 where the bound may be other than a power of two: the standard library would ask again for ever.
struct Constant: RandomNumberGenerator {
    var value: UInt64

    mutating func next() -> UInt64 { value }
}

/// The same numbers in every run (SplitMix64).
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
