/// Gives each change of a row its revision: numbers that rise for ever, the last of them kept in the file.
///
/// It is read once, since only the store writes it, and again where a transaction has failed.
final class RevisionCounter {
    private var last: Int64?

    /// Takes so many, within a transaction, and gives the first.
    func take(_ count: Int, _ connection: Connection) throws(StoreError) -> Int64 {
        let before: Int64
        if let last { before = last } else { before = try read(connection) }
        let (after, isOver) = before.addingReportingOverflow(Int64(count))
        guard !isOver else { throw .corrupt("the counter of revisions") }
        try connection.run(Self.update) { $0.integer(after) }
        guard connection.changedRows == 1 else { throw .corrupt("the counter of revisions") }
        last = after
        return before + 1
    }

    /// The transaction that took some has failed.
    func forget() { last = nil }

    private func read(_ connection: Connection) throws(StoreError) -> Int64 {
        let value = try connection.first("SELECT value FROM counter WHERE name = 'revision'") {
            row throws(StoreError) in try row.integer()
        }
        guard let value else { throw .corrupt("the counter of revisions") }
        return value
    }

    private static let update = Query("UPDATE counter SET value = ? WHERE name = 'revision'")
}
