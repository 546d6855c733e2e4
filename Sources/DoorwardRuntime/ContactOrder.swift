package import DoorwardPolicy
package import XMPPCore

/// What an operator wants done to a contact.
package enum ContactOrder: Hashable, Sendable {
    case add(Addition)
    /// Nil takes the name away.
    case rename(String?)
    case group(adding: [String], removing: [String])
    case remove
    /// One who is in the list, and is seen or was asked, may add the account without being asked about.
    ///
    /// Name and groups stay where none are given.
    case preApprove(name: String?, groups: [String])
    /// The account no longer sees the contact, nor asks to; the contact stays in the list.
    case unsubscribe
    /// The contact no longer sees the account, and stays in the list.
    case revoke

    package struct Addition: Hashable, Sendable {
        package var name: String?
        package var groups: [String]
        /// Sent along with the request; whoever gets it may ignore it.
        package var message: String?
        /// Whether the contact may add the account without being asked about.
        package var preApproves: Bool

        package init(name: String? = nil, groups: [String] = [], message: String? = nil, preApproves: Bool = false) {
            self.name = name
            self.groups = groups
            self.message = message
            self.preApproves = preApproves
        }
    }
}

/// What became of it.
package enum ContactOutcome: Hashable, Sendable {
    /// The server has it, and so has the store.
    case done(Report)
    case unknownAccount
    /// The account is not online: nothing was sent, and nothing waits.
    case offline
    /// Its contacts are not there yet, or too many commands wait: nothing was sent.
    case busy
    /// The contact is the account itself.
    case ownAddress
    /// It is a contact already, in that state: the account sees it, or has asked.
    case alreadyThere(RosterFact)
    case notThere
    /// The account blocks it, by that entry: whatever the two say to each other goes nowhere.
    case blocked(JID)
    /// It asks to add the account, by that request: it can be accepted, and is not approved ahead.
    case requestWaits(Int64)
    /// The server keeps no approval of a request that has not come (RFC 6121 section 3.4).
    case noPreApproval
    /// The server refused, in its words.
    case refused(String)
    /// The link broke, or no answer came: at the next login what is not done is finished, and the journal says so.
    case unanswered

    package struct Report: Hashable, Sendable {
        /// The contact's item after it; nil where there is none.
        package var item: RosterFact?
        /// Why a server did not hand over that we ask; nil where it said nothing of that kind.
        package var bounce: String?
        /// Why a server could not hand it over yet; it is asked again.
        package var delay: String?
        /// Whether it was so before: nothing was sent.
        package var isUnchanged: Bool
        /// Whether one who was there was approved ahead, and not asked.
        package var isApproval: Bool
        /// The contact's own request, which waited on the desk: after a removal it is refused.
        package var request: Int64?

        package init(
            item: RosterFact? = nil, bounce: String? = nil, delay: String? = nil, isUnchanged: Bool = false,
            isApproval: Bool = false, request: Int64? = nil
        ) {
            self.item = item
            self.bounce = bounce
            self.delay = delay
            self.isUnchanged = isUnchanged
            self.isApproval = isApproval
            self.request = request
        }
    }
}
