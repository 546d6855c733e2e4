import DoorwardPolicy
import DoorwardStore
import XMPPCore

/// How much room there is: what comes when it is full stays with the server, which delivers it again at the next login.
///
/// Only what waits fills it, for a person or for its sender to take it back. What a rule answers ends by itself, and has room
/// of its own: a flood that nobody has answered must not keep friends from being let in.
extension RequestLedger {
    /// Most requests that wait.
    static let limit = 10_000
    /// Once half of that is taken, a domain with so many gets no more, so that one server cannot take all.
    ///
    /// Not before: whoever serves the people of one server may have more of them waiting.
    static let domainLimit = 200
    /// Most that were answered and whose answer the server has not confirmed.
    static let answeredLimit = 10_000
    /// Room for those with a token beyond `limit`: only the store knows whether it lets them in.
    static let tokenLimit = 1000

    /// Whether so many wait that domains have a share.
    var isCrowded: Bool { entries.waiting >= Self.limit / 2 }

    /// Whether the room has emptied again, by a tenth, so that an alert does not come and go with every request.
    var hasEmptied: Bool { entries.waiting < Self.limit / 20 * 9 }

    /// Whether a request can be kept.
    ///
    /// - Parameters:
    ///   - request: That is not known yet.
    ///   - record: What was decided of it; nil where that hangs on facts that are still asked for.
    /// - Returns: No where it is left to the server.
    func hasRoom(for request: DeliveredRequest, _ record: DecisionRecord?) -> Bool {
        guard record?.waits ?? true else { return entries.count - entries.waiting < Self.answeredLimit }
        guard request.token == nil else { return entries.waiting < Self.limit + Self.tokenLimit }
        return entries.waiting < Self.limit
            && (!isCrowded || entries.waiting(at: request.contact.server) < Self.domainLimit)
    }
}

extension DecisionRecord {
    /// Whether the request stays open by it.
    var waits: Bool {
        switch decision {
        case .accept, .reject: !acts
        case .ask, .ignore: true
        }
    }
}

extension RequestLedger.Entry {
    /// Whether it stays until a person or its sender ends it.
    var waits: Bool {
        switch row?.state {
        case .open, .held, .recorded: true
        case .accepted, .rejected, .covered, .withdrawn, .answeredElsewhere: false
        case nil: opensWaiting
        }
    }
}
