import XMPPClient
import XMPPCore
package import XMPPModules

/// What came of asking an account's server for an invitation.
package enum ServerInvitationOutcome: Hashable, Sendable {
    case made(ServerInvitation)
    /// Why there is none.
    case none(OrderOutcome)
}

extension Account {
    /// Has the account's server make an invitation (XEP-0401).
    package func serverInvitation() async -> ServerInvitationOutcome {
        guard let session, session.isReady else { return .none(.offline) }
        let server = JID(jid.server)
        var command = ServerInvitation.command
        switch await orderedReply(command.begin(), to: server, in: session) {
        case nil: return .none(.offline)
        case .noReply?: return .none(.noReply)
        case .error(let error)?:
            // A server without the command says so as it does of anything that it does not know (XEP-0050 section 3.6).
            switch error.condition {
            case .itemNotFound, .serviceUnavailable, .featureNotImplemented: return .none(.notOffered)
            case _: return .none(.refused("\(error)"))
            }
        case .result(let payload)?:
            guard let payload, command.received(payload) else {
                return .none(.refused("its answer is none of a command"))
            }
            if let made = ServerInvitation(command, account: jid) { return .made(made) }
            // It is to be done at once (XEP-0401 section 5.1): whatever else is asked, nobody is here to answer it.
            if let cancel = command.step(.cancel), session === self.session {
                _ = await orderedReply(cancel, to: server, in: session)
            }
            let said = command.notes.first { $0.kind == .error }?.text
            return .none(.refused(said ?? "its answer holds no link that adds this account"))
        }
    }
}
