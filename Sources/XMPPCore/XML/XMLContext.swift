import CLibXML2

/// A context of libxml2, which reads one stream, or at rest waits for another.
///
/// It is some 8 KiB, of which a connection needs nothing between two stanzas: there, all that a context knows of its stream
/// is the names of the header's tag. So connections to servers with the same header borrow from each other (see
/// `XMLContextPool`). Overlapping access is not checked at run time: one parser at a time has it, and lends nothing out.
final class XMLContext {
    let pointer: xmlParserCtxtPtr
    /// The texts of its names.
    @exclusivity(unchecked) var names = XMLNames()
    /// Open elements of the stanza at hand, and text that was not joined to one yet: for whoever reads with it.
    @exclusivity(unchecked) var open: [Element] = []
    @exclusivity(unchecked) var text: [UInt8] = []

    /// A context at the begin of a stream; nil where there is no memory.
    init?() {
        _ = libraryIsReady
        var handler = saxHandler()
        guard let pointer = xmlCreatePushParserCtxt(&handler, nil, nil, 0, nil) else { return nil }
        // No DTD is ever loaded, no entity replaced, and UTF-8 is the encoding: `XMLDeclaration` refuses what says otherwise. libxml2's own
        // limits are lifted: at a name of 50,000 bytes they would end the stream, and ours are in front of them.
        xmlCtxtUseOptions(
            pointer,
            Int32(bitPattern: XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue | XML_PARSE_HUGE.rawValue)
        )
        self.pointer = pointer
    }

    deinit {
        xmlFreeParserCtxt(pointer)
    }

    /// Bytes that it has read.
    var consumed: Int { max(0, xmlByteConsumed(pointer)) }

    /// Names that it keeps.
    var nameCount: Int { Int(xmlDictSize(pointer.pointee.dict)) }

    /// Bytes that it keeps for names.
    var nameBytes: Int { Int(xmlDictGetUsage(pointer.pointee.dict)) }

    /// Names and namespaces that are looked at for a tag.
    func comparisons(attributes: Int, _ declarations: Int) -> Int {
        let names = 1 + attributes + declarations
        // The table has 4608 places at most. Each attribute is compared with those before it, and so are declarations.
        let perName = Int(pointer.pointee.nsNr) / 2 + nameCount / 4608
        return names * perName + (attributes * attributes + declarations * declarations) / 2
    }

    /// Whether it is to be thrown away.
    ///
    /// libxml2 keeps every name it has ever seen, so that a peer with new names in each stanza, or with few that are as long
    /// as a stanza, would fill the memory.
    var hasGrown: Bool { nameCount > 4096 || nameBytes > 524_288 }

    // MARK: The stanza at hand

    /// The last open element has ended: it is one of its parent's children.
    func closeElement() {
        guard open.count > 1, let element = open.popLast() else { return }
        open[open.count - 1].children.append(.element(element))
    }

    /// Text has ended: it is a child of the last open element.
    func flushText() {
        guard !text.isEmpty else { return }
        if !open.isEmpty {
            open[open.count - 1].children.append(.text(String(decoding: text, as: UTF8.self)))
        }
        text.removeAll(keepingCapacity: text.capacity <= 4096)
    }

    func forget() {
        open.removeAll(keepingCapacity: open.capacity <= 64)
        text.removeAll(keepingCapacity: text.capacity <= 4096)
    }

    // MARK: -

    /// Whether it stands behind a first-level element, with nothing unread and nothing wrong: as it would stand in any
    /// stream with the same header.
    var isAtRest: Bool {
        let context = pointer.pointee
        return isInContent && context.nameNr == 1 && context.wellFormed == 1 && context.nsWellFormed == 1
            && context.errNo == 0 && context.disableSAX == 0 && context.inputNr == 1 && unread.isEmpty
    }

    /// Whether it is in no tag, reference or section.
    var isInContent: Bool { pointer.pointee.instate == XML_PARSER_CONTENT }

    /// Bytes that it was given and has not made anything of.
    var unread: UnsafeBufferPointer<UInt8> {
        guard let input = pointer.pointee.input?.pointee, let begin = input.cur, let end = input.end, end > begin else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        return UnsafeBufferPointer(start: begin, count: end - begin)
    }
}

private let libraryIsReady: Void = xmlInitParser()
