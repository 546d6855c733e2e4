import DoorwardPolicy
import DoorwardStore
import XMPPCore

/// What is known to have arrived, and what to do where it met no request.
extension RequestLedger {
    /// The server answered the ping behind what was written for these contacts, so it has processed that too
    /// (RFC 6120 section 10.1).
    mutating func acknowledged(_ sent: [(contact: BareJID, steps: [OutboxStep.Kind])], item: (BareJID) -> RosterFact?)
        -> Output
    {
        var output = Output()
        for (contact, steps) in sent {
            guard let entry = entries[contact], !entry.isClosing, let row = entry.row else { continue }
            let open = steps.filter { $0.isPresence && entry.isOpen($0) }
            if case .accept = row.decision, open.contains(.verdict), item(contact)?.subscription.hasFrom != true {
                output.append(foundNothing(contact, row, item(contact)))
            } else if !open.isEmpty {
                entries[contact]?.ended.formUnion(open)
                output.changes.append(.confirmed(contact: contact, steps: open))
            }
        }
        return output
    }

    /// Whether an accept has left no trace in the roster: it may have met no request.
    func showsNothing(
        _ sent: (contact: BareJID, steps: [OutboxStep.Kind]), item: (BareJID) -> RosterFact?
    ) -> Bool {
        guard let entry = entries[sent.contact], !entry.isClosing, let row = entry.row, case .accept = row.decision
        else { return false }
        let isShown = item(sent.contact)?.subscription.hasFrom == true
        return sent.steps.contains(.verdict) && entry.isOpen(.verdict) && !isShown
    }

    /// The session is over, and the server says that it has had these stanzas of it (XEP-0198 section 5).
    ///
    /// Whether an accept met a request, the roster of the next session shows.
    mutating func arrived(_ sent: [(contact: BareJID, steps: [OutboxStep.Kind])]) -> Output {
        var output = Output()
        for (contact, steps) in sent {
            guard let entry = entries[contact], !entry.isClosing, let row = entry.row else { continue }
            guard case .reject = row.decision else { continue }
            let open = steps.filter { $0 == .verdict && entry.isOpen($0) }
            guard !open.isEmpty else { continue }
            entries[contact]?.ended.formUnion(open)
            output.changes.append(.confirmed(contact: contact, steps: open))
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
            entry.written = StepSet(steps)
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
            case .rejected, .covered:
                output.append(rejectNotRepeated(contact, row))
            case .accepted where entry.isOpen(.verdict):
                output.append(foundNothing(contact, row, item(contact)))
            case .accepted:
                output.append(leftBehind(contact, row))
            case .withdrawn, .answeredElsewhere:
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
        return Output(effects: [takeBack(contact, row, item)])
    }

    func takeBack(_ contact: BareJID, _ row: RequestRow, _ item: RosterFact?) -> Effect {
        let removing = row.outbox?.hadItem != true && item?.subscription.hasTo != true
        return .takeBack(contact: contact, removingItem: removing)
    }
}
