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

    /// The element, without children.
    func element(_ names: inout XMLNames) -> Element {
        var attributes: [Element.Attribute] = []
        attributes.reserveCapacity(self.attributes.count / 5)
        for start in stride(from: 0, to: self.attributes.count - 4, by: 5) {
            let value = attributeValue(from: self.attributes[start + 3], to: self.attributes[start + 4])
            // Without a prefix there is no namespace (Namespaces in XML section 6.2).
            let namespace =
                self.attributes[start + 1] == nil ? nil : self.attributes[start + 2].map { names.text(at: $0, uri) }
            let name = self.attributes[start].map { names.text(at: $0, string) } ?? ""
            attributes.append(.init(name, namespace: namespace, value))
        }
        return Element(
            name.map { names.text(at: $0, string) } ?? "",
            namespace: namespace.map { names.text(at: $0, uri) } ?? "", attributes: attributes)
    }

    /// Whether a prefix is longer, the tag's own, an attribute's or a declaration's: most tags have none.
    func hasPrefix(over bound: Int) -> Bool {
        if let prefix, length(of: prefix) > bound { return true }
        for start in stride(from: 0, to: declarations.count - 1, by: 2) {
            if let declared = declarations[start], length(of: declared) > bound { return true }
        }
        for start in stride(from: 0, to: attributes.count - 4, by: 5) {
            if let prefix = attributes[start + 1], length(of: prefix) > bound { return true }
        }
        return false
    }

    /// Bytes of a value in `identity`: the longest address (RFC 7622 section 3.1: three parts of 1023).
    private static let identityBound = 3071

    /// What is told of an element whose own tag is over a limit: its name, and the attributes by which it is answered.
    ///
    /// Where there is no `from` within bounds it is empty, which is no address; without one the stanza would come from
    /// our own account (RFC 6120 section 8.1.2.1).
    func identity(nameBytes: Int) -> Element {
        let isNamed = (name.map(length) ?? 0) <= nameBytes && (namespace.map(length) ?? 0) <= Self.identityBound
        var identity = Element(isNamed ? string(name) : "", namespace: isNamed ? uri(namespace) : "")
        for start in stride(from: 0, to: attributes.count - 4, by: 5) {
            guard attributes[start + 1] == nil, (attributes[start].map(length) ?? 0) <= 4 else { continue }
            let name = string(attributes[start])
            let value = attributeValue(from: attributes[start + 3], to: attributes[start + 4])
            guard ["from", "to", "type", "id"].contains(where: { $0.utf8.elementsEqual(name.utf8) }),
                value.utf8.count <= Self.identityBound
            else { continue }
            identity.attributes.append(.init(name, value))
        }
        if identity[attribute: "from"] == nil { identity[attribute: "from"] = "" }
        return identity
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
        // libxml2 holds the first four bytes of a document back.
        bytes += "   >".utf8
        return bytes
    }

    /// The default namespace that it declares; empty where it declares none.
    var defaultNamespace: String {
        for start in stride(from: 0, to: declarations.count - 1, by: 2) where declarations[start] == nil {
            return uri(declarations[start + 1])
        }
        return ""
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
