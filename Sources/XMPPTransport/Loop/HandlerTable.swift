/// A descriptor's place in a loop: with a generation, since the kernel gives a closed descriptor's number away at once.
struct Registration: Equatable {
    let descriptor: Int32
    let generation: UInt32

    var token: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)) }
}

/// The handlers of a loop by descriptor.
///
/// Overlapping access is not checked at run time: all of it is on the loop, and no variable is lent out over a call.
final class HandlerTable {
    /// Generation 0 is never given out.
    static let wakeToken: UInt64 = 0

    private struct Slot {
        var generation: UInt32
        var handler: (UInt32) -> Void
    }

    /// By descriptor: the kernel gives the lowest that is free.
    @exclusivity(unchecked) private var slots: [Slot?] = []
    @exclusivity(unchecked) private var lastGeneration: UInt32 = 0

    func add(_ descriptor: Int32, _ handler: @escaping (UInt32) -> Void) -> Registration {
        lastGeneration = lastGeneration == .max ? 1 : lastGeneration + 1
        let index = Int(descriptor)
        if index >= slots.count { slots += Array(repeating: nil, count: index + 1 - slots.count) }
        slots[index] = Slot(generation: lastGeneration, handler: handler)
        return Registration(descriptor: descriptor, generation: lastGeneration)
    }

    func holds(_ registration: Registration) -> Bool {
        slot(registration.descriptor)?.generation == registration.generation
    }

    /// - Returns: false when the descriptor's handler is another by now, or none.
    @discardableResult
    func remove(_ registration: Registration) -> Bool {
        guard holds(registration) else { return false }
        slots[Int(registration.descriptor)] = nil
        return true
    }

    func removeAll() {
        let dropped = slots
        slots.removeAll()
        // The handlers go at the end of this call: what they hold may call back into the table.
        withExtendedLifetime(dropped) {}
    }

    /// The handler that a token of epoll means; `nil` for an event of a descriptor that was closed in the same turn.
    func handler(for token: UInt64) -> ((UInt32) -> Void)? {
        let descriptor = Int32(bitPattern: UInt32(truncatingIfNeeded: token))
        guard let slot = slot(descriptor), slot.generation == UInt32(truncatingIfNeeded: token >> 32) else {
            return nil
        }
        return slot.handler
    }

    private func slot(_ descriptor: Int32) -> Slot? {
        let index = Int(descriptor)
        return slots.indices.contains(index) ? slots[index] : nil
    }
}
