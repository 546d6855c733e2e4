import XMPPCore

/// What became of one decision, told by the rows that the journal has after it.
///
/// Never stored: the journal's rows are not changed, so this is worked out whenever the history is read.
struct Fate: Hashable {
    private enum Phase: Hashable {
        /// An `ask` that no one has answered yet.
        case asked
        /// An accept or a reject.
        case answered
        /// Nothing later changes it.
        case settled
    }

    private var phase: Phase
    private var final: HistoryRow.State?
    private let isAsk: Bool
    private(set) var sentAt: Timestamp?
    /// Why steps of this decision were not sent.
    private(set) var droppedReason: String?

    /// - Parameters:
    ///   - decision: The decision's word.
    ///   - acts: False where it was only recorded.
    init(decision: String?, acts: Bool) {
        isAsk = decision == "ask"
        phase = Self.phase(decision, acts)
        final = phase == .settled ? .notSent : nil
    }

    private static func phase(_ decision: String?, _ acts: Bool) -> Phase {
        guard acts else { return .settled }
        switch decision {
        case "ask": return .asked
        case "accept", "reject": return .answered
        case _: return .settled
        }
    }

    var isSettled: Bool { phase == .settled }

    /// What to show, given the request's own state now.
    func state(_ present: RequestState) -> HistoryRow.State {
        if let final { return final }
        if present == .held, !isSettled { return .held }
        switch phase {
        case .asked: return .waiting
        case .answered: return sentAt == nil ? .queued : .sent
        case .settled: return .notSent
        }
    }

    /// A later decision answers an `ask`, and ends the story of an accept or a reject.
    mutating func decided(_ decision: String?, acts: Bool) {
        switch phase {
        case .asked:
            phase = Self.phase(decision, acts)
            if phase == .settled { final = .notSent }
        case .answered: settle()
        case .settled: break
        }
    }

    mutating func sent(at: Timestamp) {
        if phase == .answered, sentAt == nil { sentAt = at }
    }

    mutating func confirmed() {
        if phase == .answered { final = .confirmed }
    }

    mutating func dropped(verdict: Bool, reason: String?) {
        guard phase == .answered else { return }
        if !isAsk { droppedReason = droppedReason ?? reason }
        if verdict {
            final = .notSent
            sentAt = nil
        }
    }

    mutating func closed(as state: HistoryRow.State) {
        if final == nil { final = state }
        settle()
    }

    private mutating func settle() {
        if final == nil { final = phase == .asked ? .waiting : sentAt == nil ? .queued : .sent }
        phase = .settled
    }
}
