/// A stanza of plain markup, read without libxml2 and without the byte check: nearly every one that a server sends.
///
/// It takes a stanza or declines it, for whatever reason; faults, limits and what is skipped are the business of the
/// reader that gets what was declined (see docs/design/012-plain-stanzas.md). Plain is only what both would read alike:
///
/// - names of ASCII without a prefix, `xml:lang` apart; no name twice in a tag;
/// - a space before each attribute and nothing around its equals sign; no tab or line feed in a value;
/// - namespaces that are URIs beyond doubt (`PlainNamespaces`);
/// - text in UTF-8 with no reference but the five that XML knows (section 4.6), no carriage return, and no `]`, with which
///   `]]>` would begin (section 2.4): no CDATA, no comment, no instruction;
/// - all of it at hand, and within every limit.
struct PlainStanza {
    private let bytes: UnsafeRawBufferPointer
    private let limits: XMLLimits
    private let namespaces: PlainNamespaces
    private var index = 0

    /// Bytes of a stanza: longer ones are rare, and in none of these the byte check would cut anything.
    static let byteBound = 32_768
    /// Levels of elements: the reader goes down by calling itself.
    private static let depthBound = 16

    private init(_ bytes: UnsafeRawBufferPointer, _ limits: XMLLimits, _ namespaces: PlainNamespaces) {
        (self.bytes, self.limits, self.namespaces) = (bytes, limits, namespaces)
    }

    /// Reads stanzas and the white space around them, up to one that is not plain or not whole.
    ///
    /// - Parameters:
    ///   - bytes: What is at hand between two stanzas.
    ///   - namespace: The default namespace around them.
    ///   - limits: What is over one of them is declined.
    ///   - namespaces: Those that were read before.
    ///   - events: What they are added to.
    /// - Returns: How many bytes were read, and up to where the last stanza goes; nil where there is none.
    static func readAll(
        _ bytes: ArraySlice<UInt8>, inside namespace: String, _ limits: XMLLimits, _ namespaces: PlainNamespaces,
        into events: inout [XMLStreamEvent]
    ) -> (count: Int, lastEnd: Int?) {
        bytes.withUnsafeBytes { bytes in
            var (index, lastEnd) = (0, nil as Int?)
            while true {
                while index < bytes.count, isXMLSpace(bytes[index]) { index += 1 }
                let end = index + min(bytes.count - index, limits.stanzaBytes, byteBound)
                guard end > index, bytes[index] == UInt8(ascii: "<") else { return (index, lastEnd) }
                var reader = PlainStanza(UnsafeRawBufferPointer(rebasing: bytes[index..<end]), limits, namespaces)
                guard let element = reader.readElement(inside: namespace, level: 1) else { return (index, lastEnd) }
                index += reader.index
                lastEnd = index
                if events.isEmpty { events.reserveCapacity(4) }
                events.append(.element(element))
            }
        }
    }

    /// Reads an element from its `<` on.
    private mutating func readElement(inside namespace: String, level: Int) -> Element? {
        guard level <= Self.depthBound, level <= limits.depth else { return nil }
        index += 1
        let name = skipName()
        guard !name.isEmpty else { return nil }
        var element = Element(string(name), namespace: namespace)
        switch readAttributes(of: &element) {
        case nil: return nil
        case true?: return element
        case false?: break
        }
        while true {
            guard let text = readText() else { return nil }
            // The first is mostly the only one.
            if !text.isEmpty, element.children.isEmpty {
                element.children = [.text(text)]
            } else if !text.isEmpty {
                element.children.append(.text(text))
            }
            // Text ends in front of a `<`.
            guard index + 1 < bytes.count else { return nil }
            if bytes[index + 1] == UInt8(ascii: "/") { return skipEnd(of: name) ? element : nil }
            guard let child = readElement(inside: element.namespace, level: level + 1) else { return nil }
            // One array, where it would grow with the second and the third.
            if element.children.isEmpty { element.children.reserveCapacity(4) }
            element.children.append(.element(child))
        }
    }

    /// The end tag, which begins at hand.
    private mutating func skipEnd(of name: Range<Int>) -> Bool {
        let start = index + 2
        let end = start + name.count
        guard end < bytes.count, bytes[end] == UInt8(ascii: ">"),
            sameBytes(
                UnsafeRawBufferPointer(rebasing: bytes[start..<end]), UnsafeRawBufferPointer(rebasing: bytes[name]))
        else { return false }
        index = end + 1
        return true
    }

    // MARK: Tags

