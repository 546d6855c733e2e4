/// When a group of commits is written.
///
/// One that comes alone is written at once. While commits follow each other, those of a window are written together: a
/// transaction costs the same whether it holds one account's changes or those of twenty.
struct CommitPace {
    /// So many changes are worth a transaction whatever the time: a burst waits for the disk only.
    static let full = 64

    /// Nanoseconds between the beginnings of two groups.
    let window: Int64
    /// When the latest group began; nil before the first.
    private var latest: Int64?

    init(window: Duration) {
        self.window = Int64(window / .nanoseconds(1))
    }

    /// When a group of so many changes is to be written; not later than `now` where it is at once.
    func due(_ changes: Int) -> Int64 {
        guard let latest, changes < Self.full else { return .min }
        return latest + window
    }

    /// A group is written.
    mutating func began(at now: Int64) { latest = now }

    /// Until when a commit would have to wait; nil where it would not.
    func end(at now: Int64) -> Int64? {
        guard let latest, latest + window > now else { return nil }
        return latest + window
    }
}
