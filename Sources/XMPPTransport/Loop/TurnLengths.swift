import Glibc
import Synchronization

/// How long the turns of a loop took at most.
final class TurnLengths: @unchecked Sendable {
    // Unchecked because: `clock` and `processor` are atomic, and the rest is touched on the loop's thread only.
    private let clock = Atomic<Int64>(0)
    private let processor = Atomic<Int64>(0)
    /// The thread's processor time when it was last asked for, and how long the turns since then took by the clock.
    @exclusivity(unchecked) private var usedBefore: Int64 = 0
    @exclusivity(unchecked) private var brief: Int64 = 0

    /// The longest by the clock since `reset()`.
    var longest: Duration { .nanoseconds(clock.load(ordering: .relaxed)) }
    /// The most processor time of one.
    var longestCPU: Duration { .nanoseconds(processor.load(ordering: .relaxed)) }

    func reset() {
        clock.store(0, ordering: .relaxed)
        processor.store(0, ordering: .relaxed)
    }

    /// A turn has taken so many nanoseconds; on the loop.
    func note(_ took: Int64) {
        if took > clock.load(ordering: .relaxed) { clock.store(took, ordering: .relaxed) }
        let turn = processorTime(ofTurn: took)
        if turn > processor.load(ordering: .relaxed) { processor.store(turn, ordering: .relaxed) }
    }

    /// Asks the system, which is a call into the kernel, about long turns only: a brief one took what the clock says, give or
    /// take what else had the processor.
    private func processorTime(ofTurn took: Int64) -> Int64 {
        guard took > TurnPace.share else {
            brief += took
            return took
        }
        let used = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        defer { (usedBefore, brief) = (used, 0) }
        return min(took, max(0, used - usedBefore - brief))
    }
}

extension EventLoop {
    /// The longest busy turn (between two waits) since `resetLongestTurn()`.
    package var longestTurn: Duration { lengths.longest }

    /// The most processor time that one such turn took: less than `longestTurn` where other programs had the processor.
    ///
    /// Of a turn under 1 ms it is the time by the clock.
    package var longestTurnCPU: Duration { lengths.longestCPU }

    package func resetLongestTurn() { lengths.reset() }
}
