import DoorwardPolicy
package import DoorwardStore
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
        /// Whether it may add the account without being asked about (RFC 6121 section 3.4).
        package var isApproved = false
        /// Whether a resource of it is available; nil where that is not known.
        package var isPresent: Bool?
        /// How ready it is: `chat`, `online`, `away`, `xa` or `dnd`; nil where it is not there, or not known.
        package var show: String?
        /// What it says of itself.
        package var status: String?
        /// Since when nobody has touched the resource to talk to (XEP-0319); nil where somebody does, or it does not say.
        package var idleSince: Timestamp?
        /// Those that are there, the one to talk to first; nil where that is not known.
        package var resources: [ResourceRow]?
        /// What is known of it; nil in the first moment.
        package var evidence: ContactEvidence?

        package init(
            jid: BareJID, name: String?, subscription: String, asked: Bool, groups: [String], isPresent: Bool? = nil,
            evidence: ContactEvidence? = nil
        ) {
            self.jid = jid
            self.name = name
            self.subscription = subscription
            self.asked = asked
            self.groups = groups
            self.isPresent = isPresent
            self.evidence = evidence
        }

        init(_ row: ContactRow) {
            self.init(
                jid: row.jid, name: row.item.name, subscription: row.item.subscription.rawValue, asked: row.item.asked,
                groups: row.item.groups)
        }
    }

    package var account: BareJID
    package var items: [Item]
    /// Nil while the account is online; else until when it is known to have been so.
    package var asOf: Timestamp?

    package init(account: BareJID, items: [Item], asOf: Timestamp? = nil) {
        self.account = account
        self.items = items
        self.asOf = asOf
    }
}
