import DoorwardPolicy
import DoorwardStore
import XMPPCore

/// What one account knows, in one session, of the requests that are not finished: the machine behind steps 3 to 6 of
/// a request's path.
///
/// It mirrors the live rows of the store. Events return what must be committed; `committed` then returns what may be
/// sent. So nothing leaves before it is on disk, and a verdict leaves only for a request that the server delivered in
/// this very session: an unprompted `subscribed` is a pre-approval (RFC 6121 section 3.4).
struct RequestLedger {
    /// What an event brings.
    struct Output: Equatable {
        /// To be committed, in order, in the transaction of this read.
        var changes: [RequestChange] = []
        /// To be done at once; these need no record before.
        var effects: [Effect] = []
    }

    /// What is sent.
    enum Effect: Hashable {
        /// The stanzas of these steps, in this order, for the decision.
        case send(contact: BareJID, decision: Decision, steps: [OutboxStep.Kind])
        /// An accept found no request: the pre-approval that it left behind is taken back.
        case takeBack(contact: BareJID, removingItem: Bool)
    }

    /// At most so many unfinished requests are kept for one account; what comes after stays with the server, which
    /// delivers it again at the next login.
    static let limit = 10_000

    let session: Int64
    /// Whether the server keeps an approval for a request that has not come yet (RFC 6121 section 3.4.2 has it announced).
    private let keepsPreApprovals: Bool
    /// In a mode that only observes nothing is written: an operator's answer waits until the mode is another.
    private(set) var isSilent = false
    private var entries: [BareJID: Entry] = [:]

    private struct Entry {
        /// Nil while the transaction that opens it is under way.
        var row: RequestRow?
        /// The server delivered it in this session.
        var isDelivered: Bool
        /// Steps recorded as written in this session.
        ///
        /// They are not written twice.
        var written: Set<OutboxStep.Kind> = []
        /// Steps whose end is recorded or on its way to the store.
        ///
        /// They are not ended twice.
        var ended: Set<OutboxStep.Kind> = []
        var ending = Ending.none
        /// The contact's item, where another client accepted while the row was not there yet.
        var approvedMeanwhile: RosterFact?

        var isClosing: Bool { ending != .none }

        /// Whether that step still waits for its end.
        func isOpen(_ kind: OutboxStep.Kind) -> Bool {
            !ended.contains(kind) && row?.outbox?.step(kind)?.state.isOpen ?? false
        }
    }

    /// Whether a row is on its way out; nothing more is sent for it then.
    private enum Ending {
        case none
        /// Its closing is on its way to the store.
        case closing
        /// Its pre-approval is being taken back; a delivery meanwhile is remembered and answered after that.
        case takingBack(deliveredAgain: Bool)

        static func != (left: Ending, right: Ending) -> Bool {
            switch (left, right) {
            case (.none, .none), (.closing, .closing), (.takingBack, .takingBack): false
            case (.none, _), (.closing, _), (.takingBack, _): true
            }
        }
    }

    /// The ledger of a new session.
    ///
    /// - Parameters:
    ///   - session: The session's number, written into each row that is delivered in it.
    ///   - rows: The account's live rows.
    ///   - keepsPreApprovals: Whether the server announces pre-approvals.
    init(session: Int64, rows: [RequestRow], keepsPreApprovals: Bool = true) {
        self.session = session
        self.keepsPreApprovals = keepsPreApprovals
        for row in rows where row.isLive {
            entries[row.contact] = Entry(row: row, isDelivered: row.session == session)
        }
    }

    /// The number of requests that are not finished.
    var count: Int { entries.count }

    /// Whether one more request can be kept.
    func hasRoom(for contact: BareJID) -> Bool { entries[contact] != nil || entries.count < Self.limit }

    // MARK: Deliveries

