/// Names a scheduled timer of one loop.
package struct TimerID: Hashable, Sendable {
    let number: UInt64
}

/// Timers by due time; of two that are due at once, the one scheduled first fires first.
struct TimerHeap {
    private struct Entry {
        let due: Duration
        /// The same in nanoseconds, rounded up.
        let moment: Int64
        let id: TimerID
        let body: @Sendable () -> Void

        func isBefore(_ other: Entry) -> Bool {
            due != other.due ? due < other.due : id.number < other.id.number
        }
    }

    private var entries: [Entry] = []
    /// Where each timer stands in `entries`: a cancelled timer leaves at once instead of waiting for its time.
    private var positions: [TimerID: Int] = [:]
    private var lastNumber: UInt64 = 0

    var count: Int { entries.count }
    var nextDue: Duration? { entries.first?.due }
    /// The same in nanoseconds, rounded up: what a loop compares at each turn.
    var nextMoment: Int64? { entries.first?.moment }

    mutating func add(due: Duration, _ body: @escaping @Sendable () -> Void) -> TimerID {
        lastNumber &+= 1
        let id = TimerID(number: lastNumber)
        entries.append(Entry(due: due, moment: nanoseconds(due), id: id, body: body))
        positions[id] = entries.count - 1
        moveUp(from: entries.count - 1)
        return id
    }

    mutating func remove(_ id: TimerID) {
        guard let position = positions[id] else { return }
        _ = take(at: position)
    }

    mutating func removeAll() {
        entries.removeAll()
        positions.removeAll()
    }

    /// Takes the first timer that is due at `now`.
    mutating func takeDue(at now: Duration) -> (@Sendable () -> Void)? {
        guard let first = entries.first, first.due <= now else { return nil }
        return take(at: 0).body
    }

    private mutating func take(at position: Int) -> Entry {
        let last = entries.count - 1
        swapEntries(position, last)
        let entry = entries.removeLast()
        positions[entry.id] = nil
        if position < entries.count {
            moveUp(from: position)
            moveDown(from: position)
        }
        return entry
    }

    private mutating func moveUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].isBefore(entries[parent]) else { return }
            swapEntries(child, parent)
            child = parent
        }
    }

    private mutating func moveDown(from start: Int) {
        var parent = start
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].isBefore(entries[smallest]) { smallest = child }
            }
            guard smallest != parent else { return }
            swapEntries(parent, smallest)
            parent = smallest
        }
    }

    private mutating func swapEntries(_ first: Int, _ second: Int) {
        guard first != second else { return }
        entries.swapAt(first, second)
        positions[entries[first].id] = first
        positions[entries[second].id] = second
    }
}
