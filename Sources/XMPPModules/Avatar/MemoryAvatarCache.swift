public import XMPPCore

/// Pictures in memory, of one account: the least recently used goes first.
public final class MemoryAvatarCache: AvatarCache {
    /// Most bytes that are kept.
    public let limit: Int
    /// From the least to the most recently used.
    private var images: [AvatarImage] = []
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
        guard let index = images.firstIndex(where: { $0.hash == hash }) else { return nil }
        let image = images.remove(at: index)
        images.append(image)
        return image
    }

    /// Whether it is there.
    public func contains(_ hash: AvatarHash) -> Bool { images.contains { $0.hash == hash } }

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
    public func keep(_ image: AvatarImage) {
        if self.image(image.hash) == nil, image.bytes.count <= limit {
            images.append(image)
            byteCount += image.bytes.count
            while byteCount > limit, !images.isEmpty { byteCount -= images.removeFirst().bytes.count }
        }
        for reply in waiting.removeValue(forKey: image.hash) ?? [] { reply(.kept) }
    }

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
