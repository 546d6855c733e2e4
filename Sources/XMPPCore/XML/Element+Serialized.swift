extension Element {
    /// The element as XML, inside an element with that default namespace.
    ///
    /// The namespace around it is not declared again; for a stanza on a stream it is `jabber:client`.
    package func serialized(inside namespace: String) -> [UInt8] {
        var bytes: [UInt8] = []
        // Of most stanzas, all.
        bytes.reserveCapacity(224)
        serialized(into: &bytes, inside: namespace)
        return bytes
    }

    /// Appends the element as XML, or nothing where it is none.
    ///
    /// Everything is escaped, and characters that XML 1.0 cannot hold (section 2.2) are left out, so that no value can
    /// end the element it stands in. Names cannot be escaped: what could not be read back under its name is left out
    /// (see `Element`).
    package func serialized(into bytes: inout [UInt8], inside namespace: String) {
        // The namespace of `xml:` must not be declared as a default (Namespaces in XML section 3).
        let isXML = sameBytes(self.namespace, Namespace.xml)
        let inner = isXML ? namespace : self.namespace
        let isDeclared = !sameBytes(inner, namespace)
        guard name.isXMLName, !isDeclared || inner.isEmpty || inner.isNamespaceName else { return }
        let tag = isXML ? "xml:" + name : name
        bytes.append(UInt8(ascii: "<"))
        bytes.append(text: tag)
        if isDeclared {
            bytes.append(text: " xmlns='")
            bytes.appendEscaped(inner, inAttribute: true)
            bytes.append(UInt8(ascii: "'"))
        }
        writeAttributes(into: &bytes)
        if children.isEmpty {
            bytes.append(UInt8(ascii: "/"))
            bytes.append(UInt8(ascii: ">"))
            return
        }
        bytes.append(UInt8(ascii: ">"))
        for child in children {
            switch child {
            case .element(let element): element.serialized(into: &bytes, inside: inner)
            case .text(let text): bytes.appendEscaped(text, inAttribute: false)
            }
        }
        bytes.append(UInt8(ascii: "<"))
        bytes.append(UInt8(ascii: "/"))
        bytes.append(text: tag)
        bytes.append(UInt8(ascii: ">"))
    }

    private func writeAttributes(into bytes: inout [UInt8]) {
        var prefixes = 0
        // A bit for each name, so that only two with the same bit are compared.
        var seen: UInt64 = 0
        for index in attributes.indices {
            let name = attributes[index].name
            guard name.isXMLName else { continue }
            let bit = UInt64(1) &<< UInt64((name.utf8.first ?? 0) &+ (name.utf8.last ?? 0) &* 8 & 63)
            guard seen & bit == 0 || !attributes[..<index].contains(where: { $0.isNamed(like: attributes[index]) })
            else {
                continue
            }
            seen |= bit
            if let namespace = attributes[index].namespace, !namespace.isEmpty {
                if sameBytes(namespace, Namespace.xml) {
                    bytes.append(text: " xml:")
                } else {
                    guard namespace.isNamespaceName else { continue }
                    bytes.append(text: " xmlns:ns\(prefixes)='")
                    bytes.appendEscaped(namespace, inAttribute: true)
                    bytes.append(text: "' ns\(prefixes):")
                    prefixes += 1
                }
            } else {
                // It would be a declaration.
                guard !sameBytes(name, "xmlns") else { continue }
                bytes.append(UInt8(ascii: " "))
            }
            bytes.append(text: name)
            // Byte by byte: of a text so short most of the work is to begin.
            bytes.append(UInt8(ascii: "="))
            bytes.append(UInt8(ascii: "'"))
            bytes.appendEscaped(attributes[index].value, inAttribute: true)
            bytes.append(UInt8(ascii: "'"))
        }
    }
}

extension Element.Attribute {
    /// Whether both in one tag are one attribute twice (Namespaces in XML section 6.3).
    fileprivate func isNamed(like other: Element.Attribute) -> Bool {
        sameBytes(name, other.name) && sameBytes(namespace ?? "", other.namespace ?? "")
    }
}

extension [UInt8] {
    /// As its UTF-8.
    mutating func append(text: String) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { append(contentsOf: $0) }
        if isDone == nil { append(contentsOf: text.utf8) }
    }

    mutating func appendEscaped(_ text: String, inAttribute: Bool) {
        let isPlain = text.utf8.withContiguousStorageIfAvailable { buffer in
            let isPlain = UnsafeRawBufferPointer(buffer).needsNoEscapes
            if isPlain { append(contentsOf: buffer) }
            return isPlain
        }
        guard isPlain != true else { return }
        var text = text
        text.withUTF8 { buffer in
            for (index, byte) in buffer.enumerated() {
                switch byte {
                case UInt8(ascii: "&"): self += "&amp;".utf8
                case UInt8(ascii: "<"): self += "&lt;".utf8
                case UInt8(ascii: ">"): self += "&gt;".utf8
                case UInt8(ascii: "'"): self += "&apos;".utf8
                case UInt8(ascii: "\""): self += "&quot;".utf8
                // A reader makes these a line feed or a space where they stand for themselves (XML sections 2.11, 3.3.3).
                case 0x0D: self += "&#13;".utf8
                case 0x09 where inAttribute: self += "&#9;".utf8
                case 0x0A where inAttribute: self += "&#10;".utf8
                case 0x09, 0x0A: append(byte)
                case 0..<0x20: break
                case 0xEF where isNoncharacter(buffer, at: index): break
                case 0xBF where index >= 1 && isNoncharacter(buffer, at: index - 1): break
                case 0xBE...0xBF where index >= 2 && isNoncharacter(buffer, at: index - 2): break
                case _: append(byte)
                }
            }
        }
    }
}

/// Whether U+FFFE or U+FFFF (EF BF BE, EF BF BF) begins there.
private func isNoncharacter(_ buffer: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
    index + 2 < buffer.count && buffer[index] == 0xEF && buffer[index + 1] == 0xBF && buffer[index + 2] >= 0xBE
}
