import DoorwardPolicy
import XMPPCore

/// Reads the journal as the history: the rows that decided or closed, each with what became of it.
struct HistoryTable {
    let connection: Connection

    private static let columns = """
        SELECT j.id, j.request, j.at, j.account, j.contact, j.kind, j.decision, j.by, j.rule, j.operator, j.reason,
            j.policy, j.policy_digest, j.action, j.suggested_by, j.acts, j.state, j.sent, r.state
        FROM journal j LEFT JOIN request r ON r.id = j.request
        WHERE j.kind IN ('decided', 'closed', 'contact') AND j.id < ?

        """

    func rows(limit: Int, before: Int64?, account: BareJID?) throws(StoreError) -> [HistoryRow] {
        let limit = SQLValue.integer(Int64(limit))
        let before = SQLValue.integer(before ?? .max)
        let order = "ORDER BY j.id DESC LIMIT ?"
        let rows =
            if let account {
                try connection.all(
                    Self.columns + "AND j.account = ? " + order,
                    [before, .text(account.description), limit],
                    read
                )
            } else {
                try connection.all(Self.columns + order, [before, limit], read)
            }
        return rows
    }

    private func read(_ row: inout SQLRow) throws(StoreError) -> HistoryRow {
        var history = HistoryRow(
            id: try row.integer(),
            request: try row.optionalInteger(),
            at: try row.timestamp(),
            account: try row.address(),
            contact: try row.address(),
            event: try row.word(of: HistoryRow.Event.self),
            decision: try row.optionalText(),
            by: try row.text(),
            rule: try row.optionalText(),
            operator: try row.optionalText(),
            reason: try row.optionalText(),
            policy: try row.optionalText(),
            policyDigest: try row.optionalText(),
            action: try row.optionalText(),
            suggestedBy: try row.optionalAddress(),
            sentAt: nil,
            state: .notSent
        )
        let acts = try row.optionalFlag() ?? true
        let closure = try row.optionalText()
        let isSent = try row.optionalText() != nil
        let present = try row.optionalText().flatMap(RequestState.init(rawValue:))
        switch history.event {
        case .contact:
            try tell(&history)
        case .closed:
            guard let state = closure.flatMap(HistoryRow.State.init(rawValue:)) else {
                throw .corrupt("what a request was closed as")
            }
            history.state = state
        case .decided:
            var fate = Fate(decision: history.decision, acts: acts)
            if isSent { fate.sent(at: history.at) }
            try follow(&fate, of: history)
            guard let present else { throw .corrupt("a decision without its request") }
            history.state = fate.state(present)
            history.sentAt = fate.sentAt
            history.reason = history.reason ?? fate.droppedReason
        }
        return history
    }

    /// Shows the later journal rows of the request to the fate until it is settled: a few rows, however many the
    /// request has.
    private func follow(_ fate: inout Fate, of history: HistoryRow) throws(StoreError) {
        guard !fate.isSettled, let request = history.request else { return }
        try connection.walk(
            """
            SELECT kind, at, decision, acts, reason, steps, state, sent FROM journal
            WHERE request = ? AND id > ? ORDER BY id
            """,
            [.integer(request), .integer(history.id)]
        ) { row throws(StoreError) in
            let kind = try row.word(of: JournalEntry.Kind.self)
            let at = try row.timestamp()
            let decision = try row.optionalText()
            let acts = try row.optionalFlag() ?? true
            let reason = try row.optionalText()
            let steps = try row.optionalText() ?? ""
            let state = try row.optionalText()
            let isSent = try row.optionalText() != nil
            switch kind {
            case .decided:
                fate.decided(decision, acts: acts)
                if isSent { fate.sent(at: at) }
            case .sent: fate.sent(at: at)
            case .confirmed: fate.confirmed()
            case .dropped:
                let verdict = steps.split(separator: " ").contains { $0 == "verdict" }
                fate.dropped(verdict: verdict, reason: reason)
            case .closed:
                guard let state = state.flatMap(HistoryRow.State.init(rawValue:)) else {
                    throw .corrupt("what a request was closed as")
                }
                fate.closed(as: state)
            case .contact: break
            }
            return !fate.isSettled
        }
    }

    /// What became of something that was done to a contact: it was written down before it was sent.
    private func tell(_ history: inout HistoryRow) throws(StoreError) {
        history.state = .sent
        history.sentAt = history.at
        let end = try connection.first(
            "SELECT kind, reason, state FROM journal WHERE concerns = ? ORDER BY id DESC LIMIT 1",
            [.integer(history.id)]
        ) { row throws(StoreError) in
            (try row.word(of: JournalEntry.Kind.self), try row.optionalText(), try row.optionalText())
        }
        guard let (kind, reason, state) = end else { return }
        let isRefused = state == HistoryRow.State.refused.rawValue
        history.state = kind == .dropped ? .notSent : isRefused ? .refused : .confirmed
        if kind == .dropped { history.sentAt = nil }
        let words = [history.reason, reason].compactMap(\.self)
        history.reason = words.isEmpty ? nil : words.joined(separator: "; ")
    }
}