    /// Reads the rest of a start tag.
    ///
    /// - Returns: Whether it ends the element too; nil where it is not plain.
    private mutating func readAttributes(of element: inout Element) -> Bool? {
        var count = 0
        var isDeclared = false
        /// A bit for each name, so that only two with the same bit are compared.
        var seen: UInt64 = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: ">"):
                index += 1
                return false
            case UInt8(ascii: "/"):
                index += 2
                return index <= bytes.count && bytes[index - 1] == UInt8(ascii: ">") ? true : nil
            case 0x20:
                index += 1
                guard index < bytes.count else { return nil }
                if !bytes[index].beginsPlainName { continue }
            case _: return nil
            }
            var name = skipName()
            guard !name.isEmpty, index < bytes.count else { return nil }
            let isXML = bytes[index] == UInt8(ascii: ":")
            if isXML {
                guard isText("xml", at: name) else { return nil }
                index += 1
                name = skipName()
                guard isText("lang", at: name) else { return nil }
            }
            count += 1
            guard count <= limits.attributes, let value = skipValue() else { return nil }
            if !isXML, isText("xmlns", at: name) {
                guard !isDeclared, !value.hasReferences,
                    let namespace = namespaces.text(UnsafeRawBufferPointer(rebasing: bytes[value.range]))
                else { return nil }
                isDeclared = true
                element.namespace = namespace
                continue
            }
            let bit = UInt64(1) << UInt64((bytes[name.lowerBound] &+ bytes[name.upperBound - 1] &* 8) & 63)
            let text = string(name)
            // `lang` and `xml:lang` are two names, and too rare to be told from each other.
            guard seen & bit == 0 || !element.attributes.contains(where: { sameBytes($0.name, text) }) else {
                return nil
            }
            seen |= bit
            if element.attributes.isEmpty { element.attributes.reserveCapacity(4) }
            element.attributes.append(.init(text, namespace: isXML ? Namespace.xml : nil, string(value)))
        }
        return nil
    }

    /// The name at hand; empty where none is, or one over the limit.
    private mutating func skipName() -> Range<Int> {
        let start = index
        guard start < bytes.count, bytes[start].beginsPlainName else { return start..<start }
        var end = start + 1
        while end < bytes.count, bytes[end].continuesPlainName { end += 1 }
        index = end
        return end - start <= limits.nameBytes ? start..<end : start..<start
    }

    // MARK: Text

    /// Text as it is written.
    private struct Raw {
        var range: Range<Int>
        var hasReferences = false
        var isASCII = true
    }

    /// The equals sign and the value behind an attribute's name, without the quotes.
    private mutating func skipValue() -> Raw? {
        guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "=") else { return nil }
        let quote = bytes[index + 1]
        guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else { return nil }
        index += 2
        guard let raw = skipText(to: quote) else { return nil }
        index += 1
        return raw
    }

    /// The text up to the next `<`, which may be empty.
    private mutating func readText() -> String? {
        skipText(to: UInt8(ascii: "<")).map { string($0) }
    }

    private mutating func skipText(to stop: UInt8) -> Raw? {
        let start = index
        let isValue = stop != UInt8(ascii: "<")
        var raw = Raw(range: start..<start)
        while true {
            // In a value a tab or a line feed would be a space (XML section 3.3.3).
            index = bytes.endOfPlain(from: index, before: isValue ? stop : UInt8(ascii: "]"), spaceOnly: isValue)
            guard index < bytes.count else { return nil }
            let byte = bytes[index]
            if byte == stop {
                raw.range = start..<index
                return raw
            }
            if byte == UInt8(ascii: "&") {
                guard let reference = reference(at: index) else { return nil }
                raw.hasReferences = true
                index += reference.length
            } else if byte >= 0x80 {
                guard skipBeyondASCII() else { return nil }
                raw.isASCII = false
            } else {
                return nil
            }
        }
    }

    /// Characters beyond ASCII, as many as stand together.
    private mutating func skipBeyondASCII() -> Bool {
        var state = UTF8State()
        while index < bytes.count, bytes[index] >= 0x80 {
            guard state.accepts(bytes[index]) else { return false }
            index += 1
        }
        return state.isBetweenCharacters
    }

    /// What the reference there stands for, and its length.
    private func reference(at start: Int) -> (byte: UInt8, length: Int)? {
        if isText("&amp;", at: start..<start + 5) { return (UInt8(ascii: "&"), 5) }
        if isText("&lt;", at: start..<start + 4) { return (UInt8(ascii: "<"), 4) }
        if isText("&gt;", at: start..<start + 4) { return (UInt8(ascii: ">"), 4) }
        if isText("&apos;", at: start..<start + 6) { return (UInt8(ascii: "'"), 6) }
        if isText("&quot;", at: start..<start + 6) { return (UInt8(ascii: "\""), 6) }
        return nil
    }

    private func isText(_ text: StaticString, at range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount, range.upperBound <= bytes.count else { return false }
        for offset in 0..<range.count where bytes[range.lowerBound + offset] != text.utf8Start[offset] { return false }
        return true
    }

    /// What was found to be UTF-8 is not looked at again.
    private func string(_ range: Range<Int>, isASCII: Bool = true) -> String {
        let text = Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes[range]))
        return String(copying: UTF8Span(unchecked: text, isKnownASCII: isASCII))
    }

    private func string(_ raw: Raw) -> String {
        guard raw.hasReferences else { return string(raw.range, isASCII: raw.isASCII) }
        return String(unsafeUninitializedCapacity: raw.range.count) { buffer in
            var (from, count) = (raw.range.lowerBound, 0)
            while from < raw.range.upperBound {
                let reference = bytes[from] == UInt8(ascii: "&") ? reference(at: from) : nil
                buffer[count] = reference?.byte ?? bytes[from]
                from += reference?.length ?? 1
                count += 1
            }
            return count
        }
    }
}
