import DoorwardPolicy

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

extension Answer {
    /// The answer with what follows from a move that the operator saw verified: who is accepted at the new address is no
    /// longer at the old one, and seen by the account where it was seen before.
    func following(_ move: MoveClaim?) -> Answer {
        guard let move, move.isVerified, case .accept(var acceptance) = decision else { return self }
        var answer = self
        if move.state == .verifiedBoth {
            acceptance.subscribeBack = true
            answer.steps.append(.subscribeBack)
        }
        answer.decision = .accept(acceptance)
        answer.steps.append(.revokeOld)
        return answer
    }
}
