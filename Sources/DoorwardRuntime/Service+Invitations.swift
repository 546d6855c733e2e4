import DoorwardConfig
package import DoorwardStore
package import XMPPCore
import XMPPCrypto
import XMPPModules

/// Invitations to add an account (XEP-0379).
extension Service {
    /// Makes one; the account need not be online, unless its server is to be asked.
    ///
    /// Where the server makes none, it is one of ours alone (XEP-0401 section 6.1). The server hands its token out, and lets
    /// nobody in by it: so it is kept as one of ours.
    ///
    /// - Parameters:
    ///   - order: What is wanted.
    ///   - name: The operator's name.
    /// - Throws: `StoreError`.
    /// - Returns: What came of it.
    package func invite(_ order: InvitationOrder, by name: String) async throws -> InvitationOutcome {
        // Whether or not it runs: the link can wait for that.
        guard configuration.accounts.contains(where: { $0.jid == order.account }) else { return .noAccount }
        var link = InvitationURI(account: order.account, token: Self.token(), name: order.name)
        let made = now
        var ends = Timestamp(milliseconds: made.milliseconds + Int64(order.seconds) * 1000)
        var answer: ServerInvitationOutcome?
        if order.asksServer { answer = try await serverInvitation(of: order.account, at: made) }
        var page: String?
        if case .made(let invitation) = answer {
            link = InvitationURI(
                account: order.account, token: invitation.link.token, name: order.name,
                registers: invitation.link.registers)
            page = invitation.page
            // The years of a date have four digits.
            ends = min(ends, invitation.expires.map { Timestamp(milliseconds: $0 * 1000) } ?? ends)
        }
        let row = InvitationRow(
            id: 0, account: order.account, name: order.name, contact: order.contact, uses: order.uses, madeBy: name,
            madeAt: made, expiresAt: ends)
        guard let kept = try await store.keep(row, digest: Account.tokenDigest(link.token)) else { return .tooMany }
        note(kept, "invited", by: name, server: answer?.outcome)
        return .made(
            Invitation(
                row: kept, token: link.token, uri: link.description, server: answer?.outcome, page: page,
                registers: link.registers))
    }

    private func serverInvitation(of account: BareJID, at moment: Timestamp) async throws -> ServerInvitationOutcome {
        guard let child = await supervisor.account(account) else { return .none(.offline) }
        let outcome = await child.serverInvitation()
        guard case .made(let made) = outcome else { return outcome }
        if let end = made.expires, end * 1000 <= moment.milliseconds {
            return .none(.refused("its invitation is over already"))
        }
        guard try await !store.hasInvitation(digest: Account.tokenDigest(made.link.token)) else {
            return .none(.refused("it gave an invitation that it gave before"))
        }
        return outcome
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

    private func note(_ row: InvitationRow, _ event: String, by name: String, server: OrderOutcome? = nil) {
        let fields: [(String, String?)] = [
            ("invitation", String(row.id)), ("operator", name), ("uses", String(row.uses)),
            ("contact", row.contact?.description), ("expires", row.expiresAt.description), ("server", server?.word),
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

extension ServerInvitationOutcome {
    fileprivate var outcome: OrderOutcome {
        switch self {
        case .made: .done
        case .none(let outcome): outcome
        }
    }
}