    /// The server delivered a request.
    ///
    /// - Parameters:
    ///   - request: What it carried.
    ///   - item: The contact's roster item, if any.
    ///   - decide: Asks the policy; called only where the request is to be decided now.
    /// - Returns: The changes to commit.
    mutating func delivered(
        _ request: DeliveredRequest, item: RosterFact?, decide: () -> DecisionRecord
    ) -> Output {
        if case .takingBack = entries[request.contact]?.ending {
            entries[request.contact]?.ending = .takingBack(deliveredAgain: true)
            return Output(changes: [.redelivered(request, nil)])
        }
        guard var entry = entries[request.contact], !entry.isClosing else {
            let record = decide()
            var entry = Entry(row: nil, isDelivered: true)
            entry.written = Set(record.steps)
            entries[request.contact] = entry
            return Output(changes: [.opened(request, record)] + writing(record.steps, request.contact, item))
        }
        entry.isDelivered = true
        defer { entries[request.contact] = entry }
        guard let row = entry.row else { return Output(changes: [.redelivered(request, nil)]) }
        switch row.state {
        case .recorded:
            let record = decide()
            let staysSilent = !record.acts || record.decision == .ignore
            guard !staysSilent || record.decision != row.decision else {
                return Output(changes: [.redelivered(request, nil)])
            }
            entry.written = Set(record.steps)
            return Output(changes: [.redelivered(request, record)] + writing(record.steps, request.contact, item))
        case .accepted where !entry.isOpen(.verdict), .rejected where !entry.isOpen(.verdict):
            // The server has had the answer, so this is another request; the old one's row ends here.
            let left = row.outbox?.steps.map(\.kind).filter(entry.isOpen) ?? []
            let ends: [RequestChange] =
                left.isEmpty
                ? [] : [.dropped(contact: request.contact, steps: left, reason: "the contact asked anew meanwhile")]
            let record = decide()
            entry = Entry(row: nil, isDelivered: true)
            entry.written = Set(record.steps)
            return Output(
                changes: ends + [.opened(request, record)] + writing(record.steps, request.contact, item))
        case .accepted, .rejected:
            let steps = dueSteps(of: entry)
            entry.written.formUnion(steps)
            return Output(changes: [.redelivered(request, nil)] + writing(steps, request.contact, item))
        case .open, .held, .withdrawn, .answeredElsewhere, .covered:
            return Output(changes: [.redelivered(request, nil)])
        }
    }

    /// The one who asked sent `unsubscribe`: the request is taken back (RFC 6121 section 3.3).
    mutating func withdrawn(by contact: BareJID) -> Output {
        close(contact, Closure(.withdrawn, by: .requester, reason: "the contact took the request back"))
    }

    // MARK: Operators

    /// An operator answered, or the store has a newer copy of a row.
    mutating func answered(_ row: RequestRow, item: RosterFact?) -> Output {
        guard var entry = entries[row.contact] else {
            // Opened and answered before the commit that opened it came back, or not live: nothing to send here.
            return Output()
        }
        guard !entry.isClosing, entry.row.map({ $0.revision <= row.revision }) ?? true else { return Output() }
        entry.row = row
        guard row.isLive else {
            entries[row.contact] = nil
            return Output()
        }
        let steps = dueSteps(of: entry)
        entry.written.formUnion(steps)
        entries[row.contact] = entry
        return Output(changes: writing(steps, row.contact, item))
    }

    /// The account's mode changed; what waited for that is due now.
    mutating func silenced(_ isSilent: Bool, item: (BareJID) -> RosterFact?) -> Output {
        self.isSilent = isSilent
        var output = Output()
        for contact in contactsInOrder {
            guard var entry = entries[contact] else { continue }
            let steps = dueSteps(of: entry)
            entry.written.formUnion(steps)
            entries[contact] = entry
            output.changes += writing(steps, contact, item(contact))
        }
        return output
    }

    // MARK: The roster

    /// The roster arrived at login: what happened while this account was away is found by comparing.
    mutating func rosterLoaded(_ item: (BareJID) -> RosterFact?) -> Output {
        var output = Output()
        for contact in contactsInOrder {
            guard let fact = item(contact), fact.subscription.hasFrom else { continue }
            output.append(approved(contact, item: fact))
        }
        return output
    }

