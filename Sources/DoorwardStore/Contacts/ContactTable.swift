import DoorwardPolicy
import XMPPCore

/// Reads and writes the items of rosters.
struct ContactTable {
    let connection: Connection

    // MARK: Reading

    func contacts(_ account: BareJID) throws(StoreError) -> [ContactRow] {
        try connection.all(
            "SELECT contact, subscription, asked, name, groups FROM contact WHERE account = ?",
            [.text(account.description)], Self.contact)
    }

    func contact(_ contact: BareJID, of account: BareJID) throws(StoreError) -> ContactRow? {
        try connection.first(
            "SELECT contact, subscription, asked, name, groups FROM contact WHERE account = ? AND contact = ?",
            [.text(account.description), .text(contact.description)], Self.contact)
    }

    /// The columns `contact, subscription, asked, name, groups`.
    static func contact(_ row: inout SQLRow) throws(StoreError) -> ContactRow {
        let jid = try row.address()
        let subscription = try row.word(of: RosterFact.Subscription.self)
        let (asked, name, groups) = (try row.flag(), try row.optionalText(), try row.text())
        return ContactRow(
            jid: jid,
            item: RosterFact(subscription: subscription, asked: asked, name: name, groups: Self.groups(groups)))
    }

    /// The roster's version and when it was written; nil where no roster of the account was ever seen.
    func state(_ account: BareJID) throws(StoreError) -> (version: String?, at: Timestamp)? {
        try connection.first(
            "SELECT version, at FROM roster_state WHERE account = ?", [.text(account.description)]
        ) { row throws(StoreError) in (try row.optionalText(), try row.timestamp()) }
    }

    // MARK: Writing

    /// Writes an item; `contact` is its address as text.
    func write(_ row: ContactRow, _ contact: String, _ account: String) throws(StoreError) {
        try connection.run(Self.writing) { values in
            values.text(account)
            Self.bind(row.item, contact, to: &values)
        }
    }

    /// Writes items of an account that has none.
    ///
    /// In the order of the table, so that each goes behind the one before: pages are found at once, and are full. Ten at a
    /// time, since a statement costs about as much to begin and to end as three rows in it.
    func insert(_ rows: [ContactRow], _ account: String) throws(StoreError) {
        let order = rows.indices.sorted { Self.isBefore(rows[$0].jid, rows[$1].jid) }
        let whole = order.count / Self.atOnce * Self.atOnce
        let tens = stride(from: 0, to: whole, by: Self.atOnce).lazy.map { order[$0..<$0 + Self.atOnce] }
        try insert(rows, tens, by: Self.insertingTen, account)
        try insert(rows, order[whole...].lazy.map { [$0] }, by: Self.inserting, account)
    }

    private func insert(
        _ rows: [ContactRow], _ groups: some Sequence<some Sequence<Int>>, by query: Query, _ account: String
    ) throws(StoreError) {
        try connection.run(query, for: groups) { values in
            values.text(account)
        } each: { values, group in
            for index in group { Self.bind(rows[index].item, rows[index].jid.description, to: &values) }
        }
    }

    /// Nearly the order of their texts' bytes: that costs a text of each.
    private static func isBefore(_ left: BareJID, _ right: BareJID) -> Bool {
        let (first, second) = (left.local ?? "", right.local ?? "")
        return first == second ? left.domain < right.domain : first < second
    }

    private static let atOnce = 10
    private static let inserting = insertion(of: 1)
    private static let insertingTen = insertion(of: atOnce)

    private static func insertion(of count: Int) -> Query {
        let rows = Array(repeating: "(?1, ?, ?, ?, ?, ?)", count: count).joined(separator: ", ")
        return Query("INSERT INTO contact(account, contact, subscription, asked, name, groups) VALUES \(rows)")
    }

    private static func bind(_ item: RosterFact, _ contact: String, to values: inout Binder) {
        values.text(contact)
        values.text(item.subscription.rawValue)
        values.flag(item.asked)
        values.text(item.name)
        values.text(Self.text(of: item.groups))
    }

    private static let writing = Query(
        """
        INSERT OR REPLACE INTO contact(account, contact, subscription, asked, name, groups)
        VALUES (?, ?, ?, ?, ?, ?)
        """)

    func delete(_ contact: BareJID, _ account: String) throws(StoreError) {
        try connection.run(
            "DELETE FROM contact WHERE account = ? AND contact = ?", [.text(account), .text(contact.description)])
    }

    /// The items cannot be read: they are asked for anew as a whole, and what was seen of the contacts stays.
    func forget(_ account: BareJID) throws(StoreError) {
        try connection.run("DELETE FROM contact WHERE account = ?", [.text(account.description)])
        try connection.run(
            "UPDATE roster_state SET version = NULL WHERE account = ?", [.text(account.description)])
    }

    /// The roster is kept, and of that version; nil leaves the version as it is, unless the roster is new as a whole.
    func keep(version: String?, isWhole: Bool, _ account: String, at: Timestamp) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO roster_state(account, version, at) VALUES (?, ?, ?)
            ON CONFLICT(account) DO UPDATE SET at = excluded.at,
                version = \(isWhole ? "excluded.version" : "ifnull(excluded.version, version)")
            """, [.text(account), SQLValue(version), .integer(at.milliseconds)])
    }

    // MARK: Groups

    /// A control character, which XML cannot carry (XML 1.0 section 2.2), so no group has it.
    private static let separator: Character = "\u{1F}"

    static func text(of groups: [String]) -> String {
        groups.count == 1 ? groups[0] : groups.joined(separator: String(separator))
    }

    static func groups(_ text: String) -> [String] {
        text.isEmpty ? [] : text.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
