package import XMPPCore

/// The contacts of an account as `roster ACCOUNT` shows them.
package struct RosterSnapshot: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package var jid: BareJID
        package var name: String?
        /// `none`, `to`, `from` or `both`.
        package var subscription: String
        /// Whether we asked and wait.
        package var asked: Bool
        package var groups: [String]

        package init(jid: BareJID, name: String?, subscription: String, asked: Bool, groups: [String]) {
            self.jid = jid
            self.name = name
            self.subscription = subscription
            self.asked = asked
            self.groups = groups
        }
    }

    package var account: BareJID
    package var items: [Item]

    package init(account: BareJID, items: [Item]) {
        self.account = account
        self.items = items
    }
}