    /// A roster push set an item.
    mutating func itemChanged(_ contact: BareJID, to item: RosterFact) -> Output {
        item.subscription.hasFrom ? approved(contact, item: item) : Output()
    }

    /// A roster push removed an item.
    ///
    /// Servers send it too for a request that was taken back and had no item.
    mutating func itemRemoved(_ contact: BareJID) -> Output {
        guard let entry = entries[contact], let row = entry.row, row.state == .open || row.state == .recorded else {
            return Output()
        }
        return close(contact, Closure(.withdrawn, by: .server, reason: "the server dropped the request"))
    }

    /// The contact may see us: our own accept has arrived, or another client of the account answered.
    private mutating func approved(_ contact: BareJID, item: RosterFact) -> Output {
        guard let entry = entries[contact], !entry.isClosing else { return Output() }
        guard let row = entry.row else {
            entries[contact]?.approvedMeanwhile = item
            return Output()
        }
        let elsewhere = Closure(.answeredElsewhere, by: .server, reason: "another client of the account accepted")
        switch row.state {
        case .open, .held, .recorded:
            return close(contact, elsewhere)
        case .rejected:
            // Ours is on its way or done; before that, the other client was first.
            return entry.written.contains(.verdict) ? Output() : close(contact, elsewhere)
        case .accepted:
            return acceptArrived(contact, row, item)
        case .withdrawn, .answeredElsewhere, .covered:
            return Output()
        }
    }

    private mutating func acceptArrived(_ contact: BareJID, _ row: RequestRow, _ item: RosterFact) -> Output {
        guard var entry = entries[contact], let outbox = row.outbox, case .accept(let acceptance) = row.decision else {
            return Output()
        }
        var done: [OutboxStep.Kind] = []
        var again: [OutboxStep.Kind] = []
        for step in outbox.steps where entry.isOpen(step.kind) {
            switch step.kind {
            case .verdict: done.append(.verdict)
            case .rosterSet:
                if item.shows(acceptance) { done.append(.rosterSet) } else { again.append(.rosterSet) }
            case .subscribeBack:
                if item.subscription.hasTo || item.asked {
                    done.append(.subscribeBack)
                } else {
                    again.append(.subscribeBack)
                }
            case .block: break
            }
        }
        again.removeAll { isSilent || entry.written.contains($0) }
        entry.written.formUnion(again)
        entry.ended.formUnion(done)
        entries[contact] = entry
        var changes: [RequestChange] = done.isEmpty ? [] : [.confirmed(contact: contact, steps: done)]
        changes += writing(again, contact, item)
        return Output(changes: changes)
    }

    // MARK: Acknowledgements

    /// The server answered the ping behind what was written for these contacts, so it has processed that too
    /// (RFC 6120 section 10.1).
    mutating func acknowledged(_ sent: [(contact: BareJID, steps: [OutboxStep.Kind])], item: (BareJID) -> RosterFact?)
        -> Output
    {
        var output = Output()
        for (contact, steps) in sent {
            guard let entry = entries[contact], !entry.isClosing, let row = entry.row else { continue }
            let open = steps.filter { ($0 == .verdict || $0 == .subscribeBack) && entry.isOpen($0) }
            if case .accept = row.decision, open.contains(.verdict), item(contact)?.subscription.hasFrom != true {
                output.append(foundNothing(contact, row, item(contact)))
            } else if !open.isEmpty {
                entries[contact]?.ended.formUnion(open)
                output.changes.append(.confirmed(contact: contact, steps: open))
            }
        }
        return output
    }

    /// The server answered a step that is a request of its own: a roster set or a block.
    ///
    /// - Parameters:
    ///   - step: The step that was answered.
    ///   - contact: Whose it is.
    ///   - refusal: Nil where it was done, else why not, in words.
    /// - Returns: The changes to commit.
    mutating func answered(_ step: OutboxStep.Kind, of contact: BareJID, refusal: String?) -> Output {
        guard entries[contact]?.isOpen(step) ?? false else { return Output() }
        entries[contact]?.ended.insert(step)
        if let refusal { return Output(changes: [.dropped(contact: contact, steps: [step], reason: refusal)]) }
        return Output(changes: [.confirmed(contact: contact, steps: [step])])
    }

