import XMPPTransport

/// What stands behind the hashes of capabilities, for all accounts of the process: each set is asked for once.
///
/// Only what a hash proves is in it, so that nobody can put in what others will believe of a third (XEP-0115 section 8.1).
/// At most ``limit`` sets, and of texts at most ``byteLimit``; those that were not used for longest go first.
public final class CapsCache: Sendable {
    /// Most sets.
    public static let limit = 1_000
    /// Most bytes of texts in all of them.
    public static let byteLimit = 4 << 20
    /// Largest set that is kept, in bytes of texts.
    public static let setLimit = 64 << 10
    /// That of the process.
    public static let shared = CapsCache()

    fileprivate struct Entry {
        let info: DiscoInfo
        let size: Int
        var lastUse: UInt64
    }

    fileprivate struct Contents {
        var entries: [CapsHash: Entry] = [:]
        var bytes = 0
        var uses: UInt64 = 0
    }

    private let contents = Locked(Contents())

    /// An empty cache.
    public init() {}

    /// How many sets are in it.
    public var count: Int { contents.withLock { $0.entries.count } }

    /// What stands behind a hash; nil where it is not known.
    public func info(for hash: CapsHash) -> DiscoInfo? {
        contents.withLock { contents in
            contents.uses += 1
            contents.entries[hash]?.lastUse = contents.uses
            return contents.entries[hash]?.info
        }
    }

    /// Takes what somebody answered for a hash.
    ///
    /// - Returns: Whether the hash proves it; otherwise it says something of that one only, and is not kept.
    @discardableResult
    public func learn(_ info: DiscoInfo, for hash: CapsHash) -> Bool {
        guard CapsHash(hash.rule, hash.function, of: info) == hash else { return false }
        let size = info.size
        guard size <= Self.setLimit else { return true }
        contents.withLock { contents in
            guard contents.entries[hash] == nil else { return }
            contents.uses += 1
            contents.entries[hash] = Entry(info: info, size: size, lastUse: contents.uses)
            contents.bytes += size
            if contents.entries.count > Self.limit || contents.bytes > Self.byteLimit { contents.shrink() }
        }
        return true
    }
}

extension CapsCache.Contents {
    /// Makes room for some time: a quarter goes, what was not used for longest first.
    fileprivate mutating func shrink() {
        let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }
        for (hash, entry) in oldest {
            guard entries.count > CapsCache.limit * 3 / 4 || bytes > CapsCache.byteLimit * 3 / 4 else { return }
            entries[hash] = nil
            bytes -= entry.size
        }
    }
}

extension DiscoInfo {
    /// The bytes of its texts.
    fileprivate var size: Int {
        let identities = identities.flatMap { [$0.category, $0.type, $0.language ?? "", $0.name ?? ""] }
        let fields = forms.flatMap { $0.fields + $0.columns + $0.rows.flatMap { $0 } }
        let texts = fields.flatMap { field in
            [field.name ?? "", field.label ?? "", field.explanation ?? ""] + field.values
                + field.options.flatMap { [$0.value, $0.label ?? ""] }
        }
        let others = forms.flatMap { [$0.title ?? ""] + $0.instructions }
        return (identities + features + texts + others).reduce(0) { $0 + $1.utf8.count }
    }
}
