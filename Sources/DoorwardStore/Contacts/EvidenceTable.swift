import DoorwardPolicy
import XMPPCore

/// Reads and writes what is known of contacts beside their items.
struct EvidenceTable {
    let connection: Connection

    // MARK: Reading

    static let columns = """
        first_known, added_by, added_name, asked_at, refused_at, refusal, last_presence, last_message_in,
            last_message_out, last_avatar_change
        """

    func all(_ account: BareJID) throws(StoreError) -> [BareJID: ContactEvidence] {
        var known: [BareJID: ContactEvidence] = [:]
        try connection.walk(
            "SELECT contact, \(Self.columns) FROM contact_evidence WHERE account = ?", [.text(account.description)]
        ) { row throws(StoreError) in
            let contact = try row.address()
            known[contact] = try Self.read(&row)
            return true
        }
        return known
    }

    func row(_ contact: BareJID, of account: BareJID) throws(StoreError) -> ContactEvidence? {
        try connection.first(
            "SELECT \(Self.columns) FROM contact_evidence WHERE account = ? AND contact = ?",
            [.text(account.description), .text(contact.description)], Self.read)
    }

    /// Whether anything is known of any contact of the account.
    func knowsAnybody(of account: String) throws(StoreError) -> Bool {
        let found = try connection.first(
            "SELECT EXISTS (SELECT 1 FROM contact_evidence WHERE account = ?)", [.text(account)]
        ) { row throws(StoreError) in try row.flag() }
        return found ?? false
    }

    static func read(_ row: inout SQLRow) throws(StoreError) -> ContactEvidence {
        ContactEvidence(
            firstKnown: try row.timestamp(), addedBy: try row.word(of: ContactEvidence.Origin.self),
            addedName: try row.optionalText(), askedAt: try row.optionalTimestamp(),
            refusedAt: try row.optionalTimestamp(), refusal: try row.optionalText(),
            lastPresence: try row.optionalTimestamp(), lastMessageIn: try row.optionalTimestamp(),
            lastMessageOut: try row.optionalTimestamp(), lastAvatarChange: try row.optionalTimestamp())
    }

    /// Contacts that are asked, and whose servers could not hand it over yet.
    func delayed(_ account: BareJID) throws(StoreError) -> [BareJID] {
        try connection.all(
            """
            SELECT contact FROM contact_evidence
            WHERE account = ? AND asked_at IS NOT NULL AND refusal IS NOT NULL
            """, [.text(account.description)]
        ) { row throws(StoreError) in try row.address() }
    }

    // MARK: Writing

    /// The contact's item is that: whether we ask, and since when.
    ///
    /// To be let in ends a refusal; so does to ask anew.
    ///
    /// - Returns: Whether anything was known of the contact.
    func itemIs(_ item: RosterFact, _ contact: String, _ account: String, at: Timestamp) throws(StoreError) -> Bool {
        let isSeen = item.subscription == .to || item.subscription == .both
        let query = item.asked ? Self.asking : isSeen ? Self.answered : Self.notAsking
        try connection.run(query) { values in
            if item.asked { values.integer(at.milliseconds) }
            values.text(account)
            values.text(contact)
        }
        return connection.changedRows > 0
    }

    private static let asking = Query(
        """
        UPDATE contact_evidence SET asked_at = ifnull(asked_at, ?),
            refused_at = CASE WHEN asked_at IS NULL THEN NULL ELSE refused_at END,
            refusal = CASE WHEN asked_at IS NULL THEN NULL ELSE refusal END
        WHERE account = ? AND contact = ?
        """)
    private static let answered = Query(
        "UPDATE contact_evidence SET asked_at = NULL, refused_at = NULL, refusal = NULL WHERE account = ? AND contact = ?"
    )
    private static let notAsking = Query(
        "UPDATE contact_evidence SET asked_at = NULL WHERE account = ? AND contact = ?")

    func insert(_ evidence: ContactEvidence, _ contact: String, _ account: String) throws(StoreError) {
        try connection.run(Self.insertion) { values in
            values.text(account)
            values.text(contact)
            values.integer(evidence.firstKnown.milliseconds)
            values.text(evidence.addedBy.rawValue)
            values.text(evidence.addedName)
            if let asked = evidence.askedAt { values.integer(asked.milliseconds) } else { values.null() }
        }
    }

    private static let insertion = Query(
        """
        INSERT INTO contact_evidence(account, contact, first_known, added_by, added_name, asked_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """)

    /// Every contact of an account, of whom nothing was known, was there before: nobody knows by whom.
    func insertAll(of account: String, at: Timestamp) throws(StoreError) {
        try connection.run(
            """
            INSERT INTO contact_evidence(account, contact, first_known, added_by, asked_at)
            SELECT account, contact, ?1, ?2, CASE WHEN asked THEN ?1 END FROM contact WHERE account = ?3
            """,
            [.integer(at.milliseconds), .text(ContactEvidence.Origin.before.rawValue), .text(account)])
    }

    func delete(_ contact: String, _ account: String) throws(StoreError) {
        try connection.run(
            "DELETE FROM contact_evidence WHERE account = ? AND contact = ?", [.text(account), .text(contact)])
    }

    func refused(_ contact: String, _ reason: String?, _ account: String, at: Timestamp) throws(StoreError) {
        try connection.run(
            "UPDATE contact_evidence SET refused_at = ?, refusal = ? WHERE account = ? AND contact = ?",
            [
                SQLValue(reason == nil ? nil : at.milliseconds), SQLValue(reason), .text(account), .text(contact),
            ])
    }

    /// What was seen, and never earlier than what is known; of somebody who is no contact nothing is kept.
    func saw(_ sighting: ContactSighting, of contact: String, _ account: String) throws(StoreError) {
        try connection.run(Self.seeing) { values in
            for moment in [sighting.presence, sighting.messageIn, sighting.messageOut, sighting.avatarChange] {
                if let moment { values.integer(moment.milliseconds) } else { values.null() }
            }
            values.text(account)
            values.text(contact)
        }
    }

    // The scalar max() of a null is null (https://www.sqlite.org/lang_corefunc.html#max_scalar).
    private static let seeing = Query(
        """
        UPDATE contact_evidence SET
            last_presence = max(ifnull(?1, last_presence), ifnull(last_presence, ?1)),
            last_message_in = max(ifnull(?2, last_message_in), ifnull(last_message_in, ?2)),
            last_message_out = max(ifnull(?3, last_message_out), ifnull(last_message_out, ?3)),
            last_avatar_change = max(ifnull(?4, last_avatar_change), ifnull(last_avatar_change, ?4))
        WHERE account = ?5 AND contact = ?6
        """)
}
