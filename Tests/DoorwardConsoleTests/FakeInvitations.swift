import DoorwardConsole
import DoorwardRuntime
import DoorwardStore
import XMPPCore

/// What a fake of which a test wants something else has.
extension InvitationControl {
    func invite(_ order: InvitationOrder, by name: String) async throws -> InvitationOutcome { .noAccount }
    func invitations(of account: BareJID?, before: Int64) async throws -> [InvitationRow] { [] }
    func revokeInvitation(_ id: Int64, by name: String) async throws -> RevocationOutcome { .notFound(id: id) }
}

/// Invitations of a service in which nothing is connected.
extension FakeService {
    func invite(_ order: InvitationOrder, by name: String) async throws -> InvitationOutcome {
        guard accounts.contains(where: { $0.jid == order.account }) else { return .noAccount }
        let row = InvitationRow(
            id: Int64(invitations.count + 1), account: order.account, name: order.name, contact: order.contact,
            uses: order.uses, madeBy: name, madeAt: Samples.start,
            expiresAt: Timestamp(milliseconds: Samples.start.milliseconds + Int64(order.seconds) * 1000))
        invitations.insert(row, at: 0)
        let uri = "xmpp:\(order.account)?roster;preauth=abcdefghijklmnopqrstuvwxyz"
        return .made(Invitation(row: row, token: "abcdefghijklmnopqrstuvwxyz", uri: uri))
    }

    func invitations(of account: BareJID?, before: Int64) async throws -> [InvitationRow] {
        invitations.filter { $0.id < before && (account == nil || $0.account == account) }
    }

    func revokeInvitation(_ id: Int64, by name: String) async throws -> RevocationOutcome {
        guard let index = invitations.firstIndex(where: { $0.id == id }) else { return .notFound(id: id) }
        guard invitations[index].revokedAt == nil else { return .ended(invitations[index]) }
        invitations[index].revokedBy = name
        invitations[index].revokedAt = Samples.start
        return .done(invitations[index])
    }
}

extension ServiceControlForwarding {
    func invite(_ order: InvitationOrder, by name: String) async throws -> InvitationOutcome {
        try await inner.invite(order, by: name)
    }

    func invitations(of account: BareJID?, before: Int64) async throws -> [InvitationRow] {
        try await inner.invitations(of: account, before: before)
    }

    func revokeInvitation(_ id: Int64, by name: String) async throws -> RevocationOutcome {
        try await inner.revokeInvitation(id, by: name)
    }
}
