public import XMPPCore

/// What the account's presence says of the picture in its own vCard (XEP-0153 section 4), where the server does not say it.
///
/// Several clients of one account share the vCard: where another one announces something else, it is looked at again, and
/// where another one knows nothing of this, nothing is announced while it is there (section 4.3).
public struct OwnAvatar: Hashable, Sendable {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// The vCard arrived, or was published: its picture's hash, nil for none.
        case card(AvatarHash?)
        /// Another client of the account is there, and its presence says this.
        case presence(resource: String, VCardUpdate)
        /// Another client of the account is gone.
        case gone(resource: String)
    }

    /// What is to be done.
    public enum Action: Hashable, Sendable {
        /// Send the presence again: ``OwnAvatar/update`` is another.
        case announce
        /// Read the vCard again; told by `card`.
        case read
    }

    /// Most other clients that are told apart; of further ones nothing is known.
    public static let limit = 100

    private enum Known: Hashable { case unknown, none, picture(AvatarHash) }

    private var known = Known.unknown
    /// Clients that know nothing of this.
    private var unaware: Set<String> = []
    /// What others announced and was looked at: once is enough.
    private var judged: [String: VCardUpdate] = [:]

    /// Nothing is known of the vCard.
    public init() {}

    /// What the presence says.
    public var update: VCardUpdate {
        guard unaware.isEmpty else { return .notReady }
        return switch known {
        case .unknown: .notReady
        case .none: VCardUpdate.none
        case .picture(let hash): .picture(hash)
        }
    }

    /// Takes an event.
    ///
    /// - Returns: What is to be done, in order.
    public mutating func handle(_ event: Event) -> [Action] {
        let before = update
        let reads = apply(event)
        return (update != before ? [.announce] : []) + (reads ? [.read] : [])
    }

    private mutating func apply(_ event: Event) -> Bool {
        switch event {
        case .card(let hash):
            known = hash.map { .picture($0) } ?? .none
            return false
        case .gone(let resource):
            unaware.remove(resource)
            judged[resource] = nil
            return false
        case .presence(let resource, .unsupported):
            if unaware.count < Self.limit { unaware.insert(resource) }
            return false
        case .presence(let resource, .notReady), .presence(let resource, .invalid):
            unaware.remove(resource)
            return false
        case .presence(let resource, let said):
            unaware.remove(resource)
            // Until the vCard is there, it is on its way.
            guard known != .unknown, said != announced else { return false }
            guard judged[resource] != said, judged[resource] != nil || judged.count < Self.limit else { return false }
            judged[resource] = said
            known = .unknown
            return true
        }
    }

    private var announced: VCardUpdate {
        switch known {
        case .unknown: .notReady
        case .none: VCardUpdate.none
        case .picture(let hash): .picture(hash)
        }
    }
}
