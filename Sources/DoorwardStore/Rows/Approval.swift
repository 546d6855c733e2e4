package import XMPPCore

/// An operator's word that a contact may add the account without being asked about (RFC 6121 section 3.4).
///
/// It lets the contact in once: whoever leaves after that, and asks again, is judged anew.
package struct Approval: Hashable, Sendable {
    /// The row of the journal by which it was given.
    package var action: Int64
    /// The operator's name.
    package var `operator`: String
    package var at: Timestamp
    /// Whether it has let the contact in: then the server's copy is still to be taken back.
    package var isUsed: Bool

    package init(action: Int64, operator: String, at: Timestamp, isUsed: Bool = false) {
        self.action = action
        self.operator = `operator`
        self.at = at
        self.isUsed = isUsed
    }
}
