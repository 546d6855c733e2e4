import DoorwardPolicy
import DoorwardStore
import XMPPCore

/// What the roster tells of requests: at login by comparing, later by the server's pushes (RFC 6121 section 2.1.6).
extension RequestLedger {
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
    mutating func approved(_ contact: BareJID, item: RosterFact) -> Output {
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
        // A server pushes an item several times while a request is answered.
        guard outbox.steps.contains(where: { entry.isOpen($0.kind) }) else { return Output() }
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
            // Said again it changes nothing: the old address no longer sees us.
            case .revokeOld: again.append(.revokeOld)
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
}
