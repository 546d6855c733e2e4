import DoorwardStore
import XMPPClient
import XMPPCore
import XMPPModules

/// What is seen of contacts, for pruning and for people: kept in memory until something is written anyway, a minute at most.
extension Account {
    func makeSightings() -> SightingModule {
        SightingModule { [unowned self] contact, kind in
            if let session { saw(contact, kind, in: session) }
        }
    }

    func saw(_ contact: BareJID, _ kind: SightingModule.Kind, in session: AccountSession) {
        // Strangers leave no trace here, so it is bounded by the roster.
        guard contact != jid, isContact(contact) else { return }
        switch kind {
        case .presence: session.sightings[contact, default: ContactSighting()].presence = now
        case .message: session.sightings[contact, default: ContactSighting()].messageIn = now
        }
    }

    func saw(_ change: AvailabilityModule.Change, in session: AccountSession) {
        switch change {
        case .available: break
        // Until now they were there.
        case .unavailable(let jid): saw(jid.bare, .presence, in: session)
        case .gone(let contact): saw(contact, .presence, in: session)
        }
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

/// Sees contacts by their presence and their messages; it answers nothing.
final class SightingModule: SessionModule {
    enum Kind {
        case presence, message
    }

    private let onSighting: (BareJID, Kind) -> Void

    /// - Parameter onSighting: Told of whoever it may be, contact or not.
    init(onSighting: @escaping (BareJID, Kind) -> Void) { self.onSighting = onSighting }

    var namespaces: [String] { [] }

    func received(presence: Presence) {
        // A server answers for whoever is not there, from the bare address; only a resource is somebody.
        guard presence.type == .available, let from = presence.from, from.resource != nil else { return }
        onSighting(from.bare, .presence)
    }

    func received(message: Message) {
        guard message.type != .error, let from = message.from, message.body != nil else { return }
        onSighting(from.bare, .message)
    }
}
