import XMPPCore

/// Live rows that were written lately, as they are on disk: an answer is confirmed soon after it was decided, and its row
/// need not be read for that.
///
/// Only the store writes the file, so nothing changes them behind it.
final class RecentRows {
    private struct Key: Hashable {
        let account: BareJID
        let contact: BareJID
    }

    /// Past so many all are forgotten; they can be read again.
    private static let limit = 4096

    private var rows: [Key: RequestRow] = [:]

    /// The live row of a contact, if it is known.
    func live(_ account: BareJID, _ contact: BareJID) -> RequestRow? {
        rows[Key(account: account, contact: contact)]
    }

    /// A row is on disk now.
    func wrote(_ row: RequestRow) {
        if rows.count >= Self.limit { forget() }
        rows[Key(account: row.account, contact: row.contact)] = row.isLive ? row : nil
    }

    func forget() { rows = [:] }
}
