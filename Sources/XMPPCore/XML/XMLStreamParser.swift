import CLibXML2

/// Turns the bytes of an XMPP stream into whole first-level elements (RFC 6120 section 11).
///
/// libxml2's push parser does the reading; what it lets pass and XMPP does not is refused here. Not thread-safe: it
/// belongs to its connection's isolation.
package final class XMLStreamParser {
    /// The limits from now on.
    package var limits: XMLLimits
    /// Stanzas dropped because they were over a limit (see `XMLLimits.discardedBytes`).
    package private(set) var discardedStanzas = 0
    /// Contexts thrown away since the parser was made, because they had grown.
    package private(set) var renewedContexts = 0

    private var context: xmlParserCtxtPtr?
    private var check = XMLByteCheck()
    private var events: [XMLStreamEvent] = []
    private var isFinished = false

    /// Bytes given to libxml2, since the stream began.
    private var fed = 0
    /// Where `context` began reading, in the count of `fed`: not 0 once a context was renewed.
    private var contextStart = 0
    /// The end of the last first-level element, or of the white space after it.
    private var stanzaStart = 0
    /// The end of the last first-level element.
    private var lastEnd = 0

    /// Open elements, the stream's own included.
    private var depth = 0
    /// Open elements of the stanza at hand; empty while it is being discarded.
    private var open: [Element] = []
    private var text: [UInt8] = []
    private var isDiscarding = false
    /// The start tag of the first-level element at hand, or what is kept of it.
    private var firstTag: Element?
    /// Attributes of the stanza at hand were kept back, and with them perhaps a prefix's declaration: it is dropped.
    private var isCut = false

    private var header: [UInt8] = []
    private var isRenewing = false
    private var renewAt: Int?
    private var namespaceFault: NamespaceFault?

    /// Names at which a context is thrown away.
    ///
    /// libxml2 keeps every name it has ever seen, so that a peer with new names in each stanza would fill the memory.
    private static let dictionaryBound: Int32 = 4096

    /// Levels at which the stream ends even where the stanza is dropped: more than any server takes from a stranger,
    /// and libxml2 keeps each.
    private static let depthBound = 200_000

    private enum NamespaceFault {
        case notWellFormed
        /// A namespace that is no URI: well-formed, but nothing that anybody uses.
        case notURI
    }

    package init(limits: XMLLimits) {
        self.limits = limits
        makeContext()
    }

    deinit {
        xmlFreeParserCtxt(context)
    }

    /// Bytes that have come since the last whole first-level element, white space included.
    ///
    /// Behind `<proceed/>` anything but 0 is plaintext that came with it (RFC 6120 section 5.4.3.3).
    package var unconsumedBytes: Int { fed - lastEnd }

    /// Starts a new stream on the same connection.
    ///
    /// Never call this from inside `feed`.
    package func reset() {
        check = XMLByteCheck()
        events = []
        isFinished = false
        (fed, contextStart, stanzaStart, lastEnd, depth) = (0, 0, 0, 0, 0)
        (open, text, header) = ([], [], [])
        (isDiscarding, isCut, isRenewing, renewAt, namespaceFault) = (false, false, false, nil, nil)
        makeContext()
    }

    /// Reads the next bytes.
    ///
    /// - Returns: What they complete, in order. After `.failed` and `.closed` everything is ignored.
    package func feed(_ bytes: [UInt8]) -> [XMLStreamEvent] {
        guard !isFinished else { return [] }
        let (fine, fault) = check.scan(bytes)
        let before = fed
        fed += fine.count
        fine.withUnsafeBytes { buffer in
            var begin = 0
            while begin < buffer.count, !isFinished {
                renewAt = nil
                parse(UnsafeRawBufferPointer(rebasing: buffer[begin...]))
                guard !isFinished, let position = renewAt else { break }
                // Each turn ends behind a further stanza, so this ends.
                begin = min(max(begin + 1, position - before), buffer.count)
                renew(at: before + begin)
            }
        }
        // What is kept back counts too, or a tag could go on for ever.
        if check.isInSurplus { stanzaStart -= max(0, bytes.count - fine.count) }
        if !isFinished { checkSize() }
        if !isFinished, let fault { fail(fault) }
        defer { events = [] }
        return events
    }

    private func checkSize() {
        let size = fed - stanzaStart
        guard size > limits.stanzaBytes else { return }
        if size > limits.discardedBytes {
            fail(.policyViolation)
        } else if depth >= 2 {
            refuse(.policyViolation)
        }
    }

    private func parse(_ bytes: UnsafeRawBufferPointer) {
        let code = xmlParseChunk(
            context,
            bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
            Int32(clamping: bytes.count),
            0
        )
        guard !isFinished, renewAt == nil, code != 0 else { return }
        switch UInt32(bitPattern: code) {
        case XML_ERR_UNDECLARED_ENTITY.rawValue, XML_WAR_UNDECLARED_ENTITY.rawValue: fail(.restrictedXML)
        case _: fail(.notWellFormed)
        }
    }

    private func makeContext() {
        _ = libraryIsReady
        xmlFreeParserCtxt(context)
        var handler = saxHandler()
        context = xmlCreatePushParserCtxt(&handler, Unmanaged.passUnretained(self).toOpaque(), nil, 0, nil)
        // Only the two: no DTD is ever loaded, no entity replaced, and UTF-8 is the encoding whatever a header says.
        xmlCtxtUseOptions(
            context,
            Int32(bitPattern: XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue)
        )
        if context == nil { fail(.resourceConstraint) }
    }

    /// Replaces the context by one that has read the stream header only.
    private func renew(at position: Int) {
        renewAt = nil
        renewedContexts += 1
        makeContext()
        depth = 0
        contextStart = position - header.count
        isRenewing = true
        header.withUnsafeBytes(parse)
        isRenewing = false
        if depth != 1, !isFinished { fail(.resourceConstraint) }
    }

    private var position: Int { contextStart + max(0, xmlByteConsumed(context)) }

    private func fail(_ condition: StreamError.Condition) {
        guard !isFinished else { return }
        isFinished = true
        events.append(.failed(StreamError(condition)))
        (open, text) = ([], [])
        xmlStopParser(context)
    }

    /// Drops the stanza at hand, or ends the stream where there is none or the limits say so.
    private func refuse(_ condition: StreamError.Condition) {
        guard depth >= 2, limits.discardedBytes > 0, !isRenewing else { return fail(condition) }
        isDiscarding = true
        (open, text) = ([], [])
    }
}

