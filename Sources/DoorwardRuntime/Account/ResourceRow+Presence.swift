import DoorwardStore
import XMPPCore
import XMPPModules

extension ResourceRow {
    init(_ jid: JID, _ said: ResourcePresence) {
        self.init(
            jid, priority: said.priority, show: Show(said.show), status: said.status, idleSince: said.idleSince,
            at: said.at)
    }
}

extension ResourceRow.Show {
    init(_ show: ResourcePresence.Show) {
        self =
            switch show {
            case .chat: .chat
            case .online: .online
            case .away: .away
            case .extendedAway: .extendedAway
            case .doNotDisturb: .doNotDisturb
            }
    }
}

extension ResourcePresence {
    init(_ row: ResourceRow) {
        let show: Show =
            switch row.show {
            case .chat: .chat
            case .online: .online
            case .away: .away
            case .extendedAway: .extendedAway
            case .doNotDisturb: .doNotDisturb
            }
        self.init(priority: row.priority, show: show, status: row.status, idleSince: row.idleSince, at: row.at)
    }
}

extension PresenceModule {
    /// Everybody who is there, as a session that goes on keeps it.
    var rows: [ResourceRow] { Set(available.map(\.bare)).flatMap { rows(of: $0) } }

    /// Somebody's resources, the one to talk to first; one with a negative priority wants no messages, and comes last.
    func rows(of contact: BareJID) -> [ResourceRow] {
        resources(of: contact).sorted { $0.presence.isBefore($1.presence) }
            .map { ResourceRow(JID(bare: contact, preparedResource: $0.resource), $0.presence) }
    }
}
