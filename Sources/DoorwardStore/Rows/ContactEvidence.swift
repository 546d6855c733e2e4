package import XMPPCore

/// What pruning will judge a contact by: how it came in, and when anything was last seen of it.
package struct ContactEvidence: Hashable, Sendable {
    /// How a contact came to be one.
    package enum Origin: String, Hashable, Sendable, CaseIterable {
        /// A rule accepted its request.
        case rule
        /// An invitation let it in, by its token.
        case invitation
        /// An operator accepted its request.
        case `operator`
        /// An operator added it.
        case contactAdd = "contact_add"
        /// A trusted service suggested it (XEP-0144).
        case rosterExchange = "roster_exchange"
        /// Another client of the account, or the server.
        case otherClient = "other_client"
        /// It was there when the account's roster was seen for the first time.
        case before
    }

    package var firstKnown: Timestamp
    package var addedBy: Origin
    /// The name of the rule, of the operator, also of the one who made the invitation, or the service that suggested it.
    package var addedName: String?
    /// Since when we ask to see the contact's presence, while it has not answered.
    package var askedAt: Timestamp?
    /// When a server refused to hand over that we ask; while we still ask, it could only not do so yet.
    package var refusedAt: Timestamp?
    /// Why, in words.
    package var refusal: String?
    /// When it was last available, or became unavailable.
    package var lastPresence: Timestamp?
    package var lastMessageIn: Timestamp?
    package var lastMessageOut: Timestamp?
    package var lastAvatarChange: Timestamp?

    package init(
        firstKnown: Timestamp, addedBy: Origin, addedName: String? = nil, askedAt: Timestamp? = nil,
        refusedAt: Timestamp? = nil, refusal: String? = nil, lastPresence: Timestamp? = nil,
        lastMessageIn: Timestamp? = nil, lastMessageOut: Timestamp? = nil, lastAvatarChange: Timestamp? = nil
    ) {
        self.firstKnown = firstKnown
        self.addedBy = addedBy
        self.addedName = addedName
        self.askedAt = askedAt
        self.refusedAt = refusedAt
        self.refusal = refusal
        self.lastPresence = lastPresence
        self.lastMessageIn = lastMessageIn
        self.lastMessageOut = lastMessageOut
        self.lastAvatarChange = lastAvatarChange
    }
}

/// What was seen of a contact since it was written last; written in batches.
package struct ContactSighting: Hashable, Sendable {
    package var presence: Timestamp?
    package var messageIn: Timestamp?
    package var messageOut: Timestamp?
    package var avatarChange: Timestamp?

    package init(
        presence: Timestamp? = nil, messageIn: Timestamp? = nil, messageOut: Timestamp? = nil,
        avatarChange: Timestamp? = nil
    ) {
        self.presence = presence
        self.messageIn = messageIn
        self.messageOut = messageOut
        self.avatarChange = avatarChange
    }
}

/// A contact that was one.
package struct GoneContact: Hashable, Sendable {
    /// Who removed it.
    package enum Remover: String, Hashable, Sendable, CaseIterable {
        /// An operator, by `contact remove`.
        case `operator`
        /// Another client of the account, or the server, while we were looking.
        case elsewhere
        /// The same while the account was away.
        case whileAway = "while_away"
    }

    package var contact: ContactRow
    /// Nil where nothing was kept of it.
    package var evidence: ContactEvidence?
    package var at: Timestamp
    package var by: Remover
    /// The operator's name.
    package var `operator`: String?

    package init(
        contact: ContactRow, evidence: ContactEvidence?, at: Timestamp, by: Remover, operator: String? = nil
    ) {
        self.contact = contact
        self.evidence = evidence
        self.at = at
        self.by = by
        self.operator = `operator`
    }
}
