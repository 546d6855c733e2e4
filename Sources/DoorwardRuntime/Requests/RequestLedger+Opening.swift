import DoorwardPolicy
import DoorwardStore
import XMPPCore

extension RequestLedger {
    /// A request of its own.
    ///
    /// What a token is worth the store knows, in the transaction that opens the row: what is then to be sent is worked out
    /// behind it.
    ///
    /// - Parameters:
    ///   - request: What was delivered.
    ///   - record: Nil where the decision hangs on facts that must be asked for: then it is on disk before.
    ///   - item: The contact's roster item, if any.
    /// - Returns: The changes to commit.
    mutating func opening(_ request: DeliveredRequest, _ record: DecisionRecord?, _ item: RosterFact?) -> Output {
        guard let record else {
            entries[request.contact] = Entry(row: nil, isDelivered: true, awaitsFacts: true)
            return Output(changes: [.received(request)])
        }
        let steps = request.token == nil ? record.steps : []
        var entry = Entry(row: nil, isDelivered: true)
        entry.opensWaiting = record.waits
        entry.written = StepSet(steps)
        entries[request.contact] = entry
        return Output(changes: [.opened(request, record)] + writing(steps, request.contact, item))
    }

    /// The facts that a request hung on are there, or cannot be had.
    ///
    /// - Parameters:
    ///   - contact: Whose request it is.
    ///   - item: The contact's roster item, if any.
    ///   - decide: As at a delivery.
    /// - Returns: The changes to commit.
    mutating func found(
        _ contact: BareJID, item: RosterFact?, decide: (DeliveredRequest) -> DecisionRecord?
    ) -> Output {
        guard var entry = entries[contact], !entry.isClosing, let row = entry.row, row.state == .recorded,
            let record = decide(DeliveredRequest(row)),
            let steps = entry.redecided(record, row, token: nil)
        else { return Output() }
        entries[contact] = entry
        return Output(changes: [.decided(contact: contact, record)] + writing(steps, contact, item))
    }

    /// Whether that contact's request is being recorded, and its facts are asked for behind that.
    func isWaitingForFacts(_ contact: BareJID) -> Bool {
        entries[contact].map { $0.row == nil && $0.awaitsFacts } ?? false
    }

    /// Requests that were received, and whose facts nobody is asked for any more: the link is another, or the process.
    func unanswered() -> Output {
        let contacts = contactsInOrder.filter { contact in
            guard let entry = entries[contact], let row = entry.row else { return false }
            return entry.isDelivered && !entry.isClosing && row.state == .recorded && row.decision == nil
        }
        return Output(effects: contacts.map { .inquire(contact: $0) })
    }
}

extension RequestLedger.Entry {
    /// A request that is recorded, and nothing more, is decided anew.
    ///
    /// - Returns: What is to be written with that; nil where the decision says again what the row says.
    mutating func redecided(
        _ record: DecisionRecord, _ row: RequestRow, token: String?
    ) -> [OutboxStep.Kind]? {
        let staysSilent = !record.acts || record.decision == .ignore
        let mayBeInvited = record.stepsIfInvited != nil && (token ?? row.token) != nil
        guard !staysSilent || record.decision != row.decision || mayBeInvited else { return nil }
        let steps = mayBeInvited ? [] : record.steps
        written = StepSet(steps)
        return steps
    }
}

extension DeliveredRequest {
    /// The request as its row has it.
    init(_ row: RequestRow) {
        self.init(
            contact: row.contact, message: row.message, nickname: row.nickname, token: row.token,
            movedFrom: row.move?.from)
    }

    /// With what earlier deliveries brought and this one lacks: a server may keep no more than the text.
    func completed(by row: RequestRow) -> DeliveredRequest {
        let before = DeliveredRequest(row)
        return DeliveredRequest(
            contact: contact, message: message ?? before.message, nickname: nickname ?? before.nickname,
            token: token ?? before.token, movedFrom: movedFrom ?? before.movedFrom)
    }
}

extension RequestChange {
    /// Whether it records that a request was delivered.
    var isDelivery: Bool {
        switch self {
        case .opened, .received, .redelivered: true
        case .decided, .closed, .written, .confirmed, .dropped, .moved: false
        }
    }

    /// Whether the row can be decided by it, so that something is due.
    var mayDecide: Bool {
        switch self {
        case .opened, .received, .redelivered, .decided: true
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
