package import DoorwardPolicy
import XMPPCore

/// What an invitation makes of a delivery.
extension RequestChange {
    /// The token of a request whose decision hangs on what it is worth.
    struct ShownToken: Hashable {
        /// SHA-256 of it, in hexadecimal.
        var digest: String
        /// The invitation that the request has used already.
        var usedBefore: Int64?
        /// Whether a valid one is used now: not where the mode only observes.
        var isUsed: Bool
    }

    /// The token that decides, where this change decides anything, by the contact's latest row, live or not; nil where no
    /// token is asked for.
    func shownToken(_ latest: RequestRow?) -> ShownToken? {
        let record: DecisionRecord
        let digest: String?
        let usedBefore: Int64?
        switch self {
        case .opened(let delivered, let opening):
            if let latest, latest.isLive { return nil }
            // A withdrawn request that comes again is the same one, and its server may have forgotten the token.
            let same = latest?.state == .withdrawn ? latest : nil
            (record, digest, usedBefore) = (opening, delivered.token ?? same?.token, same?.invitation)
        case .redelivered(let delivered, let again?):
            guard let latest, latest.isUndecided else { return nil }
            (record, digest, usedBefore) = (again, delivered.token ?? latest.token, latest.invitation)
        case .decided(_, let decided):
            guard let latest, latest.isUndecided else { return nil }
            (record, digest, usedBefore) = (decided, latest.token, latest.invitation)
        case .received, .redelivered, .closed, .written, .confirmed, .dropped, .moved:
            return nil
        }
        guard record.stepsIfInvited != nil, let digest else { return nil }
        return ShownToken(digest: digest, usedBefore: usedBefore, isUsed: record.acts)
    }

    /// The same, decided as it is where the token is worth that.
    func decided(by worth: InvitationTable.Worth) -> RequestChange {
        switch self {
        case .opened(let delivered, let record): .opened(delivered, record.decided(by: worth))
        case .redelivered(let delivered, let record): .redelivered(delivered, record?.decided(by: worth))
        case .decided(let contact, let record): .decided(contact: contact, record.decided(by: worth))
        case .received, .closed, .written, .confirmed, .dropped, .moved: self
        }
    }

    /// Without a decision that says again what the row says already: it came for the token's sake.
    func withoutRepetition(_ latest: RequestRow?) -> RequestChange {
        guard case .redelivered(let delivered, let record?) = self, let latest, latest.state == .recorded,
            record.decision == latest.decision, !record.acts || record.decision == .ignore
        else { return self }
        return .redelivered(delivered, nil)
    }
}

extension RequestRow {
    /// Whether a decision can still be made of it: on the desk an invitation decides, and no policy.
    fileprivate var isUndecided: Bool {
        switch state {
        case .open, .recorded: true
        case .held, .accepted, .rejected, .withdrawn, .answeredElsewhere, .covered: false
        }
    }
}

extension DecisionRecord {
    /// What an accept by an invitation does.
    package static let ofInvitation = Decision.accept(.ofInvitation)

    fileprivate func decided(by worth: InvitationTable.Worth) -> DecisionRecord {
        switch worth {
        case .nothing: return self
        case .expired:
            if case .record(let other) = ifExpired { return other }
            var record = self
            record.facts = Self.facts(facts, token: .expired)
            return record
        case .valid(let id):
            var record = self
            record.decision = Self.ofInvitation
            record.by = .token
            record.rule = nil
            record.reason = "invitation \(id)"
            record.facts = Self.facts(facts, token: .valid)
            // No rule was tried: an operator has answered before all of them.
            record.trace = "[]"
            record.steps = stepsIfInvited ?? []
            record.invitation = acts ? id : nil
            return record
        }
    }

    /// The facts with what the token is worth, which is known in the transaction only.
    ///
    /// Members stand in the order of their names, and this one is the last.
    private static func facts(_ facts: String, token: TokenFact) -> String {
        guard facts.utf8.last == UInt8(ascii: "}") else { return facts }
        let members = facts.dropLast()
        return members + (members.utf8.count > 1 ? "," : "") + "\"token\":\"\(token.rawValue)\"}"
    }
}
