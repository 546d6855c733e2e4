/// The least that a sender wrote of a tag that is not handed on, counted from its bytes.
///
/// It is what counts for `XMLLimits.discardedBytes`: names without prefixes, values without escapes. Servers declare
/// namespaces themselves: Prosody one for each element and each attribute with a prefix, again at each. So a declaration
/// weighs its namespace where that is new in the stanza; otherwise nothing, as long as the tag has no more of them than
/// it uses prefixes, and beyond that its whole length, for nobody but the sender wrote it.
struct TagWeight {
    /// Bytes of an attribute at which the stream ends: no server takes a whole stanza of that length.
    static let attributeBound = 1_048_576

    /// The name at hand up to its colon, one byte after the other; `.max` where it is longer than eight.
    private var name: UInt64 = 0
    /// Bytes of the name at hand.
    private var nameCount = 0
    private(set) var hasSlash = false

    /// Of the attributes that have ended, declarations that weigh only beyond the prefixes apart.
    private var whole: Int
    /// Of what is at hand.
    private var current = 0
    private var isNameOver = true
    private var isPrefixed = false
    private var isDeclaration = false
    private var namespace = NamespaceHash()
    private var valueCount = 0
    /// Declarations of namespaces that are not new, and what they weigh together.
    private var repeated = (count: 0, weight: 0)
    /// Attributes with a prefix.
    private var prefixed = 0

    /// Begins in front of a name.
    ///
    /// - Parameter start: What weighs already.
    init(_ start: Int = 0) {
        whole = start
    }

    /// Begins within a value.
    init(insideDeclaration isDeclaration: Bool) {
        self.init()
        self.isDeclaration = isDeclaration
    }

    /// What the tag weighs so far.
    var weight: Int {
        // The element has a namespace too.
        let surplus = repeated.count - prefixed - 1
        let declarations = surplus > 0 ? repeated.weight / repeated.count * surplus : 0
        return whole + declarations + (isDeclaration ? 0 : current)
    }

    /// Whether the attribute at hand is longer than any that a server takes.
    var isEndless: Bool { current > Self.attributeBound }

    /// A byte outside of a value, quotes not among them.
    ///
    /// - Returns: Whether it may be there.
    mutating func foundOutside(_ byte: UInt8) -> Bool {
        guard !hasSlash else { return false }
        // It weighs with the tag.
        guard byte != UInt8(ascii: "/") else {
            hasSlash = true
            return true
        }
        if isXMLSpace(byte) || byte == UInt8(ascii: "=") {
            isNameOver = true
        } else {
            if isNameOver {
                // The element's own name, or spaces.
                whole += current
                (name, nameCount, isNameOver, isPrefixed, isDeclaration, current) = (0, 0, false, false, false, 0)
            }
            if byte == UInt8(ascii: ":") {
                isPrefixed = true
                isDeclaration = name == Self.packed("xmlns")
                current -= nameCount
                nameCount = 0
                return true
            }
            nameCount += 1
            if !isPrefixed { name = nameCount <= 8 ? name << 8 | UInt64(byte) : .max }
        }
        current += 1
        return true
    }

    mutating func valueBegan() {
        if !isPrefixed { isDeclaration = name == Self.packed("xmlns") }
        isNameOver = true
        namespace = NamespaceHash()
        valueCount = 0
    }

    /// A byte of a value; not counted within a reference, which stands for one character however long it is.
    mutating func foundInside(_ byte: UInt8, isCounted: Bool) {
        if isCounted { current += 1 }
        valueCount += 1
        if isDeclaration { namespace.add(byte) }
    }

    /// Bytes of a value, with no reference among them.
    mutating func foundInside(_ bytes: Slice<UnsafeRawBufferPointer>) {
        current += bytes.count
        valueCount += bytes.count
        if isDeclaration { for byte in bytes { namespace.add(byte) } }
    }

    /// The value's end.
    ///
    /// - Parameter namespaces: Hashes of those that weigh already.
    mutating func valueEnded(_ namespaces: inout Set<UInt64>) {
        if !isDeclaration {
            whole += current
            if isPrefixed { prefixed += 1 }
        } else if namespaces.insert(namespace.value).inserted {
            whole += min(current, valueCount)
        } else {
            repeated.count += 1
            repeated.weight += current
        }
        (current, isDeclaration, isPrefixed, name, nameCount) = (0, false, false, 0, 0)
    }

    /// The name at hand, where it is short and has no prefix.
    var wholeName: [UInt8]? {
        guard !isPrefixed, nameCount > 0, name != .max else { return nil }
        return (0..<nameCount).reversed().map { UInt8(truncatingIfNeeded: name >> (8 * UInt64($0))) }
    }

    /// An ASCII name of up to eight bytes as `name` has it.
    static func packed(_ text: StaticString) -> UInt64 {
        text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }
}

/// A hash of a namespace (FNV-1a), which nobody outside of this process can tell.
private struct NamespaceHash {
    private static let seed = UInt64.random(in: .min ... .max)
    private(set) var value = Self.seed

    mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
