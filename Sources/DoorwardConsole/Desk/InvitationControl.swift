package import DoorwardRuntime
package import DoorwardStore
package import XMPPCore

/// What commands may ask about invitations.
package protocol InvitationControl: Sendable {
    func invite(_ order: InvitationOrder, by name: String) async throws -> InvitationOutcome
    /// Newest first, with ids below `before`.
    func invitations(of account: BareJID?, before: Int64) async throws -> [InvitationRow]
    func revokeInvitation(_ id: Int64, by name: String) async throws -> RevocationOutcome
}
