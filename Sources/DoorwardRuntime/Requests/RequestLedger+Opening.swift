import DoorwardPolicy
import DoorwardStore
import XMPPCore

extension RequestLedger {
    /// A request of its own.
    ///
    /// What a token is worth the store knows, in the transaction that opens the row: what is then to be sent is worked out
    /// behind it.
    mutating func opening(_ request: DeliveredRequest, _ record: DecisionRecord, _ item: RosterFact?) -> Output {
        let steps = request.token == nil ? record.steps : []
        var entry = Entry(row: nil, isDelivered: true)
        entry.opensWaiting = record.waits
        entry.written = StepSet(steps)
        entries[request.contact] = entry
        return Output(changes: [.opened(request, record)] + writing(steps, request.contact, item))
    }
}

extension RequestChange {
    /// Whether it records that a request was delivered.
    var isDelivery: Bool {
        switch self {
        case .opened, .redelivered: true
        case .closed, .written, .confirmed, .dropped, .moved: false
        }
    }
}

extension RequestLedger.Output {
    mutating func append(_ other: Self) {
        changes += other.changes
        effects += other.effects
    }
}
