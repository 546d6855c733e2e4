import DoorwardPolicy
import DoorwardStore
import XMPPCore

/// A session goes on over another connection, or in another process.
extension RequestLedger {
    /// The session has another link: the answers to requests of ours went with the one before, so they are asked again.
    mutating func linkRenewed(item: (BareJID) -> RosterFact?) -> Output {
        var output = Output()
        for contact in contactsInOrder {
            guard let entry = entries[contact] else { continue }
            if case .takingBack = entry.ending, let row = entry.row {
                output.effects.append(takeBack(contact, row, item(contact)))
            }
            for step in [OutboxStep.Kind.rosterSet, .block] where entry.isOpen(step) {
                entries[contact]?.written.remove(step)
            }
        }
        return output
    }

    /// All that happened while the link was gone has arrived, and the rows are as the store has them now.
    ///
    /// What was written and not confirmed is not lost in the same process: it is sent again by the connection, and
    /// acknowledged by number. After a restart nobody knows how far it got, so it is written again: an answer may be
    /// said twice, but only to a request that was delivered in this very session.
    ///
    /// - Parameters:
    ///   - rows: The account's live rows.
    ///   - isSilent: Whether the mode only observes now.
    ///   - item: The roster.
    /// - Returns: What to commit and to send.
    mutating func resumed(_ rows: [RequestRow], isSilent: Bool, item: (BareJID) -> RosterFact?) -> Output {
        takeUp(rows)
        var output = rosterLoaded(item)
        output.append(silenced(isSilent, item: item))
        output.append(unanswered())
        return output
    }

    /// What operators did meanwhile.
    private mutating func takeUp(_ rows: [RequestRow]) {
        var live: Set<BareJID> = []
        for row in rows {
            live.insert(row.contact)
            guard let entry = entries[row.contact] else {
                entries[row.contact] = Entry(row: row, isDelivered: row.session == session)
                continue
            }
            guard !entry.isClosing, let known = entry.row, known.revision < row.revision else { continue }
            entries[row.contact]?.row = row
        }
        // One that is being opened or closed just now is told by its own transaction.
        for (contact, entry) in entries where entry.row != nil && !entry.isClosing && !live.contains(contact) {
            entries[contact] = nil
        }
    }
}
