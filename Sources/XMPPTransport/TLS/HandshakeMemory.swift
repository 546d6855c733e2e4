import CShims

/// Gives memory back to the system behind a burst of handshakes.
///
/// Each takes some tens of kilobytes while it goes on. With many at once that is a peak which nothing needs again, and malloc
/// gives only the end of its heap back by itself. One for each loop.
final class HandshakeMemory {
    /// Fewer handshakes leave too little to be looked for.
    static let burst = 32
    /// So long there has been no handshake when the burst is over.
    static let rest = Duration.milliseconds(500)

    private let giveBack: @Sendable () -> Void
    private var ended = 0
    private var last = Duration.zero
    private var isWaiting = false

    init(giveBack: @escaping @Sendable () -> Void = { _ = shim_trim_memory() }) {
        self.giveBack = giveBack
    }

    /// A handshake is done; on the loop.
    func handshakeEnded(on loop: EventLoop) {
        // A few now and then are no burst.
        if !isWaiting, loop.turnTime - last > Self.rest { ended = 0 }
        ended += 1
        last = loop.turnTime
        guard ended >= Self.burst, !isWaiting else { return }
        isWaiting = true
        wait(on: loop)
    }

    private func wait(on loop: EventLoop) {
        // Unchecked because: this belongs to the loop, and so does the timer.
        nonisolated(unsafe) let memory = self
        loop.schedule(after: last + Self.rest - loop.turnTime) {
            guard loop.turnTime >= memory.last + Self.rest else { return memory.wait(on: loop) }
            (memory.ended, memory.isWaiting) = (0, false)
            // It takes milliseconds where the heap is large.
            BlockingPool.submit(memory.giveBack)
        }
    }
}
