import DoorwardPolicy
import DoorwardStore
import XMPPCore
import XMPPModules

extension RequestLedger {
    /// Requests of blocked contacts leave the desk: nobody need decide what the block list decides.
    ///
    /// Nothing is sent, since the server would not send it on (XEP-0191 section 3.5).
    mutating func blocked(by list: BlockList) -> Output {
        var output = Output()
        guard !list.items.isEmpty else { return output }
        for contact in contactsInOrder {
            guard let row = entries[contact]?.row, row.state == .open || row.state == .held,
                let entry = list.entry(for: JID(contact))
            else { continue }
            let reason = "\(entry) is on the account's block list"
            output.append(close(contact, Closure(.covered, by: .server, reason: reason)))
        }
        return output
    }
}

extension RequestState {
    /// Whether there is an answer to be sent.
    var isDecided: Bool {
        switch self {
        case .accepted, .rejected, .covered: true
        case .open, .held, .withdrawn, .answeredElsewhere, .recorded: false
        }
    }
}
