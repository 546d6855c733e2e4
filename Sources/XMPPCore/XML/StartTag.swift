/// A start tag as libxml2 hands it over; its pointers live only as long as the callback.
struct StartTag {
    var name: UnsafePointer<UInt8>?
    var prefix: UnsafePointer<UInt8>?
    var namespace: UnsafePointer<UInt8>?
    /// Prefix and namespace by turns.
    var declarations: UnsafeBufferPointer<UnsafePointer<UInt8>?>
    /// Local name, prefix, namespace, begin of the value, end of the value.
    var attributes: UnsafeBufferPointer<UnsafePointer<UInt8>?>

    /// Attributes and declarations together.
    var attributeCount: Int { attributes.count / 5 + declarations.count / 2 }

    var element: Element {
        var element = Element(string(name), namespace: uri(namespace))
        element.attributes.reserveCapacity(attributes.count / 5)
        for start in stride(from: 0, to: attributes.count - 4, by: 5) {
            let value = attributeValue(from: attributes[start + 3], to: attributes[start + 4])
            // Without a prefix there is no namespace (Namespaces in XML section 6.2).
            let namespace = attributes[start + 1] == nil ? nil : attributes[start + 2].map(uri)
            element.attributes.append(.init(string(attributes[start]), namespace: namespace, value))
        }
        return element
    }

    /// Bytes of an attribute's value in `identity`: the longest address (RFC 7622 section 3.1: three parts of 1023).
    private static let identityValueBound = 3071

    /// What is told of an element that is over a limit: its name, and of its attributes those within the limits.
    ///
    /// Where some were left out only those stay that say what it is and whom to answer.
    func identity(within limits: XMLLimits) -> Element {
        let whole = element
        var kept = whole
        if whole.name.utf8.count > limits.nameBytes { kept.name = "" }
        kept.attributes = whole.attributes.filter {
            $0.name.utf8.count <= limits.nameBytes && $0.value.utf8.count <= Self.identityValueBound
        }
        guard attributeCount > limits.attributes || kept.attributes.count < whole.attributes.count else { return kept }
        kept.attributes.removeAll { attribute in
            attribute.namespace != nil
                || !["from", "to", "type", "id"].contains { attribute.name.utf8.elementsEqual($0.utf8) }
        }
        // Without a `from` it would be from our own account.
        if kept[attribute: "from"] == nil { kept[attribute: "from"] = "" }
        return kept
    }

    /// The tag with its namespace declarations and without attributes: enough to go on with the same stream in a new
    /// context.
    var headerBytes: [UInt8] {
        let tag = prefix.map { string($0) + ":" + string(name) } ?? string(name)
        var bytes = Array("<\(tag)".utf8)
        for start in stride(from: 0, to: declarations.count - 1, by: 2) {
            bytes += (declarations[start].map { " xmlns:" + string($0) } ?? " xmlns").utf8
            bytes += "='".utf8
            bytes.appendEscaped(uri(declarations[start + 1]), inAttribute: true)
            bytes.append(UInt8(ascii: "'"))
        }
        bytes.append(UInt8(ascii: ">"))
        return bytes
    }

    private func attributeValue(from begin: UnsafePointer<UInt8>?, to end: UnsafePointer<UInt8>?) -> String {
        guard let begin, let end, end > begin else { return "" }
        return unescaped(UnsafeBufferPointer(start: begin, count: end - begin))
    }

    /// A namespace: it was an attribute's value too.
    private func uri(_ text: UnsafePointer<UInt8>?) -> String {
        text.map { unescaped(UnsafeBufferPointer(start: $0, count: length(of: $0))) } ?? ""
    }

    /// Where entities are not replaced, libxml2 hands an ampersand over as `&#38;`, and no other reference.
    private func unescaped(_ raw: UnsafeBufferPointer<UInt8>) -> String {
        guard raw.contains(UInt8(ascii: "&")) else { return String(decoding: raw, as: UTF8.self) }
        let reference = Array("&#38;".utf8)
        var value: [UInt8] = []
        var rest = raw[...]
        while let byte = rest.first {
            value.append(byte)
            rest = rest.dropFirst(rest.starts(with: reference) ? reference.count : 1)
        }
        return String(decoding: value, as: UTF8.self)
    }

    private func string(_ text: UnsafePointer<UInt8>?) -> String {
        text.map { String(cString: $0) } ?? ""
    }
}

private func length(of text: UnsafePointer<UInt8>) -> Int {
    var length = 0
    while text[length] != 0 { length += 1 }
    return length
}
