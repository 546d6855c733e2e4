/// The attributes of a stanza's own tag behind those that the parser gets.
///
/// Of them only those are handed on by which a stanza is known and answered, each once. The rest is weighed.
struct SurplusAttributes {
    /// As long as a value that is cut before it is handed on: see `XMLByteCheck.valueBound`.
    private static let valueBound = XMLByteCheck.valueBound
    private static let wanted = ["xmlns", "from", "to", "type", "id"].map { Array($0.utf8) }

    private(set) var tag: TagWeight
    private var handedOn: [[UInt8]] = []
    /// The attribute at hand where it is wanted.
    private var attribute: (name: [UInt8], value: [UInt8])?

    /// Begins between two attributes.
    init() {
        tag = TagWeight()
    }

    /// Begins within a value.
    init(insideDeclaration isDeclaration: Bool) {
        tag = TagWeight(insideDeclaration: isDeclaration)
    }

    /// A byte outside of a value, quotes not among them.
    ///
    /// - Returns: Whether it may be there.
    mutating func foundOutside(_ byte: UInt8) -> Bool { tag.foundOutside(byte) }

    mutating func valueBegan() {
        tag.valueBegan()
        guard let name = tag.wholeName, Self.wanted.contains(name), !handedOn.contains(name) else { return }
        attribute = (name, [])
    }

    /// A byte of a value; not counted within a reference.
    mutating func foundInside(_ byte: UInt8, isCounted: Bool) {
        tag.foundInside(byte, isCounted: isCounted)
        guard let count = attribute?.value.count else { return }
        if count < Self.valueBound { attribute?.value.append(byte) } else { attribute = nil }
    }

    /// The value's end.
    ///
    /// - Returns: The attribute where it is to be handed on.
    mutating func valueEnded(quote: UInt8, _ namespaces: inout Set<UInt64>) -> [UInt8]? {
        tag.valueEnded(&namespaces)
        defer { attribute = nil }
        guard let attribute else { return nil }
        handedOn.append(attribute.name)
        return [0x20] + attribute.name + [UInt8(ascii: "="), quote] + attribute.value + [quote]
    }
}