// What libxml2 calls while it is in `xmlParseChunk`.
extension XMLStreamParser {
    func started(_ tag: StartTag) {
        guard !isFinished else { return }
        guard depth < Self.depthBound else { return fail(.policyViolation) }
        if tag.attributeCount >= XMLByteCheck.attributeBound { isCut = true }
        if context?.pointee.nsWellFormed == 0 {
            guard namespaceFault == .notURI || isCut else { return fail(.badNamespacePrefix) }
            namespaceFault = nil
            context?.pointee.nsWellFormed = 1
            context?.pointee.errNo = 0
            depth += 1
            if depth == 2 { firstTag = tag.identity(within: limits) }
            return refuse(.badNamespacePrefix)
        }
        flushText()
        depth += 1
        if depth == 2 { firstTag = tag.identity(within: limits) }
        guard !isDiscarding else { return }
        guard tag.attributeCount <= limits.attributes, depth - 1 <= limits.depth else {
            return refuse(.policyViolation)
        }
        let element = tag.element
        guard element.name.utf8.count <= limits.nameBytes,
            element.attributes.allSatisfy({ $0.name.utf8.count <= limits.nameBytes })
        else { return refuse(.policyViolation) }
        if depth > 1 {
            open.append(element)
        } else if !isRenewing {
            header = tag.headerBytes
            // The callback comes before libxml2 has taken the `>`.
            stanzaStart = position + 1
            lastEnd = stanzaStart
            events.append(.opened(element))
        }
    }

    func ended() {
        guard !isFinished else { return }
        flushText()
        depth -= 1
        switch depth {
        case 0:
            isFinished = true
            events.append(.closed)
            xmlStopParser(context)
        case 1:
            finishStanza()
        case _:
            guard !isDiscarding, let element = open.popLast(), !open.isEmpty else { return }
            open[open.count - 1].children.append(.element(element))
        }
    }

    private func finishStanza() {
        let end = position
        let size = end - stanzaStart
        let isTooBig = size > limits.stanzaBytes
        stanzaStart = end
        lastEnd = end
        if isTooBig, size > limits.discardedBytes { return fail(.policyViolation) }
        let isDropped = isDiscarding || isTooBig
        if isDropped {
            discardedStanzas += 1
            if let firstTag { events.append(.discarded(firstTag)) }
        } else if let element = open.first {
            events.append(.element(element))
        }
        (isDiscarding, isCut, firstTag) = (false, false, nil)
        open = []
        // What was over the limits may have been thousands of levels deep, and libxml2 keeps its stacks.
        if isDropped || xmlDictSize(context?.pointee.dict) > Self.dictionaryBound {
            renewAt = end
            xmlStopParser(context)
        }
    }

    func found(text bytes: UnsafeBufferPointer<UInt8>) {
        guard !isFinished else { return }
        guard depth > 1 else {
            // White space between stanzas keeps a connection alive; anything else does not belong there.
            if bytes.allSatisfy(isXMLSpace) { stanzaStart += bytes.count } else { fail(.badFormat) }
            return
        }
        if !isDiscarding { text += bytes }
    }

    private func flushText() {
        guard !text.isEmpty else { return }
        if !open.isEmpty {
            open[open.count - 1].children.append(.text(String(decoding: text, as: UTF8.self)))
        }
        text.removeAll(keepingCapacity: text.capacity <= 4096)
    }

    func foundRestrictedXML() {
        fail(.restrictedXML)
    }

    func found(error: xmlError) {
        guard UInt32(bitPattern: error.domain) == XML_FROM_NAMESPACE.rawValue else { return }
        switch UInt32(bitPattern: error.code) {
        case XML_WAR_NS_URI.rawValue: if namespaceFault == nil { namespaceFault = .notURI }
        case XML_WAR_NS_URI_RELATIVE.rawValue: break
        case _: namespaceFault = .notWellFormed
        }
    }
}

private let libraryIsReady: Void = xmlInitParser()
