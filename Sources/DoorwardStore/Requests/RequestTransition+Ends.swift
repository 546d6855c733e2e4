import DoorwardPolicy

/// What becomes of a request that is answered, or goes without an answer.
extension RequestTransition {
    mutating func close(_ row: RequestRow, _ closure: Closure) throws(StoreError) {
        switch closure.state {
        case .withdrawn, .answeredElsewhere, .covered: break
        case .open, .held, .recorded, .accepted, .rejected:
            throw StoreError(.misuse, "a request is not closed as \(closure.state.rawValue)")
        }
        self.row = row
        switch row.state {
        case .open, .held, .recorded: break
        case .accepted, .rejected:
            // A verdict that the server has had stands; what is left of the answer closes by itself.
            guard row.outbox?.step(.verdict)?.state.isOpen ?? false else { return }
        case .covered:
            // It is closed; what it still had to say has nobody to hear it.
            return drop(row, OutboxStep.Kind.allCases, reason: closure.reason)
        case .withdrawn, .answeredElsewhere: return
        }
        var row = row
        row.state = closure.state
        Self.change(&row, OutboxStep.Kind.allCases) { $0.isOpen ? .dropped : $0 }
        journal.append(.closed(closure))
        finish(row)
    }

    mutating func write(_ row: RequestRow, _ kinds: [OutboxStep.Kind], hadItem: Bool, session: Int64) {
        var row = row
        let wasDue = row.outbox?.step(.verdict)?.state == .due
        let changed = Self.change(&row, kinds) { $0.isOpen ? .written(session: session) : $0 }
        guard !changed.isEmpty else {
            self.row = row
            return
        }
        if row.outbox?.hadItem == nil { row.outbox?.hadItem = hadItem }
        if wasDue, changed.contains(.verdict) { journal.append(JournalEntry(kind: .sent, steps: changed)) }
        finish(row, .steps)
    }

    mutating func confirm(_ row: RequestRow, _ kinds: [OutboxStep.Kind]) {
        var row = row
        let changed = Self.change(&row, kinds) { $0.isOpen ? .confirmed : $0 }
        self.row = row
        guard !changed.isEmpty else { return }
        if changed.contains(.verdict) { journal.append(JournalEntry(kind: .confirmed, steps: changed)) }
        finish(row, .steps)
    }

    mutating func drop(_ row: RequestRow, _ kinds: [OutboxStep.Kind], reason: String) {
        var row = row
        let changed = Self.change(&row, kinds) { $0.isOpen ? .dropped : $0 }
        self.row = row
        guard !changed.isEmpty else { return }
        journal.append(JournalEntry(kind: .dropped, reason: TextBounds.reason(reason), steps: changed))
        finish(row, .steps)
    }

    mutating func finish(_ row: RequestRow, _ extent: RequestTable.Extent = .all) {
        self.row = row
        self.extent = extent
    }

    /// Changes the steps of those kinds, and tells which did change.
    @discardableResult
    private static func change(
        _ row: inout RequestRow,
        _ kinds: [OutboxStep.Kind],
        _ next: (OutboxStep.State) -> OutboxStep.State
    ) -> [OutboxStep.Kind] {
        guard var outbox = row.outbox else { return [] }
        var changed: [OutboxStep.Kind] = []
        outbox.steps = outbox.steps.map { step in
            guard kinds.contains(step.kind) else { return step }
            let state = next(step.state)
            if state != step.state { changed.append(step.kind) }
            return OutboxStep(step.kind, state)
        }
        row.outbox = outbox
        return changed
    }
}
