/// As many rows as go into one answer of the control socket.
struct Page {
    /// Rows end a page at this size in bytes; one row alone is far smaller than what an answer may have.
    static let budget = 262_144

    let values: [JSONValue]
    let isWhole: Bool

    var count: Int { values.count }

    init<Source>(_ rows: ArraySlice<Source>, json: (Source) -> JSONValue) {
        var values: [JSONValue] = []
        var size = 0
        for row in rows {
            let value = json(row)
            values.append(value)
            size += value.oneLine.utf8.count
            guard size < Self.budget else { break }
        }
        self.values = values
        isWhole = values.count == rows.count
    }
}
