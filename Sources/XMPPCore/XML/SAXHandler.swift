import CLibXML2

private func parser(_ data: UnsafeMutableRawPointer?) -> XMLStreamParser? {
    data.map { Unmanaged<XMLStreamParser>.fromOpaque($0).takeUnretainedValue() }
}

/// The callbacks; libxml2 copies the table.
///
/// They stand in a file without isolation, since libxml2 calls them on whatever thread it is called on.
func saxHandler() -> xmlSAXHandler {
    var handler = xmlSAXHandler()
    handler.initialized = UInt32(XML_SAX2_MAGIC)
    handler.startElementNs = { data, name, prefix, namespace, namespaceCount, namespaces, count, _, attributes in
        let tag = StartTag(
            name: name,
            prefix: prefix,
            namespace: namespace,
            declarations: UnsafeBufferPointer(start: namespaces, count: 2 * max(0, Int(namespaceCount))),
            attributes: UnsafeBufferPointer(start: attributes, count: 5 * max(0, Int(count)))
        )
        parser(data)?.started(tag)
    }
    handler.endElementNs = { data, _, _, _ in parser(data)?.ended() }
    handler.characters = { data, bytes, count in
        parser(data)?.found(text: UnsafeBufferPointer(start: bytes, count: max(0, Int(count))))
    }
    handler.ignorableWhitespace = handler.characters
    handler.internalSubset = { data, _, _, _ in parser(data)?.foundRestrictedXML() }
    handler.processingInstruction = { data, _, _ in parser(data)?.foundRestrictedXML() }
    handler.comment = { data, _ in parser(data)?.foundRestrictedXML() }
    handler.serror = { data, error in
        if let error { parser(data)?.found(error: error.pointee) }
    }
    return handler
}
