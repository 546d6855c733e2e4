package import DoorwardConfig
package import DoorwardRuntime
package import DoorwardStore
package import XMPPCore

/// What commands may ask of the running service.
package protocol ServiceControl: BlockControl, InvitationControl {
    func status() async throws -> ServiceStatus
    /// Requests on the desk with ids above `after`, oldest first; `all` adds those that are answered or gone.
    func pending(all: Bool, account: BareJID?, after: Int64) async throws -> [RequestRow]
    /// One request, whether or not it was ever on the desk; nil where there is none of that number.
    func request(id: Int64) async throws -> RequestRow?
    /// How many requests wait on the desk, by account, those of accounts that are not configured any more too.
    func waitingCounts() async throws -> [BareJID: Int]
    /// One outcome an answer, in the same order.
    func answer(_ answers: [Answer]) async throws -> [AnswerOutcome]
    /// Newest first; `before` is the number of a history row.
    func history(limit: Int, before: Int64?, account: BareJID?) async throws -> [HistoryRow]
    /// By address, also while the account is offline; nil where there is no such account, or it had no roster yet.
    func roster(of account: BareJID) async throws -> RosterSnapshot?
    /// The latest first; nil where there is no such account.
    func goneContacts(of account: BareJID, limit: Int) async throws -> [GoneContact]?
    /// Does something to a contact, for an operator.
    func change(
        _ order: ContactOrder, of contact: BareJID, on account: BareJID, by name: String
    ) async throws -> ContactOutcome
    /// Forgets how an account's logins went, and connects it anew; false where there is no such account.
    func trustAgain(_ account: BareJID, by name: String) async throws -> Bool
    /// A contact's picture; in words why there is none.
    func avatar(
        of contact: BareJID, account: BareJID, fresh: Bool, asking: AvatarAsking
    ) async throws -> Result<AvatarAnswer, AvatarRefusal>
    /// Publishes a picture as an account's own; nil where the server has it, else in words why not.
    func setAvatar(_ image: AvatarImage, of account: BareJID, by name: String) async -> AvatarRefusal?
    /// Newest first; `all` adds those that are over.
    func alerts(all: Bool) async throws -> [AlertRow]
    func reload() async -> ReloadOutcome
    func operators() async -> [OperatorConfiguration]
}
