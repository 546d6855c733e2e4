import DoorwardPolicy
import XMPPCore

/// The journal: its rows are only ever added.
extension RequestTable {
    /// Appends a row of the journal.
    func append(
        _ entry: JournalEntry, of request: Int64, _ names: Names, session: Int64, at: Timestamp
    ) throws(StoreError) {
        try connection.run(Self.appending) { values in
            values.integer(request)
            values.integer(at.milliseconds)
            values.text(entry.kind.rawValue)
            values.text(names.account)
            values.text(names.contact)
            values.integer(session)
            values.text(entry.decision?.word)
            values.text(DecisionColumns.options(of: entry.decision))
            values.text(entry.by?.rawValue)
            values.text(entry.rule)
            values.text(entry.operator)
            values.text(entry.reason)
            values.text(entry.policy)
            values.text(entry.policyDigest)
            values.text(entry.facts)
            values.text(entry.trace)
            values.flag(entry.acts)
            values.text(OutboxColumns.kinds(entry.steps))
            values.text(entry.state?.rawValue)
            values.text(OutboxColumns.kinds(entry.sent))
        }
    }

    private static let appending = Query(
        """
        INSERT INTO journal(request, at, kind, account, contact, session, decision, options, by, rule, operator,
            reason, policy, policy_digest, facts, trace, acts, steps, state, sent)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
}
