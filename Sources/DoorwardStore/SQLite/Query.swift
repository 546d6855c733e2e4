/// A statement that runs for each decision: it is prepared once for a connection, and found again without a look at its
/// text.
final class Query: Sendable {
    let sql: String

    init(_ sql: String) { self.sql = sql }
}
