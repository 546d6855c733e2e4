package import DoorwardPolicy

/// Contacts that have another address now (XEP-0283).
extension RequestTransition {
    /// The old address says so too: whoever is to answer must see it, so the version is another.
    mutating func move(_ row: RequestRow, _ claim: MoveClaim) {
        self.row = row
        switch row.state {
        case .open, .held, .recorded: break
        case .accepted, .rejected, .withdrawn, .answeredElsewhere, .covered: return
        }
        guard row.move != claim else { return }
        var row = row
        row.move = claim
        row.version = Self.raised(row.version)
        finish(row)
    }
}

extension MoveClaim {
    /// What follows from a move that whoever accepts the request has seen verified: who is accepted at the new address is no
    /// longer at the old one, seen by the account where it was seen before, and called and grouped as before where nothing
    /// else is said.
    ///
    /// - Parameters:
    ///   - decision: What is decided.
    ///   - steps: What that has to send; what follows is added.
    ///   - old: The item of the old address.
    ///   - new: That of the new one, if any.
    /// - Returns: Both with what follows; as they are where nobody verified the move, or it is no accept.
    package func followed(
        _ decision: Decision, _ steps: [OutboxStep.Kind], old: RosterFact?, new: RosterFact?
    ) -> (decision: Decision, steps: [OutboxStep.Kind]) {
        guard isVerified, case .accept(var acceptance) = decision else { return (decision, steps) }
        var steps = steps
        if state == .verifiedBoth {
            acceptance.subscribeBack = true
            if !steps.contains(.subscribeBack) { steps.append(.subscribeBack) }
        }
        let decided = acceptance
        if acceptance.name == nil, new?.name == nil { acceptance.name = old?.name }
        if new?.groups.isEmpty != false {
            for group in old?.groups ?? [] where !acceptance.groups.contains(where: { TextBounds.same($0, group) }) {
                acceptance.groups.append(group)
            }
        }
        if acceptance != decided, new?.shows(acceptance) != true, !steps.contains(.rosterSet) {
            steps.insert(.rosterSet, at: 0)
        }
        return (.accept(acceptance), steps + [.revokeOld])
    }
}

extension Answer {
    /// The answer with what follows from a move that the operator saw verified; `old` and `new` are as in `followed`.
    func following(_ move: MoveClaim?, old: RosterFact?, new: RosterFact?) -> Answer {
        guard let move else { return self }
        var answer = self
        (answer.decision, answer.steps) = move.followed(decision, steps, old: old, new: new)
        return answer
    }
}
