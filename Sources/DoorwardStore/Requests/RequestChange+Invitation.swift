package import DoorwardPolicy
import XMPPCore

/// What an invitation makes of a delivery.
extension RequestChange {
    /// The token that decides, where this change decides anything; nil where no token is asked for.
    ///
    /// - Parameter latest: The contact's latest row, live or not.
    /// - Returns: Its digest, and the invitation that the request has used already.
    func shownToken(_ latest: RequestRow?) -> (digest: String, usedBefore: Int64?)? {
        switch self {
        case .opened(let delivered, let record):
            guard record.stepsIfInvited != nil else { return nil }
            if let latest, latest.isLive { return nil }
            // A withdrawn request that comes again is the same one, and its server may have forgotten the token.
            let same = latest?.state == .withdrawn ? latest : nil
            return (delivered.token ?? same?.token).map { ($0, same?.invitation) }
        case .redelivered(let delivered, let record?):
            guard record.stepsIfInvited != nil, let latest, latest.isLive else { return nil }
            switch latest.state {
            case .open, .recorded: return (delivered.token ?? latest.token).map { ($0, latest.invitation) }
            case .held, .accepted, .rejected, .withdrawn, .answeredElsewhere, .covered: return nil
            }
        case .redelivered, .closed, .written, .confirmed, .dropped, .moved:
            return nil
        }
    }

    /// The same delivery, accepted.
    func accepted(byInvitation id: Int64) -> RequestChange {
        switch self {
        case .opened(let delivered, let record): .opened(delivered, record.accepted(byInvitation: id))
        case .redelivered(let delivered, let record): .redelivered(delivered, record?.accepted(byInvitation: id))
        case .closed, .written, .confirmed, .dropped, .moved: self
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

extension DecisionRecord {
    /// What an accept by an invitation does: the contact is accepted and asked in return, without the name that it offers
    /// (XEP-0379 section 3.3).
    package static let ofInvitation = Decision.accept(Acceptance(subscribeBack: true))

    fileprivate func accepted(byInvitation id: Int64) -> DecisionRecord {
        var record = self
        record.decision = Self.ofInvitation
        record.by = .token
        record.rule = nil
        record.reason = "invitation \(id)"
        record.steps = stepsIfInvited ?? []
        record.invitation = id
        return record
    }
}
