import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules
import XMPPTransport

/// What is seen of contacts, for pruning and for people: kept in memory until something is written anyway, a minute at most.
///
/// Who is there all along is seen all along: that is written every quarter of an hour, when the link breaks, and when the
/// contact or the session ends. Each account has its own minute of the quarter.
extension Account {
    /// What was seen of contacts is written after that, and with whatever is written before.
    private static let evidenceDelay = Duration.seconds(60)
    /// After so many of them, who is there.
    private static let presentEvery = 15

    /// The session is ready, or goes on over another connection.
    func cameOnline(_ session: AccountSession) {
        session.onlineSince = loop.time.now
        session.onlineTime = OnlineTime(since: now, until: now)
        session.onlineEnd = nil
        scheduleEvidence(session)
    }

    /// The accounts of a loop wake up together, and their commits meet in the store.
    private func scheduleEvidence(_ session: AccountSession) {
        let grain = Self.evidenceDelay
        let number = Int((loop.time.now / grain).rounded(.down)) + 1
        session.evidenceTimer = loop.schedule(after: grain * number - loop.time.now) {
            // Cancelled with the connection.
            self.assumeIsolated { account in
                guard let session = account.session else { return }
                account.scheduleEvidence(session)
                let place = account.jid.description.utf8.reduce(0) { ($0 + Int($1)) % Self.presentEvery }
                if (number + place) % Self.presentEvery == 0 { account.sawPresent(session) }
                account.repeatAsks(session)
                if session.hasUnfinished { account.takeUpBacklog(session) }
                account.commitEvidence(session)
            }
        }
    }

    /// Everybody who is there was seen just now.
    func sawPresent(_ session: AccountSession) {
        guard let roster = session.roster, let presence = session.presence else { return }
        let moment = now
        for jid in presence.available where roster.items.contains(jid.bare) {
            session.sightings[jid.bare, default: ContactSighting()].presence = moment
        }
    }

    func makeSightings() -> SightingModule {
        SightingModule { [unowned self] contact in
            if let session { saw(contact, .message, in: session) }
        }
    }

    private func saw(_ contact: BareJID, _ kind: Sighting, in session: AccountSession) {
        // Strangers leave no trace here, so it is bounded by the roster.
        guard contact != jid, isContact(contact) else { return }
        switch kind {
        case .presence: session.sightings[contact, default: ContactSighting()].presence = now
        case .message: session.sightings[contact, default: ContactSighting()].messageIn = now
        }
    }

    /// Who is there, for people and for a session that goes on.
    func makePresence(_ roster: RosterModule) -> PresenceModule {
        let time = loop.time
        let clock = { Timestamp(milliseconds: time.wallMilliseconds) }
        let presence = PresenceModule(account: jid, roster: roster, clock: clock)
        presence.listen { [unowned self] event in presenceChanged(event) }
        return presence
    }

    private func presenceChanged(_ event: PresenceEvent) {
        guard let session else { return }
        switch event {
        case .available(let jid, _, _), .unavailable(let jid): saw(jid.bare, .presence, in: session)
        case .gone(let contact): saw(contact, .presence, in: session)
        case .moved(let contact, let address):
            let fields: [(String, String?)] = [("contact", contact.description), ("to", address?.description)]
            environment.events(.noted(AccountNote(jid, "contact_elsewhere", fields)))
        case .cleared: break
        }
        if session.isSaved, let change = SessionChange.Mirror(event) { session.mirror.append(change) }
    }

    /// A message with words left for a contact.
    func wroteMessage(to contact: BareJID) {
        guard let session, isContact(contact) else { return }
        session.sightings[contact, default: ContactSighting()].messageOut = now
    }

    /// A contact has another avatar than before.
    func avatarChanged(of contact: BareJID) {
        guard let session, isContact(contact) else { return }
        session.sightings[contact, default: ContactSighting()].avatarChange = now
    }
}

private enum Sighting {
    case presence, message
}

/// Sees contacts by their messages; it answers nothing.
final class SightingModule: SessionModule {
    private let onSighting: (BareJID) -> Void

    /// - Parameter onSighting: Told of whoever it may be, contact or not.
    init(onSighting: @escaping (BareJID) -> Void) { self.onSighting = onSighting }

    var namespaces: [String] { [] }

    func received(message: Message) {
        guard message.type != .error, let from = message.from, message.body != nil else { return }
        onSighting(from.bare)
    }
}
