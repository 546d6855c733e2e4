import CShims
import Glibc

/// Says when one kind of work has had its share of a turn.
struct TurnPace {
    /// So long each kind of work (jobs, timers, descriptors, heavy work) may take of one turn, in nanoseconds; what is left
    /// has its turn behind the others, so that no account waits long for any other.
    static let share: Int64 = 1_000_000
    /// Pieces of work between two looks at the clock.
    private static let piecesPerLook = 8

    private var untilLook = 0
    private var end: Int64?

    init() {}

    /// Of a share that begins now.
    init(from now: Int64) {
        untilLook = Self.piecesPerLook
        end = now + Self.share
    }

    /// To be asked before each piece.
    var goesOn: Bool {
        mutating get {
            untilLook -= 1
            guard untilLook < 0 else { return true }
            untilLook = Self.piecesPerLook
            let now = nanoseconds(CLOCK_MONOTONIC)
            guard let end else {
                self.end = now + Self.share
                return true
            }
            return now < end
        }
    }
}

/// A time as one number of 64 bits, rounded up; what is centuries away is far enough away.
func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    guard seconds < Int64(Int32.max) else { return .max }
    return seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
}

extension Duration {
    /// What a clock of the system says.
    init(nanosecondsOnClock nanoseconds: Int64) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        self.init(secondsComponent: seconds, attosecondsComponent: rest * 1_000_000_000)
    }
}

/// The time of a clock of the system.
func nanoseconds(_ clock: clockid_t) -> Int64 {
    shim_nanoseconds(clock)
}
