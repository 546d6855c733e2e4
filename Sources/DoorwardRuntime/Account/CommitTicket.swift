import DoorwardStore

/// A commit that is under way: what its account needs to know when the store has answered.
///
/// Unchecked because only the account's loop looks into it; the store's thread hands it back. There it is emptied, so that
/// no session goes away on another thread.
final class CommitTicket: @unchecked Sendable {
    let changes: [RequestChange]
    /// Stanzas of the server that it covers.
    let inbound: UInt32
    private var session: AccountSession?

    init(_ session: AccountSession) {
        changes = session.takeChanges()
        inbound = session.inbound
        self.session = session
    }

    func takeSession() -> AccountSession? { session.take() }
}
