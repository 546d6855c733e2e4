package import DoorwardPolicy
package import XMPPCore

/// A session that another process can go on with (XEP-0198 section 5).
package struct SavedSession: Sendable, Hashable {
    /// Our number of it, which goes on with it.
    package var number: Int64
    /// Our address as the server bound it.
    package var jid: JID
    /// The id to resume by.
    package var id: String
    /// Where the server prefers to be called.
    package var location: String?
    /// How long the server keeps it, in seconds, where it said so.
    package var maximum: Int?
    /// The stream features of its login, as XML.
    package var features: String
    /// Whether the server announced blocking (XEP-0191).
    package var canBlock: Bool
    package var counts: StreamCounts
    /// When the counts were written last; set by the store.
    package var savedAt: Timestamp
    /// A digest of the abilities that its presence announced.
    package var announced: String?

    package init(
        number: Int64, jid: JID, id: String, location: String?, maximum: Int?, features: String, canBlock: Bool,
        counts: StreamCounts, savedAt: Timestamp = Timestamp(milliseconds: 0)
    ) {
        self.number = number
        self.jid = jid
        self.id = id
        self.location = location
        self.maximum = maximum
        self.features = features
        self.canBlock = canBlock
        self.counts = counts
        self.savedAt = savedAt
    }
}

/// The counts of a stream (XEP-0198 section 4), each modulo 2^32.
package struct StreamCounts: Sendable, Hashable {
    /// Stanzas of the server whose effects are in the same transaction, or in one before.
    package var inbound: UInt32
    /// Stanzas of ours as far as they were sent at that moment: a process that dies may have sent more.
    package var outbound: UInt32
    /// Stanzas of ours that the server had acknowledged.
    package var acknowledged: UInt32

    package init(inbound: UInt32 = 0, outbound: UInt32 = 0, acknowledged: UInt32 = 0) {
        self.inbound = inbound
        self.outbound = outbound
        self.acknowledged = acknowledged
    }
}

/// A contact as the server's roster has it.
package struct ContactRow: Sendable, Hashable {
    package var jid: BareJID
    package var item: RosterFact

    package init(jid: BareJID, item: RosterFact) {
        self.jid = jid
        self.item = item
    }
}

/// What a session knows of the account's contacts.
package struct SessionMirror: Sendable, Hashable {
    package var contacts: [ContactRow]
    /// Who is available.
    package var available: [ResourceRow]
    /// The version of the contacts (RFC 6121 section 2.6), where the server has versions.
    package var rosterVersion: String?

    package init(contacts: [ContactRow] = [], available: [ResourceRow] = [], rosterVersion: String? = nil) {
        self.contacts = contacts
        self.available = available
        self.rosterVersion = rosterVersion
    }
}

/// What a session brought beside requests; written in one transaction with them.
package struct SessionChange: Sendable, Hashable {
    /// One change of what is known of the contacts.
    package enum Mirror: Sendable, Hashable {
        case contact(ContactRow)
        case removed(BareJID)
        /// A server refused to hand over that we ask, or could not yet; why, in words, and nil where that is over.
        case refused(BareJID, String?)
        /// A server refused for good: what stands in the history of the asking is put right.
        case notDelivered(BareJID, String)
        /// The server has let the contact in, since it was approved ahead: by that operator, nil where another client did it.
        case letIn(BareJID, by: String?)
        /// The contact was approved ahead, and let in by a decision.
        case approvalUsed(BareJID)
        /// Nothing is left of its approval ahead.
        case approvalEnded(BareJID)
        /// A resource is available, or says something else of itself.
        case available(ResourceRow)
        case unavailable(JID)
        /// All resources of a contact are gone.
        case gone(BareJID)
    }

    /// The session can be resumed from now on; whatever was saved before is replaced.
    package var begun: SavedSession?
    /// The resources of contacts that are available, together with `begun`.
    package var available: [ResourceRow] = []
    /// The whole roster of a fresh login: what is kept and not in it has gone while the account was away.
    package var roster: [ContactRow]?
    /// What changed after that, in order.
    package var mirror: [Mirror] = []
    /// The roster's version with all of that; nil where it is not another one.
    package var rosterVersion: String?
    package var counts: StreamCounts?
    /// What the session's presence announces now, where it is another.
    package var announced: String?
    /// What was seen of contacts; of strangers nothing is kept.
    package var sightings: [BareJID: ContactSighting] = [:]
    package var online: OnlineTime?

    package init(mirror: [Mirror] = [], counts: StreamCounts? = nil) {
        self.mirror = mirror
        self.counts = counts
    }

    package init(begun session: SavedSession, knowing whole: SessionMirror) {
        begun = session
        roster = whole.contacts
        available = whole.available
    }

    package var isEmpty: Bool {
        begun == nil && roster == nil && mirror.isEmpty && rosterVersion == nil && counts == nil && sightings.isEmpty
            && online == nil && announced == nil
    }
}
