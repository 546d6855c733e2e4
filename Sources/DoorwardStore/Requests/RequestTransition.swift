import DoorwardPolicy
import XMPPCore

/// What one change makes of the latest row of a contact: a pure function, the store writes what comes out.
struct RequestTransition: Hashable {
    /// The row afterwards, a new one with the id 0; nil where the change found no row that it could belong to.
    var row: RequestRow?
    /// What of the row must be written.
    var extent = RequestTable.Extent.nothing
    /// Whether it is another row than the latest.
    var isNew = false
    var journal: [JournalEntry] = []

    /// A change applied to `latest`, the contact's row with the highest id, live or not.
    init(
        _ change: RequestChange,
        latest: RequestRow?,
        account: BareJID,
        session: Int64,
        at now: Timestamp
    ) throws(StoreError) {
        let live = latest.flatMap { $0.isLive ? $0 : nil }
        switch change {
        case .opened(let delivered, let record):
            if let live {
                redeliver(live, delivered, nil, session: session, at: now)
            } else if let latest, latest.state == .withdrawn {
                reopen(latest, delivered, record, session: session, at: now)
            } else {
                open(delivered, record, account: account, session: session, at: now)
            }
        case .received(let delivered):
            if let live {
                redeliver(live, delivered, nil, session: session, at: now)
            } else if let latest, latest.state == .withdrawn {
                reopen(latest, delivered, nil, session: session, at: now)
            } else {
                open(delivered, nil, account: account, session: session, at: now)
            }
        case .decided(_, let record):
            if let live { decideLate(live, record) }
        case .redelivered(let delivered, let record):
            if let live { redeliver(live, delivered, record, session: session, at: now) }
        case .closed(_, let closure):
            if let live { try close(live, closure) }
        case .written(_, let steps, let hadItem):
            if let live { write(live, steps, hadItem: hadItem, session: session) }
        case .confirmed(_, let steps):
            if let live { confirm(live, steps) }
        case .dropped(_, let steps, let reason):
            if let live { drop(live, steps, reason: reason) }
        case .moved(_, let claim):
            if let live { move(live, claim) }
        }
    }

    /// An operator's answer to an open row; `old` is the item of the address that a verified move is from, `new` that of
    /// the one who asks.
    init(_ answer: Answer, to row: RequestRow, old: RosterFact? = nil, new: RosterFact? = nil) throws(StoreError) {
        let state: RequestState
        switch answer.decision {
        case .accept: state = .accepted
        case .reject: state = .rejected
        case .ask, .ignore: throw StoreError(.misuse, "an operator's answer is an accept or a reject")
        }
        var row = row
        row.state = state
        let answer = answer.following(row.move, old: old, new: new)
        row.decision = answer.decision
        row.outbox = Self.outbox(answer.steps)
        self.row = row
        extent = .all
        journal = [.answered(answer)]
    }

    // MARK: Deliveries

    private mutating func open(
        _ delivered: DeliveredRequest,
        _ record: DecisionRecord?,
        account: BareJID,
        session: Int64,
        at now: Timestamp
    ) {
        var row = RequestRow(
            id: 0,
            account: account,
            contact: delivered.contact,
            message: TextBounds.message(delivered.message),
            nickname: TextBounds.nickname(delivered.nickname),
            receivedAt: now,
            lastSeenAt: now,
            seenCount: 1,
            session: session,
            version: 1,
            state: .recorded,
            onDesk: false,
            decision: nil,
            rule: nil,
            policy: nil,
            outbox: nil,
            revision: 0,
            token: delivered.token,
            move: delivered.movedFrom.map { MoveClaim(from: $0, state: .claimed) }
        )
        if let record { decide(&row, record) }
        finish(row)
        isNew = true
    }

    /// A withdrawn request that is delivered again is the same request: same number, same place in the history.
    private mutating func reopen(
        _ row: RequestRow,
        _ delivered: DeliveredRequest,
        _ record: DecisionRecord?,
        session: Int64,
        at now: Timestamp
    ) {
        var row = row
        Self.see(&row, session: session, at: now)
        Self.takeText(&row, delivered)
        if let record { decide(&row, record) } else { wait(&row) }
        finish(row)
    }

    /// Received, and not decided yet.
    private func wait(_ row: inout RequestRow) {
        row.state = .recorded
        row.decision = nil
        row.rule = nil
        row.outbox = nil
    }

    /// What a request was received for is there now.
    private mutating func decideLate(_ row: RequestRow, _ record: DecisionRecord) {
        self.row = row
        guard row.state == .recorded else { return }
        var row = row
        decide(&row, record)
        finish(row)
    }

    private mutating func redeliver(
        _ row: RequestRow,
        _ delivered: DeliveredRequest,
        _ record: DecisionRecord?,
        session: Int64,
        at now: Timestamp
    ) {
        var row = row
        Self.see(&row, session: session, at: now)
        switch row.state {
        case .held: Self.takeText(&row, delivered)
        case .open:
            Self.takeText(&row, delivered)
            // What a policy says of it now changes nothing that an operator sees; an invitation does.
            if let record, record.invitation != nil { decide(&row, record) }
        case .recorded:
            Self.takeText(&row, delivered)
            if let record { decide(&row, record) }
        case .accepted, .rejected, .withdrawn, .answeredElsewhere, .covered: break
        }
        finish(row)
    }

    private static func see(_ row: inout RequestRow, session: Int64, at now: Timestamp) {
        row.seenCount = raised(row.seenCount)
        row.lastSeenAt = now
        row.session = session
    }

    /// One more; a number that a damaged file has at its end stays there instead of trapping.
    static func raised(_ number: Int) -> Int { number < .max ? number + 1 : number }

    /// What a delivery lacks is kept; what it has and differs raises the version.
    private static func takeText(_ row: inout RequestRow, _ delivered: DeliveredRequest) {
        let before = row.version
        if let message = TextBounds.message(delivered.message), !TextBounds.same(message, row.message) {
            row.message = message
            row.version = raised(before)
        }
        if let nickname = TextBounds.nickname(delivered.nickname), !TextBounds.same(nickname, row.nickname) {
            row.nickname = nickname
            row.version = raised(before)
        }
        row.token = delivered.token ?? row.token
        if let old = delivered.movedFrom, old != row.move?.from {
            row.move = MoveClaim(from: old, state: .claimed)
            row.version = raised(before)
        }
    }

    private mutating func decide(_ row: inout RequestRow, _ record: DecisionRecord) {
        row.decision = record.decision
        row.rule = record.rule
        row.policy = record.policy
        row.invitation = record.invitation ?? row.invitation
        row.outbox = nil
        switch record.decision {
        case _ where !record.acts: row.state = .recorded
        case .ignore: row.state = .recorded
        case .ask:
            row.state = .open
            row.onDesk = true
        case .accept:
            row.state = .accepted
            row.outbox = Self.outbox(record.steps)
        case .reject:
            row.state = .rejected
            row.outbox = Self.outbox(record.steps)
        }
        journal.append(.decided(record))
    }

    /// Each kind once, in the order in which they are written.
    private static func outbox(_ kinds: [OutboxStep.Kind]) -> OutboxRow? {
        let steps = OutboxStep.Kind.allCases.filter(kinds.contains).map { OutboxStep($0) }
        return steps.isEmpty ? nil : OutboxRow(steps: steps)
    }
}
