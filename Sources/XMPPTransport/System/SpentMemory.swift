import CShims

/// Gives memory back to the system behind something large that was read and let go, such as a whole roster.
///
/// Its parts were many small blocks, and malloc gives only the end of its heap back by itself. One for each loop, with a pause
/// between two times, since it looks through the whole heap.
package final class SpentMemory {
    /// The pause, and so the longest that it waits for more.
    static let pause = Duration.seconds(1)

    private let giveBack: @Sendable () -> Void
    private var isWaiting = false

    package convenience init() {
        self.init { _ = shim_trim_memory() }
    }

    init(giveBack: @escaping @Sendable () -> Void) {
        self.giveBack = giveBack
    }

    /// Something large is let go about now; on the loop.
    package func spent(on loop: EventLoop) {
        guard !isWaiting else { return }
        isWaiting = true
        // Unchecked because: this belongs to the loop, and so does the timer.
        nonisolated(unsafe) let memory = self
        loop.schedule(after: Self.pause) {
            memory.isWaiting = false
            // It takes milliseconds where the heap is large.
            BlockingPool.submit(memory.giveBack)
        }
    }
}
