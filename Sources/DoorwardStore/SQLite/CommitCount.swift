import Synchronization

/// Counts the transactions of a connection that wrote something.
final class CommitCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add() { count.add(1, ordering: .relaxed) }
}
