package import XMPPCore

/// What is done to a contact, as the journal has it before anything is sent.
package struct ContactAction: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case add
        /// One who is in the list is asked to be seen.
        case ask
        case rename, group, remove
        /// One who is in the list may add the account without being asked about.
        case preapprove
        /// The server has let in one who was approved ahead; it is written down when it has happened.
        case letIn = "let_in"
        /// The account no longer sees the contact, or the contact the account; the item stays.
        case unsubscribe, revoke
        /// On the account's block list (XEP-0191), and off it again.
        case block, unblock
    }

    /// Who wants it.
    package enum Author: Hashable, Sendable {
        case `operator`(String)
        /// A trusted service suggested it (XEP-0144).
        case suggestion(BareJID)
    }

    package var kind: Kind
    package var account: BareJID
    package var contact: BareJID
    package var author: Author
    /// What of it, in words for the history.
    package var detail: String?
    /// The session in which it is sent.
    package var session: Int64
    /// What it takes to do it, or to do it again.
    package var work: ContactWork

    package init(
        _ kind: Kind, account: BareJID, contact: BareJID, author: Author, detail: String? = nil, session: Int64,
        work: ContactWork = ContactWork()
    ) {
        self.kind = kind
        self.account = account
        self.contact = contact
        self.author = author
        self.detail = detail
        self.session = session
        self.work = work
    }

    package init(
        _ kind: Kind, account: BareJID, contact: BareJID, by name: String, detail: String? = nil, session: Int64,
        work: ContactWork = ContactWork()
    ) {
        self.init(
            kind, account: account, contact: contact, author: .operator(name), detail: detail, session: session,
            work: work)
    }
}

/// What a ``ContactAction`` sends; kept until it is known what became of it.
package struct ContactWork: Hashable, Sendable {
    package var name: String?
    /// The name before it: where the contact has another one by then, somebody else was faster.
    package var oldName: String?
    /// Groups that the contact is put into.
    package var groups: [String]
    /// Groups that it is taken out of.
    package var leaves: [String]
    /// The text of a request, or of a report; it stands nowhere else, and goes with the end.
    package var message: String?
    package var preApproves: Bool
    /// The entry of the block list, where it is not the contact alone.
    package var entry: JID?
    /// Why a blocked one is reported (XEP-0377), as the report has it.
    package var report: String?

    package init(
        name: String? = nil, oldName: String? = nil, groups: [String] = [], leaves: [String] = [],
        message: String? = nil, preApproves: Bool = false, entry: JID? = nil, report: String? = nil
    ) {
        self.name = name
        self.oldName = oldName
        self.groups = groups
        self.leaves = leaves
        self.message = message
        self.preApproves = preApproves
        self.entry = entry
        self.report = report
    }
}

/// An action that was begun, and of which nobody knows yet what became of it.
package struct UnfinishedAction: Hashable, Sendable {
    /// The number of its row in the journal.
    package var id: Int64
    package var action: ContactAction

    package init(id: Int64, action: ContactAction) {
        self.id = id
        self.action = action
    }
}

/// What an account has to go on with, of what was done to its contacts before.
package struct ContactBacklog: Hashable, Sendable {
    /// The oldest first.
    package var actions: [UnfinishedAction]
    /// Contacts whose servers could not be reached when they were asked, and may be later.
    package var delayed: [BareJID]
}