    /// The pre-approval is gone (or the server said that there was none): the row closes.
    mutating func tookBack(_ contact: BareJID) -> Output {
        guard var entry = entries[contact], case .takingBack(let deliveredAgain) = entry.ending else { return Output() }
        if deliveredAgain {
            entry.ending = .none
            entry.isDelivered = true
            entry.written = []
            let steps = dueSteps(of: entry)
            entry.written = Set(steps)
            entries[contact] = entry
            return Output(changes: writing(steps, contact, nil))
        }
        entries[contact]?.ending = .closing
        let reason = "the accept found no request any more; its pre-approval was taken back"
        return Output(changes: [.closed(contact: contact, as: Closure(.withdrawn, by: .server, reason: reason))])
    }

    /// The time after a fresh login in which the server delivers what is unanswered is over.
    mutating func settled(item: (BareJID) -> RosterFact?) -> Output {
        var output = Output()
        for contact in contactsInOrder {
            guard let entry = entries[contact], !entry.isDelivered, !entry.isClosing, let row = entry.row else {
                continue
            }
            switch row.state {
            case .open, .held, .recorded:
                let reason = "the server did not deliver the request again after a new login"
                output.append(close(contact, Closure(.withdrawn, by: .server, reason: reason)))
            case .rejected:
                output.append(rejectNotRepeated(contact, row))
            case .accepted where entry.isOpen(.verdict):
                output.append(foundNothing(contact, row, item(contact)))
            case .accepted:
                output.append(leftBehind(contact, row))
            case .withdrawn, .answeredElsewhere, .covered:
                break
            }
        }
        return output
    }

    /// An accept that the server has had, of a contact who no longer sees us: what is left of it has no purpose.
    private mutating func leftBehind(_ contact: BareJID, _ row: RequestRow) -> Output {
        guard let entry = entries[contact] else { return Output() }
        let left = (row.outbox?.steps.map(\.kind) ?? []).filter { entry.isOpen($0) && !entry.written.contains($0) }
        guard !left.isEmpty else { return Output() }
        entries[contact]?.ended.formUnion(left)
        let reason = "the contact no longer sees the account"
        return Output(changes: [.dropped(contact: contact, steps: left, reason: reason)])
    }

    private mutating func rejectNotRepeated(_ contact: BareJID, _ row: RequestRow) -> Output {
        guard let entry = entries[contact] else { return Output() }
        guard entry.isOpen(.verdict) else {
            guard !isSilent, entry.isOpen(.block), !entry.written.contains(.block) else { return Output() }
            entries[contact]?.written.insert(.block)
            return Output(changes: writing([.block], contact, nil))
        }
        guard case .written = row.outbox?.step(.verdict)?.state else {
            let reason = "the server did not deliver the request again after a new login; nothing was sent"
            return close(contact, Closure(.withdrawn, by: .server, reason: reason))
        }
        // The server no longer has the request, so it has had our answer; a block is repeated, it harms nothing.
        var changes: [RequestChange] = [.confirmed(contact: contact, steps: [.verdict])]
        let again: [OutboxStep.Kind] = entry.isOpen(.block) && !isSilent ? [.block] : []
        entries[contact]?.ended.insert(.verdict)
        entries[contact]?.written.formUnion(again)
        changes += writing(again, contact, nil)
        return Output(changes: changes)
    }

    private mutating func foundNothing(_ contact: BareJID, _ row: RequestRow, _ item: RosterFact?) -> Output {
        guard case .written = row.outbox?.step(.verdict)?.state else {
            entries[contact]?.ending = .closing
            let reason = "the server did not deliver the request again after a new login; nothing was sent"
            return Output(changes: [.closed(contact: contact, as: Closure(.withdrawn, by: .server, reason: reason))])
        }
        let madeItem = row.outbox?.hadItem != true && row.outbox?.step(.rosterSet) != nil
        guard keepsPreApprovals || madeItem else {
            // The server has ignored it. Removing an item that is not there would only hit a request that comes just now:
            // ejabberd forgets it then without a word to anybody.
            entries[contact]?.ending = .closing
            let reason = "the accept found no request any more"
            return Output(changes: [.closed(contact: contact, as: Closure(.withdrawn, by: .server, reason: reason))])
        }
        entries[contact]?.ending = .takingBack(deliveredAgain: false)
        let removing = row.outbox?.hadItem != true && item?.subscription.hasTo != true
        return Output(effects: [.takeBack(contact: contact, removingItem: removing)])
    }

