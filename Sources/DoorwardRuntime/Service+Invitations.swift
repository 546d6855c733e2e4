import DoorwardConfig
package import DoorwardStore
package import XMPPCore
import XMPPCrypto
import XMPPModules

/// Invitations to add an account (XEP-0379).
extension Service {
    /// Makes one; the account need not be online.
    ///
    /// - Parameters:
    ///   - order: What is wanted.
    ///   - name: The operator's name.
    /// - Throws: `StoreError`.
    /// - Returns: What came of it.
    package func invite(_ order: InvitationOrder, by name: String) async throws -> InvitationOutcome {
        // Whether or not it runs: the link can wait for that.
        guard configuration.accounts.contains(where: { $0.jid == order.account }) else { return .noAccount }
        let token = Self.token()
        let made = now
        let ends = Timestamp(milliseconds: made.milliseconds + Int64(order.seconds) * 1000)
        let row = InvitationRow(
            id: 0, account: order.account, name: order.name, contact: order.contact, uses: order.uses, madeBy: name,
            madeAt: made, expiresAt: ends)
        guard let kept = try await store.keep(row, digest: Account.tokenDigest(token)) else { return .tooMany }
        note(kept, "invited", by: name)
        let uri = InvitationURI(account: order.account, token: token, name: order.name).description
        return .made(Invitation(row: kept, token: token, uri: uri))
    }

    /// Invitations, newest first, those that let nobody in any more too.
    package func invitations(of account: BareJID?, before: Int64) async throws -> [InvitationRow] {
        try await store.invitations(of: account, before: before)
    }

    /// Lets an invitation let nobody in any more.
    package func revokeInvitation(_ id: Int64, by name: String) async throws -> RevocationOutcome {
        let outcome = try await store.revokeInvitation(id, by: name, at: now)
        if case .done(let row) = outcome { note(row, "invitation_revoked", by: name) }
        return outcome
    }

    private func note(_ row: InvitationRow, _ event: String, by name: String) {
        let fields: [(String, String?)] = [
            ("invitation", String(row.id)), ("operator", name), ("uses", String(row.uses)),
            ("contact", row.contact?.description), ("expires", row.expiresAt.description),
        ]
        parts.events(.noted(AccountNote(row.account, event, fields)))
    }

    /// 128 random bits, in letters that need no escape in a link and are told apart when read aloud.
    private static func token() -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in randomBytes(16) {
            bits = (bits << 8 | UInt32(byte)) & 0xFFF
            count += 8
            while count >= 5 {
                count -= 5
                text.append(alphabet[Int(bits >> UInt32(count) & 31)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << UInt32(5 - count) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
