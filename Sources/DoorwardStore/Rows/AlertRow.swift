package import XMPPCore

/// A condition that an operator must know of: raised once, cleared when it is over, kept as a row.
package struct AlertRow: Hashable, Sendable {
    package var id: Int64
    package var at: Timestamp
    /// Nil for a condition of the whole service.
    package var account: BareJID?
    /// A stable word such as `account_parked` or `reload_refused`.
    package var code: String
    /// What is wrong and what to do.
    package var text: String
    package var clearedAt: Timestamp?

    package init(
        id: Int64,
        at: Timestamp,
        account: BareJID?,
        code: String,
        text: String,
        clearedAt: Timestamp?
    ) {
        self.id = id
        self.at = at
        self.account = account
        self.code = code
        self.text = text
        self.clearedAt = clearedAt
    }
}
