import XMPPCore

/// The changes of one account in one transaction: a row is read once and written once, however many of them it has.
struct RequestBatch {
    private struct Item {
        var row: RequestRow
        var journal: [JournalEntry] = []
        var isChanged = false
        /// The changes that this row is the answer to.
        var places: [Int] = []
    }

    private let table: RequestTable
    private let recent: RecentRows
    private let account: BareJID
    private let session: Int64
    private let at: Timestamp
    private var items: [Item] = []
    /// Where a contact's latest row is.
    private var latest: [BareJID: Int] = [:]
    /// The row after each change, in order; with the ids of new ones once they are written.
    private(set) var rows: [RequestRow?] = []

    init(table: RequestTable, recent: RecentRows, account: BareJID, session: Int64, at: Timestamp) {
        self.table = table
        self.recent = recent
        self.account = account
        self.session = session
        self.at = at
    }

    /// Applies a change to the contact's row, which has that revision where it changes.
    mutating func apply(_ change: RequestChange, revision: Int64) throws(StoreError) {
        var known = latest[change.contact]
        if known == nil, let row = try read(change.contact) { known = add(Item(row: row)) }
        let transition = try RequestTransition(
            change, latest: known.map { items[$0].row }, account: account, session: session, at: at)
        guard var row = transition.row else { return rows.append(nil) }
        if transition.isChanged { row.revision = revision }
        let index = transition.isNew ? nil : known
        let place = index ?? add(Item(row: row))
        items[place].row = row
        items[place].journal += transition.journal
        items[place].isChanged = items[place].isChanged || transition.isChanged
        items[place].places.append(rows.count)
        rows.append(row)
    }

    /// Writes what has changed.
    mutating func write() throws(StoreError) {
        // In their order: the row of an earlier request has ended before one of the same contact begins.
        for index in items.indices where items[index].isChanged {
            let id = try table.write(items[index].row, items[index].journal, session: session, at: at)
            items[index].row.id = id
            for place in items[index].places { rows[place]?.id = id }
        }
    }

    /// The transaction is on disk.
    func remember() {
        for item in items where item.isChanged { recent.wrote(item.row) }
    }

    private func read(_ contact: BareJID) throws(StoreError) -> RequestRow? {
        if let row = recent.live(account, contact) { return row }
        return try table.latest(account, contact)
    }

    private mutating func add(_ item: Item) -> Int {
        items.append(item)
        latest[item.row.contact] = items.count - 1
        return items.count - 1
    }
}
