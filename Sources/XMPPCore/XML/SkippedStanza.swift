/// What is known of a stanza that is being kept back: how much of it there is, and nothing of what it says.
struct SkippedStanza {
    /// What counts for `XMLLimits.discardedBytes`, the tag at hand included.
    var weight: Int { whole + tag.weight }

    private var whole = 0
    private var tag = TagWeight()
    /// Hashes of the namespaces that weigh already.
    var namespaces: Set<UInt64> = []

    /// Begins anywhere but in a value.
    mutating func begin() { tag = TagWeight() }

    /// Begins within a value.
    mutating func begin(insideDeclaration isDeclaration: Bool) {
        tag = TagWeight(insideDeclaration: isDeclaration)
    }

    /// A tag of which a part was handed on has ended.
    mutating func add(_ tag: TagWeight) { whole += tag.weight }

    /// Text without references.
    mutating func foundText(_ count: Int) { whole += count }

    mutating func tagBegan(_ first: UInt8) {
        // `<`, `/` and `>`.
        tag = TagWeight(3)
        _ = tag.foundOutside(first)
    }

    mutating func tagEnded() {
        whole += tag.weight
        tag = TagWeight()
    }

    /// A byte of a tag outside of values, quotes not among them.
    mutating func foundOutside(_ byte: UInt8) -> Bool { tag.foundOutside(byte) }

    mutating func valueBegan() { tag.valueBegan() }

    mutating func foundInside(_ byte: UInt8, isCounted: Bool) { tag.foundInside(byte, isCounted: isCounted) }

    mutating func foundInside(_ bytes: Slice<UnsafeRawBufferPointer>) { tag.foundInside(bytes) }

    mutating func valueEnded() { tag.valueEnded(&namespaces) }

    /// Whether it has an attribute longer than any that a server takes.
    var isEndless: Bool { tag.isEndless }
}
