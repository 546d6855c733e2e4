import XMPPCore

/// The changes of one account in one transaction: a row is read once and written once, however many of them it has.
struct RequestBatch {
    private struct Item {
        var row: RequestRow
        let names: RequestTable.Names
        var journal: [JournalEntry] = []
        var extent = RequestTable.Extent.nothing
        /// The changes that this row is the answer to.
        var places: [Int] = []

        /// A decision that is sent at once is one row of the journal: both are on disk together or not at all.
        mutating func append(_ entry: JournalEntry) {
            if entry.kind == .sent, let last = journal.indices.last, journal[last].kind == .decided,
                journal[last].sent.isEmpty
            {
                journal[last].sent = entry.steps
            } else {
                journal.append(entry)
            }
        }
    }

    private let table: RequestTable
    private let recent: RecentRows
    private let account: BareJID
    private let accountText: String
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
        accountText = account.description
        self.session = session
        self.at = at
    }

    /// Applies a change to the contact's row, which has that revision where it changes.
    mutating func apply(_ change: RequestChange, revision: Int64) throws(StoreError) {
        let contact = change.contact
        var known = latest[contact]
        var names = known.map { items[$0].names }
        if known == nil {
            let written = RequestTable.Names(account: accountText, contact: contact)
            if let row = try read(contact, written) { known = add(Item(row: row, names: written)) }
            names = written
        }
        let change = try invited(change, known.map { items[$0].row })
        let transition = try RequestTransition(
            change, latest: known.map { items[$0].row }, account: account, session: session, at: at)
        guard let row = transition.row, let names else { return rows.append(nil) }
        let index = transition.isNew ? nil : known
        take(transition, row, at: index ?? add(Item(row: row, names: names)), revision)
    }

    /// The change as the worth of its token decides it; the use of an invitation is counted with it.
    private func invited(_ change: RequestChange, _ latest: RequestRow?) throws(StoreError) -> RequestChange {
        guard let shown = change.shownToken(latest) else { return change }
        let worth = try InvitationTable(connection: table.connection).worth(
            shown.digest, of: account, to: change.contact, at: at, known: shown.usedBefore, isUsed: shown.isUsed)
        return change.decided(by: worth).withoutRepetition(latest)
    }

    private func read(_ contact: BareJID, _ names: RequestTable.Names) throws(StoreError) -> RequestRow? {
        if let row = recent.live(account, contact) { return row }
        return try table.latest(names)
    }

    private mutating func take(_ transition: RequestTransition, _ row: RequestRow, at place: Int, _ revision: Int64) {
        items[place].row = row
        if transition.extent > .nothing { items[place].row.revision = revision }
        items[place].extent = max(items[place].extent, transition.extent)
        for entry in transition.journal { items[place].append(entry) }
        items[place].places.append(rows.count)
        rows.append(items[place].row)
    }

    /// Writes what has changed.
    mutating func write() throws(StoreError) {
        // In their order: the row of an earlier request has ended before one of the same contact begins.
        for index in items.indices where items[index].extent > .nothing {
            let item = items[index]
            let id = try table.write(
                item.row, item.extent, item.journal, names: item.names, session: session, at: at)
            guard id != item.row.id else { continue }
            items[index].row.id = id
            for place in item.places { rows[place]?.id = id }
        }
    }

    /// The transaction is on disk.
    func remember() {
        for item in items where item.extent > .nothing { recent.wrote(item.row) }
    }

    private mutating func add(_ item: Item) -> Int {
        items.append(item)
        latest[item.row.contact] = items.count - 1
        return items.count - 1
    }
}
