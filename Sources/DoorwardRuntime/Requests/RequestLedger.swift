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
        /// The facts that the contact's request hangs on are asked for.
        case inquire(contact: BareJID)
        /// A request that an operator waits for, behind all that is to be sent before it (`Account+Orders`).
        case order(Int)
    }

    let session: Int64
    /// Whether the server keeps an approval for a request that has not come yet (RFC 6121 section 3.4.2 has it announced).
    var keepsPreApprovals: Bool
    /// In a mode that only observes nothing is written: an operator's answer waits until the mode is another.
    private(set) var isSilent = false
    var entries = RequestEntries()

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

    // MARK: Deliveries

    /// The server delivered a request.
    ///
    /// - Parameters:
    ///   - request: What it carried.
    ///   - item: The contact's roster item, if any.
    ///   - decide: Asks the policy; called only where the request is to be decided now. Nil where the decision hangs on facts
    ///     that must be asked for.
    /// - Returns: The changes to commit.
    mutating func delivered(
        _ request: DeliveredRequest, item: RosterFact?, decide: (DeliveredRequest) -> DecisionRecord?
    ) -> Output {
        if case .takingBack = entries[request.contact]?.ending {
            entries[request.contact]?.ending = .takingBack(deliveredAgain: true)
            return Output(changes: [.redelivered(request, nil)])
        }
        guard var entry = entries[request.contact], !entry.isClosing else {
            return opening(request, decide(request), item)
        }
        entry.isDelivered = true
        defer { entries[request.contact] = entry }
        guard let row = entry.row else { return Output(changes: [.redelivered(request, nil)]) }
        switch row.state {
        case .recorded:
            guard let record = decide(request.completed(by: row)) else {
                let inquiry = Effect.inquire(contact: request.contact)
                return Output(changes: [.redelivered(request, nil)], effects: [inquiry])
            }
            guard let steps = entry.redecided(record, row, token: request.token) else {
                return Output(changes: [.redelivered(request, nil)])
            }
            return Output(changes: [.redelivered(request, record)] + writing(steps, request.contact, item))
        case .accepted where !entry.isOpen(.verdict), .rejected where !entry.isOpen(.verdict),
            .covered where !entry.isOpen(.verdict):
            // The server has had the answer, so this is another request; the old one's row ends here.
            let left = row.outbox?.steps.map(\.kind).filter(entry.isOpen) ?? []
            let ends: [RequestChange] =
                left.isEmpty
                ? [] : [.dropped(contact: request.contact, steps: left, reason: "the contact asked anew meanwhile")]
            var output = Output(changes: ends)
            output.append(opening(request, decide(request), item))
            entry = entries[request.contact] ?? Entry(row: nil, isDelivered: true)
            return output
        case .accepted, .rejected, .covered:
            let steps = dueSteps(of: entry)
            entry.written.formUnion(steps)
            return Output(changes: [.redelivered(request, nil)] + writing(steps, request.contact, item))
        case .open where request.token != nil:
            // An invitation may let it in from the desk; what a policy says of it changes nothing there, so no fact is needed.
            var request = request
            let claim = request.movedFrom
            request.movedFrom = nil
            let record = decide(request.completed(by: row))
            request.movedFrom = claim
            return Output(changes: [.redelivered(request, record)])
        case .open, .held, .withdrawn, .answeredElsewhere:
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
            if case .received = change { output.effects.append(.inquire(contact: contact)) }
            guard change.mayDecide else { continue }
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

    var contactsInOrder: [BareJID] {
        entries.map { (id: $0.value.row?.id ?? .max, contact: $0.key) }.sorted { $0.id < $1.id }.map(\.contact)
    }

    /// The open steps that may be written now: only for a request delivered in this session, and each only once in it.
    func dueSteps(of entry: Entry) -> [OutboxStep.Kind] {
        guard !isSilent, entry.isDelivered, !entry.isClosing, let steps = entry.row?.outbox?.steps else { return [] }
        return steps.map(\.kind).filter { entry.isOpen($0) && !entry.written.contains($0) }
    }

    func writing(_ steps: [OutboxStep.Kind], _ contact: BareJID, _ item: RosterFact?) -> [RequestChange] {
        steps.isEmpty ? [] : [.written(contact: contact, steps: steps, hadItem: item != nil)]
    }

    mutating func close(_ contact: BareJID, _ closure: Closure) -> Output {
        guard let entry = entries[contact], !entry.isClosing else { return Output() }
        if let row = entry.row, row.state.isDecided, entry.written.contains(.verdict) {
            // Our answer is already on its way; the ping behind it tells whether it met the request.
            return Output()
        }
        entries[contact]?.ending = .closing
        return Output(changes: [.closed(contact: contact, as: closure)])
    }
}
