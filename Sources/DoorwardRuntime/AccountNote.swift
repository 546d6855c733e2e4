package import XMPPCore

/// Something that happened to an account and is no request: a block, an invitation, a list of contacts that was offered.
///
/// Never a secret, never the text of a message.
package struct AccountNote: Sendable {
    package var account: BareJID
    /// The event's name in the log, in snake_case.
    package var event: String
    /// In order; nil is left out.
    package var fields: [(String, String?)]

    package init(_ account: BareJID, _ event: String, _ fields: [(String, String?)]) {
        self.account = account
        self.event = event
        self.fields = fields
    }
}
