import DoorwardPolicy
import XMPPCore

/// Writes what a session brought of an account's contacts, and says of each who came and who left by whom.
struct ContactChanges {
    private let connection: Connection
    private let items: ContactTable
    private let evidence: EvidenceTable
    private let gone: GoneTable
    private let actions: ContactActionTable
    private let approvals: ApprovalTable
    private let account: BareJID
    private let owner: String
    private let at: Timestamp

    init(connection: Connection, account: BareJID, at: Timestamp) {
        self.connection = connection
        self.account = account
        self.at = at
        owner = account.description
        items = ContactTable(connection: connection)
        evidence = EvidenceTable(connection: connection)
        gone = GoneTable(connection: connection)
        actions = ContactActionTable(connection: connection)
        approvals = ApprovalTable(connection: connection)
    }

    mutating func write(_ change: SessionChange) throws(StoreError) {
        var hasRemoved = false
        if let roster = change.roster { hasRemoved = try replace(by: roster) }
        // A server pushes an item again and again while a request is answered: the last one counts.
        var last: [BareJID: Int] = [:]
        for (index, part) in change.mirror.enumerated() { if let item = part.item { last[item] = index } }
        for (index, part) in change.mirror.enumerated() {
            switch part {
            case .contact(let row) where last[row.jid] == index: try set(row, origin: nil)
            case .removed(let contact) where last[contact] == index:
                // What was seen of it until then goes with it.
                if let seen = change.sightings[contact] { try evidence.saw(seen, of: contact.description, owner) }
                try remove(contact, by: .elsewhere)
                hasRemoved = true
            case .refused(let contact, let reason):
                try evidence.refused(contact.description, reason.map(TextBounds.reason), owner, at: at)
            case .notDelivered(let contact, let reason):
                try actions.notDelivered(contact.description, owner, reason, at: at)
            case .letIn(let contact, let name):
                try actions.letIn(contact.description, owner, by: name, at: at)
                try approvals.use(contact.description, owner)
            case .approvalUsed(let contact): try approvals.use(contact.description, owner)
            case .approvalEnded(let contact): try approvals.delete(contact.description, owner)
            case .contact, .removed, .available, .unavailable, .gone: break
            }
        }
        if hasRemoved { try gone.bound(owner) }
        if change.roster != nil || change.rosterVersion != nil {
            try items.keep(version: change.rosterVersion, isWhole: change.roster != nil, owner, at: at)
        }
        for (contact, sighting) in change.sightings { try evidence.saw(sighting, of: contact.description, owner) }
    }

    /// The whole roster of a fresh login: only what differs is written, since most logins find the roster as it was.
    ///
    /// - Returns: Whether somebody has gone.
    private func replace(by roster: [ContactRow]) throws(StoreError) -> Bool {
        var known: [BareJID: RosterFact] = [:]
        do throws(StoreError) {
            for row in try items.contacts(account) { known[row.jid] = row.item }
        } catch {
            // What cannot be read is replaced as a whole.
            guard error.code == .corrupt else { throw error }
            known = [:]
            try items.forget(account)
        }
        // Most accounts that are seen for the first time have no past here at all.
        let isFirst = try items.state(account) == nil
        let hasPast = isFirst ? try actions.hasPast(of: owner) : true
        let hasEvidence = isFirst ? try evidence.knowsAnybody(of: owner) : true
        guard !known.isEmpty || hasPast || hasEvidence else {
            try items.insert(roster, owner)
            try evidence.insertAll(of: owner, at: at)
            return false
        }
        for row in roster where known.removeValue(forKey: row.jid) != row.item {
            try set(
                row, isNew: !hasEvidence, origin: hasPast ? nil : (.before, nil, at),
                otherwise: isFirst ? .before : .otherClient)
        }
        for contact in known.keys { try remove(contact, by: .whileAway) }
        return !known.isEmpty
    }

    private typealias Origin = ContactActionTable.Origin

    /// The item is so now; where it is new it came in by `origin`, nil looks for that, or by `otherwise` where nothing tells.
    private func set(
        _ row: ContactRow, isNew: Bool = false, origin: Origin?, otherwise: ContactEvidence.Origin = .otherClient
    ) throws(StoreError) {
        let contact = row.jid.description
        try items.write(row, contact, owner)
        let isKnown = isNew ? false : try evidence.itemIs(row.item, contact, owner, at: at)
        guard !isKnown else { return }
        let found =
            if let origin { origin } else {
                try actions.origin(of: contact, owner, after: try gone.last(contact, owner)) ?? (otherwise, nil, at)
            }
        // Asked when it was added: the push that says so may have come later, or never.
        let isOurs = found.by == .contactAdd || found.by == .rosterExchange
        let asked = row.item.asked ? (isOurs ? found.at : at) : nil
        try evidence.insert(
            ContactEvidence(firstKnown: at, addedBy: found.by, addedName: found.name, askedAt: asked), contact, owner)
    }

    private func remove(_ contact: BareJID, by remover: GoneContact.Remover) throws(StoreError) {
        let text = contact.description
        let since = try evidence.row(contact, of: account)?.firstKnown
        let name = try actions.remover(of: text, owner, since: since)
        try gone.take(text, owner, at: at, by: name == nil ? remover : .operator, operator: name)
        try items.delete(contact, owner)
        try evidence.delete(text, owner)
        try approvals.delete(text, owner)
    }
}

extension SessionChange.Mirror {
    /// The contact whose item it is about; nil where it is about something else.
    fileprivate var item: BareJID? {
        switch self {
        case .contact(let row): row.jid
        case .removed(let contact): contact
        case .refused, .notDelivered, .letIn, .approvalUsed, .approvalEnded, .available, .unavailable, .gone: nil
        }
    }
}
