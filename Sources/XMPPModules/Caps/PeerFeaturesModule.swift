public import XMPPClient
public import XMPPCore

/// What others are and can do: asked for when somebody wants to know, and once for all who announce the same.
///
/// It learns from presences who announces what (XEP-0115, XEP-0390), of at most ``limit`` addresses; one more takes the place
/// of the one that was heard first, a stranger's before a contact's. Whom it does not know it asks each time.
public final class PeerFeaturesModule: SessionModule {
    /// Most addresses whose announcement is kept.
    public static let limit = 1_000
    /// Most questions under way.
    public static let questionLimit = 100

    /// Told what came of a question; nil where there was no answer, or none that can be read.
    public typealias Reply = (DiscoInfo?) -> Void

    private struct Peer {
        var announcement: CapsAnnouncement
        var isContact: Bool
        /// The older, the smaller.
        var order: Int
        /// What it answered, where nothing proves it: good for this one only.
        var unproven: DiscoInfo?
    }

    private let cache: CapsCache
    private var session: ModuleSession?
    private var peers: [JID: Peer] = [:]
    private var heard = 0
    private let isContact: (BareJID) -> Bool
    /// Who waits for what stands behind a hash that somebody was asked about.
    private var asked: [CapsHash: [Reply]] = [:]

    /// A module.
    ///
    /// - Parameters:
    ///   - cache: Where what is proven is kept.
    ///   - isContact: Whether somebody is a contact: anybody can send presence, and must not push those out.
    public init(cache: CapsCache = .shared, isContact: @escaping (BareJID) -> Bool = { _ in false }) {
        self.cache = cache
        self.isContact = isContact
    }

    /// It answers no requests.
    public var namespaces: [String] { [] }

    /// By it others are asked.
    public func began(_ session: ModuleSession) {
        self.session = session
        if !session.isResumed { peers = [:] }
    }

    /// Learns who announces what.
    public func received(presence: Presence) {
        guard let from = presence.from else { return }
        switch presence.type {
        case .available:
            // Without one, what was known holds: servers may leave out what has not changed.
            guard let announcement = CapsPayload.announcement(in: presence.element),
                peers[from]?.announcement != announcement
            else { return }
            let isContact = isContact(from.bare)
            guard peers[from] != nil || makeRoom(forContact: isContact) else { return }
            heard += 1
            peers[from] = Peer(announcement: announcement, isContact: isContact, order: heard)
        case .unavailable, .error: peers[from] = nil
        case .subscribe, .subscribed, .unsubscribe, .unsubscribed, .probe, .other: break
        }
    }

    /// A tenth goes at a time, so that a flood does not look through all of them for each of its presences.
    private func makeRoom(forContact isContact: Bool) -> Bool {
        guard peers.count >= Self.limit else { return true }
        let strangers = peers.filter { !$0.value.isContact }
        let leaving = strangers.isEmpty && isContact ? peers : strangers
        for peer in leaving.sorted(by: { $0.value.order < $1.value.order }).prefix(Self.limit / 10) {
            peers[peer.key] = nil
        }
        return peers.count < Self.limit
    }

    /// What is known of somebody without asking; nil where nothing is.
    public func known(of peer: JID) -> DiscoInfo? {
        guard let known = peers[peer] else { return nil }
        return known.unproven ?? known.announcement.hash.flatMap(cache.info)
    }

    /// What somebody is and can do.
    ///
    /// - Parameters:
    ///   - peer: A full address, an account or a server.
    ///   - reply: Called once, in the module's isolation and maybe before this returns.
    public func info(of peer: JID, reply: @escaping Reply) {
        if let info = known(of: peer) { return reply(info) }
        guard let session else { return reply(nil) }
        let announcement = peers[peer]?.announcement
        guard let hash = announcement?.hash, asked.count < Self.questionLimit else {
            return ask(session, peer, announcement, reply)
        }
        if asked[hash] != nil {
            asked[hash]?.append { [weak self] result in
                // What the other one answered need not be true of this one.
                if result != nil, let info = self?.cache.info(for: hash) { return reply(info) }
                guard let self, let session = self.session else { return reply(nil) }
                self.ask(session, peer, announcement, reply)
            }
            return
        }
        asked[hash] = []
        ask(session, peer, announcement) { [weak self] result in
            reply(result)
            for waiting in self?.asked.removeValue(forKey: hash) ?? [] { waiting(result) }
        }
    }

    private func ask(
        _ session: ModuleSession, _ peer: JID, _ announcement: CapsAnnouncement?, _ reply: @escaping Reply
    ) {
        session.request(.get, to: peer, DiscoPayload.info(node: announcement?.node)) { [weak self] answer in
            guard case .success(let payload?) = answer, let info = DiscoPayload.info(in: payload) else {
                return reply(nil)
            }
            self?.learned(info, of: peer, announcement)
            reply(info)
        }
    }

    private func learned(_ info: DiscoInfo, of peer: JID, _ announcement: CapsAnnouncement?) {
        guard let announcement, peers[peer]?.announcement == announcement else { return }
        if let hash = announcement.hash, cache.learn(info, for: hash) { return }
        peers[peer]?.unproven = info
    }
}
