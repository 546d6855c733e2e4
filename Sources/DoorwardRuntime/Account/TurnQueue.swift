/// Lets one at a time in, in the order in which they come; belongs to the isolation of its owner.
final class TurnQueue {
    /// How many may wait.
    static let limit = 100

    private(set) var isTaken = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Whether one more may wait.
    var hasRoom: Bool { waiters.count < Self.limit }

    /// Waits for the turn; `leave()` ends it.
    ///
    /// - Parameters:
    ///   - isBounded: Whether it gives up where too many wait; what must be done waits all the same.
    ///   - isolation: The owner's.
    /// - Returns: False where too many wait already: there is no turn to end then.
    func enter(isBounded: Bool = true, isolation: isolated (any Actor)? = #isolation) async -> Bool {
        guard isTaken else {
            isTaken = true
            return true
        }
        guard hasRoom || !isBounded else { return false }
        // Who leaves hands the turn on, so that nobody who comes meanwhile takes it.
        await withCheckedContinuation { waiters.append($0) }
        return true
    }

    func leave() {
        guard !waiters.isEmpty else {
            isTaken = false
            return
        }
        waiters.removeFirst().resume()
    }
}
