import CLibXML2

extension String {
    /// Whether it may be declared as a namespace, so that our own reader takes it: a URI reference that is none of XML's own
    /// (Namespaces in XML sections 2.1 and 3).
    ///
    /// The empty one is for a default only.
    var isNamespaceName: Bool {
        let isPlain = utf8.withContiguousStorageIfAvailable { PlainNamespaces.isURI(UnsafeRawBufferPointer($0)) }
        return isPlain == true || isUnusualURI
    }

    /// As libxml2 finds it in a declaration, where an ampersand is a reference still (see `StartTag.unescaped`).
    private var isUnusualURI: Bool {
        guard !isEmpty, !PlainNamespaces.isReserved(self), !utf8.contains(0) else { return false }
        var text: [UInt8] = []
        for byte in utf8 {
            if byte == UInt8(ascii: "&") { text += "&#38;".utf8 } else { text.append(byte) }
        }
        text.append(0)
        let uri = text.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { xmlParseURI($0) } }
        }
        guard let uri else { return false }
        xmlFreeURI(uri)
        return true
    }
}
