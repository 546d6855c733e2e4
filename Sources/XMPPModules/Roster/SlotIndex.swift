/// Finds slots of a list by a key that stands in the list itself: four bytes a place, without a copy of the key.
///
/// Open addressing with linear steps. The caller hashes with `Hasher`, whose seed nobody outside knows, and says whether a
/// slot is the one that is looked for.
struct SlotIndex: Sendable {
    /// No slot was ever here.
    private static let free: UInt32 = .max
    /// A slot was here: those behind it may have gone past.
    private static let left: UInt32 = .max - 1
    /// Slots have less than this.
    static let bound = Int(left)

    private var places: [UInt32] = []
    /// Places that are not free.
    private var used = 0
    private(set) var count = 0

    var heldBytes: Int { places.capacity * MemoryLayout<UInt32>.stride }

    /// The slots, in no order.
    var slots: some Sequence<Int> { places.lazy.filter { $0 < Self.left }.map { Int($0) } }

    /// The slot that `matches`, or nil.
    func find(_ hash: Int, _ matches: (Int) -> Bool) -> Int? {
        guard !places.isEmpty else { return nil }
        let mask = places.count - 1
        var place = hash & mask
        while places[place] != Self.free {
            if places[place] != Self.left, matches(Int(places[place])) { return Int(places[place]) }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Puts in a slot that is not there.
    ///
    /// - Parameters:
    ///   - slot: Below ``bound``.
    ///   - hash: Of its key.
    ///   - rehash: The hash of any slot that is there, since they move when there are more.
    mutating func insert(_ slot: Int, _ hash: Int, _ rehash: (Int) -> Int) {
        if (used + 1) * 4 > places.count * 3 { resize(to: count + 1, rehash) }
        place(slot, hash)
    }

    /// Takes out a slot.
    mutating func remove(_ slot: Int, _ hash: Int) {
        guard !places.isEmpty else { return }
        let mask = places.count - 1
        var place = hash & mask
        while places[place] != Self.free {
            if Int(places[place]) == slot {
                places[place] = Self.left
                count -= 1
                return
            }
            place = (place + 1) & mask
        }
    }

    /// Makes room for so many at once.
    mutating func reserve(_ count: Int, _ rehash: (Int) -> Int) {
        if count * 4 > places.count * 3 { resize(to: count, rehash) }
    }

    private mutating func resize(to count: Int, _ rehash: (Int) -> Int) {
        var size = 8
        while size * 3 < count * 4 + 4 { size *= 2 }
        let old = places
        places = [UInt32](repeating: Self.free, count: size)
        (used, self.count) = (0, 0)
        for slot in old where slot < Self.left { place(Int(slot), rehash(Int(slot))) }
    }

    private mutating func place(_ slot: Int, _ hash: Int) {
        let mask = places.count - 1
        var place = hash & mask
        while places[place] != Self.free { place = (place + 1) & mask }
        places[place] = UInt32(truncatingIfNeeded: slot)
        used += 1
        count += 1
    }
}
