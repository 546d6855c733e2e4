import XMPPClient
import XMPPCore

/// Which resources of contacts are available (RFC 6121 section 4): kept with the session, since a resumed one is not
/// told again.
final class AvailabilityModule: SessionModule {
    /// What happened to them.
    enum Change: Hashable {
        case available(JID)
        case unavailable(JID)
        /// All resources of a contact are gone (RFC 6121 section 4.5.4).
        case gone(BareJID)
    }

    /// Most resources that are kept; further ones are not known to be there.
    static let limit = 50_000

    private let isContact: (BareJID) -> Bool
    private let onChange: (Change) -> Void
    private var resources: [BareJID: Set<JID>] = [:]
    private var count = 0

    /// - Parameters:
    ///   - available: What is known already.
    ///   - isContact: Whether somebody's presence is of interest: anyone may send one.
    ///   - onChange: Told each change after it was applied.
    init(
        available: [JID] = [], isContact: @escaping (BareJID) -> Bool, onChange: @escaping (Change) -> Void
    ) {
        self.isContact = isContact
        self.onChange = onChange
        for jid in available { insert(jid) }
    }

    /// The full addresses that are available.
    var available: [JID] { resources.values.flatMap { $0 } }

    var namespaces: [String] { [] }

    func received(presence: Presence) {
        guard let from = presence.from else { return }
        switch presence.type {
        case .available:
            guard from.resource != nil, isContact(from.bare), insert(from) else { return }
            onChange(.available(from))
        case .unavailable, .error:
            guard var known = resources[from.bare] else { return }
            guard from.resource != nil else {
                count -= known.count
                resources[from.bare] = nil
                onChange(.gone(from.bare))
                return
            }
            guard known.remove(from) != nil else { return }
            count -= 1
            resources[from.bare] = known.isEmpty ? nil : known
            onChange(.unavailable(from))
        case .subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe, .other:
            break
        }
    }

    @discardableResult
    private func insert(_ jid: JID) -> Bool {
        guard count < Self.limit, resources[jid.bare, default: []].insert(jid).inserted else { return false }
        count += 1
        return true
    }
}
