import XMPPClient
import XMPPCore
import XMPPCrypto
import XMPPModules

/// What the account's presence tells others.
extension Account {
    /// The account's presence: it is available, whatever its modules add to that.
    ///
    /// Priority 0: with a negative one ejabberd delivers no requests.
    func presence(in session: AccountSession) -> Element {
        session.announced = capabilities(of: session)
        return session.router.completed(Element("presence", namespace: Namespace.client))
    }

    func announce() {
        guard let session, session.hasAnnounced else { return }
        sendNow([presence(in: session)], in: session)
        // For the next process, which may go on with the session.
        guard session.isSaved, session.announced != session.savedAnnounced else { return }
        session.mirrorIsDue = true
        commitSoon(session)
    }

    /// A session goes on, with a program or with modules that may be others than those that announced it: what they can do
    /// has changed then, and contacts know what was announced (XEP-0115).
    func announceIfChanged(_ session: AccountSession) {
        guard session.hasAnnounced, capabilities(of: session) != session.announced else { return }
        announce()
    }

    /// A digest of what is announced of the account's abilities.
    private func capabilities(of session: AccountSession) -> String {
        var bytes: [UInt8] = []
        for case let caps as CapsModule in session.modules {
            for element in caps.presenceExtensions { bytes += element.serialized(inside: Namespace.client) }
        }
        return hexadecimal(Array(digest(.sha256, bytes).prefix(8)))
    }
}
