/// The attributes of a tag behind those that the parser gets.
///
/// Of them only those are handed on by which a stanza is known and answered, each once. The rest is weighed: for how much
/// its sender must have written at least (see `XMLLimits.discardedBytes`).
struct SurplusAttributes {
    /// Bytes of an attribute at which the stream ends: no server takes a whole stanza of that length.
    static let attributeBound = 1_048_576

    /// As long as a value that is cut before it is handed on: see `XMLByteCheck.valueBound`.
    private static let valueBound = XMLByteCheck.valueBound
    private static let wanted = ["xmlns", "from", "to", "type", "id"].map { Array($0.utf8) }

    /// The least that a sender wrote of the attributes so far.
    ///
    /// Declarations of namespaces weigh nothing: a server that keeps none of the sender's prefixes writes them again at
    /// each element and attribute.
    private(set) var weight = 0

    private var isDeclaration = false
    /// The begin of the name at hand: long enough to tell the wanted ones.
    private var name: [UInt8] = []
    private var isNameOver = true
    private var handedOn: [[UInt8]] = []
    /// The value at hand where it is wanted.
    private var value: [UInt8]?
    /// What the attribute at hand weighs so far.
    private var current = 0
    private(set) var hasSlash = false

    /// Begins between two attributes.
    init() {}

    /// Begins within a value.
    init(insideDeclaration isDeclaration: Bool) {
        self.isDeclaration = isDeclaration
    }

    /// Whether the attribute at hand is longer than any that a server takes.
    var isEndless: Bool { current > Self.attributeBound }

    /// A byte outside of a value, quotes not among them.
    ///
    /// - Returns: Whether it may be there.
    mutating func foundOutside(_ byte: UInt8) -> Bool {
        guard !hasSlash else { return false }
        if isXMLSpace(byte) || byte == UInt8(ascii: "=") {
            isNameOver = true
        } else if byte == UInt8(ascii: "/") {
            hasSlash = true
        } else {
            if isNameOver { (name, isNameOver) = ([], false) }
            if name.count <= 5 { name.append(byte) }
        }
        current += 1
        return true
    }

    mutating func valueBegan() {
        isDeclaration = name.starts(with: "xmlns".utf8)
        isNameOver = true
        value = Self.wanted.contains(name) && !handedOn.contains(name) ? [] : nil
    }

    /// A byte of a value; not counted within a reference, which stands for one character however long it is.
    mutating func foundInside(_ byte: UInt8, isCounted: Bool) {
        if isCounted { current += 1 }
        guard let count = value?.count else { return }
        if count < Self.valueBound { value?.append(byte) } else { value = nil }
    }

    /// The value's end.
    ///
    /// - Returns: The attribute where it is to be handed on.
    mutating func valueEnded(quote: UInt8) -> [UInt8]? {
        if !isDeclaration { weight += current }
        current = 0
        isDeclaration = false
        defer { (name, value) = ([], nil) }
        guard let value else { return nil }
        handedOn.append(name)
        return [0x20] + name + [UInt8(ascii: "="), quote] + value + [quote]
    }
}
