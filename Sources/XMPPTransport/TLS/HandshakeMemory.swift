import CShims

/// Gives memory back to the system behind a burst of handshakes.
///
/// Each takes some tens of kilobytes while it goes on. With many at once that is a peak which nothing needs again, and malloc
/// gives only the end of its heap back by itself. One for each loop.
final class HandshakeMemory {
    /// Fewer handshakes leave too little to be looked for.
    static let burst = 32
    /// So long there has been no handshake when the burst is over.
    static let rest = Duration.seconds(1)

    private let giveBack: @Sendable () -> Void
    private var ended = 0
    private var isLookedFor = false

    init(giveBack: @escaping @Sendable () -> Void = { _ = shim_trim_memory() }) {
        self.giveBack = giveBack
    }

    /// A handshake is done; on the loop.
    func handshakeEnded(on loop: EventLoop) {
        ended += 1
        guard ended >= Self.burst, !isLookedFor else { return }
        isLookedFor = true
        look(on: loop)
    }

    private func look(on loop: EventLoop) {
        let before = ended
        // Unchecked because: this belongs to the loop, and so does the timer.
        nonisolated(unsafe) let memory = self
        loop.schedule(after: Self.rest) {
            guard memory.ended == before else { return memory.look(on: loop) }
            (memory.ended, memory.isLookedFor) = (0, false)
            // It takes milliseconds where the heap is large.
            BlockingPool.submit(memory.giveBack)
        }
    }
}
