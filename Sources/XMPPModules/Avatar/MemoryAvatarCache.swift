public import XMPPCore

/// Pictures in memory, of one account: the least recently used goes first.
public final class MemoryAvatarCache: AvatarCache {
    /// Most pictures of one contact.
    public static let limitPerContact = 4

    private struct Entry {
        var image: AvatarImage
        var contact: BareJID
    }

    /// Most bytes that are kept.
    public let limit: Int
    /// From the least to the most recently used.
    private var entries: [Entry] = []
    private var byteCount = 0
    private var waiting: [AvatarHash: [(AvatarClaim) -> Void]] = [:]

    /// An empty one.
    ///
    /// - Parameter limit: Most bytes that are kept; a picture never has more than `AvatarImage.limit`.
    public init(limit: Int = 4_194_304) {
        self.limit = limit
    }

    /// A picture.
    public func image(_ hash: AvatarHash) -> AvatarImage? {
        guard let index = entries.firstIndex(where: { $0.image.hash == hash }) else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry.image
    }

    /// Whether it is there.
    public func contains(_ hash: AvatarHash) -> Bool { entries.contains { $0.image.hash == hash } }

    /// Grants it to the first who asks.
    public func claim(_ hash: AvatarHash, reply: @escaping (AvatarClaim) -> Void) {
        if contains(hash) { return reply(.kept) }
        guard waiting[hash] != nil else {
            waiting[hash] = []
            return reply(.granted)
        }
        waiting[hash]?.append(reply)
    }

    /// Keeps it.
    public func keep(_ image: AvatarImage, of contact: BareJID) {
        if self.image(image.hash) == nil, image.bytes.count <= limit {
            entries.append(Entry(image: image, contact: contact))
            byteCount += image.bytes.count
            let own = entries.indices.filter { entries[$0].contact == contact }
            if own.count > Self.limitPerContact, let oldest = own.first { drop(at: oldest) }
            while byteCount > limit, !entries.isEmpty { drop(at: 0) }
        }
        for reply in waiting.removeValue(forKey: image.hash) ?? [] { reply(.kept) }
    }

    private func drop(at index: Int) { byteCount -= entries.remove(at: index).image.bytes.count }

    /// Grants it to the next who waits.
    public func release(_ hash: AvatarHash) {
        guard var replies = waiting[hash] else { return }
        guard !replies.isEmpty else {
            waiting[hash] = nil
            return
        }
        let next = replies.removeFirst()
        waiting[hash] = replies
        next(.granted)
    }
}