    // MARK: After the commit

    /// A transaction is on disk: what it recorded may be sent now.
    ///
    /// - Parameters:
    ///   - changes: What was committed.
    ///   - rows: The row after each; nil where there was none to change.
    ///   - item: The roster.
    /// - Returns: What to send, and what an answer that came meanwhile makes due.
    mutating func committed(
        _ changes: [RequestChange], rows: [RequestRow?], item: (BareJID) -> RosterFact? = { _ in nil }
    ) -> Output {
        var output = Output()
        for (change, row) in zip(changes, rows) {
            let contact = change.contact
            guard var entry = entries[contact] else { continue }
            if case .closed = change {
                // A delivery that came while the closing was under way has opened a new entry already: it stays.
                if case .closing = entry.ending { entries[contact] = nil }
                continue
            }
            guard let row else { continue }
            // Where the row is not known yet, a change other than its opening belongs to the request before it.
            if entry.row == nil, !change.isDelivery { continue }
            if entry.row.map({ $0.revision <= row.revision }) ?? true {
                entry.row = row
                entries[contact] = entry
            }
            // The row is read again: what came during the commit may have ended it.
            guard let current = entry.row, !entry.isClosing else { continue }
            if case .written(_, let steps, _) = change, current.isLive, let decision = current.decision {
                output.effects.append(.send(contact: contact, decision: decision, steps: steps))
            }
            guard current.isLive else {
                entries[contact] = nil
                continue
            }
            guard change.isDelivery else { continue }
            if let item = entry.approvedMeanwhile {
                entries[contact]?.approvedMeanwhile = nil
                output.append(approved(contact, item: item))
            } else {
                // An operator's answer that the mirror did not have yet when the request was delivered.
                let due = dueSteps(of: entry)
                entries[contact]?.written.formUnion(due)
                output.changes += writing(due, contact, item(contact))
            }
        }
        return output
    }

    // MARK: Parts

    private var contactsInOrder: [BareJID] {
        entries.keys.sorted { (entries[$0]?.row?.id ?? .max) < (entries[$1]?.row?.id ?? .max) }
    }

    /// The open steps that may be written now: only for a request delivered in this session, and each only once in it.
    private func dueSteps(of entry: Entry) -> [OutboxStep.Kind] {
        guard !isSilent, entry.isDelivered, !entry.isClosing, let steps = entry.row?.outbox?.steps else { return [] }
        return steps.map(\.kind).filter { entry.isOpen($0) && !entry.written.contains($0) }
    }

    private func writing(_ steps: [OutboxStep.Kind], _ contact: BareJID, _ item: RosterFact?) -> [RequestChange] {
        steps.isEmpty ? [] : [.written(contact: contact, steps: steps, hadItem: item != nil)]
    }

    private mutating func close(_ contact: BareJID, _ closure: Closure) -> Output {
        guard let entry = entries[contact], !entry.isClosing else { return Output() }
        if let row = entry.row, row.state == .accepted || row.state == .rejected, entry.written.contains(.verdict) {
            // Our answer is already on its way; the ping behind it tells whether it met the request.
            return Output()
        }
        entries[contact]?.ending = .closing
        return Output(changes: [.closed(contact: contact, as: closure)])
    }
}

extension RequestChange {
    /// Whether it records that a request was delivered.
    fileprivate var isDelivery: Bool {
        switch self {
        case .opened, .redelivered: true
        case .closed, .written, .confirmed, .dropped: false
        }
    }
}

extension RequestLedger.Output {
    mutating func append(_ other: Self) {
        changes += other.changes
        effects += other.effects
    }
}
