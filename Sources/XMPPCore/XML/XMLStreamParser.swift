import CLibXML2

/// Turns the bytes of an XMPP stream into whole first-level elements (RFC 6120 section 11).
///
/// What is plain is read at once (`PlainStanza`). All else goes to libxml2's push parser; what it lets pass and XMPP does
/// not is refused here. Not thread-safe: it belongs to its connection's isolation.
///
/// Its variables are not checked for overlapping access at run time: none is lent out over a call, and the checks of some
/// hundred accesses would be a tenth of what a stanza costs.
package final class XMLStreamParser {
    /// The limits from now on.
    @exclusivity(unchecked) package var limits: XMLLimits
    /// Stanzas skipped because they were over a limit (see `XMLLimits.discardedBytes`).
    @exclusivity(unchecked) package private(set) var discardedStanzas = 0
    /// Contexts thrown away since the parser was made, because they had grown.
    @exclusivity(unchecked) package private(set) var renewedContexts = 0
    /// Names and namespaces that libxml2 looked at since the parser was made, to find others: what its time would be
    /// quadratic by.
    @exclusivity(unchecked) package private(set) var comparisons = 0

    /// Nil between two stanzas, where the pool has it.
    @exclusivity(unchecked) private var context: XMLContext?
    private let pool: XMLContextPool
    @exclusivity(unchecked) private var check = XMLByteCheck()
    @exclusivity(unchecked) private var events: [XMLStreamEvent] = []
    @exclusivity(unchecked) private var isFinished = false

    /// Bytes read, since the stream began.
    @exclusivity(unchecked) private var fed = 0
    /// Where `context` began reading, in the count of `fed`: not 0 once a context was renewed.
    @exclusivity(unchecked) private var contextStart = 0
    /// The end of the last first-level element, or of the white space after it.
    @exclusivity(unchecked) private var stanzaStart = 0
    /// The end of the last first-level element.
    @exclusivity(unchecked) private var lastEnd = 0

    /// Open elements, the stream's own included.
    @exclusivity(unchecked) private var depth = 0
    /// The stanza at hand may be as long as a result.
    @exclusivity(unchecked) private var isResult = false
    /// Set while the stanza at hand is being skipped: what is told of it.
    @exclusivity(unchecked) private var skipped: Element?
    /// Something of the tag that ends next was kept back, and with it perhaps a prefix's declaration: the stanza is skipped.
    @exclusivity(unchecked) private var isTagCut = false

    /// Where the context rests between two stanzas; nil before the header of the stream has come.
    @exclusivity(unchecked) private var shelf: XMLContextPool.Shelf?
    @exclusivity(unchecked) private var isRenewing = false
    @exclusivity(unchecked) private var renewAt: Int?
    @exclusivity(unchecked) private var namespaceFault: NamespaceFault?

    /// Names at which a stanza is skipped: libxml2's table gets no faster, and looks at each with the same place.
    private static let stanzaNames = 8192
    /// Bytes that are read at once: the limits that show between two readings are not passed by more.
    private static let readingBytes = 32_768

    private enum NamespaceFault {
        case notWellFormed
        /// A namespace that is no URI: well-formed, but nothing that anybody uses.
        case notURI
    }

    /// A parser at the begin of a stream.
    ///
    /// - Parameters:
    ///   - limits: How much is taken in.
    ///   - pool: Shared by the parsers of one isolation; nil where there is but one.
    package init(limits: XMLLimits, pool: XMLContextPool? = nil) {
        self.limits = limits
        self.pool = pool ?? XMLContextPool()
    }

    /// Bytes that have come since the last whole first-level element, white space included.
    ///
    /// Behind `<proceed/>` anything but 0 is plaintext that came with it (RFC 6120 section 5.4.3.3).
    package var unconsumedBytes: Int { fed - lastEnd }

    /// Names that libxml2 keeps for this stream.
    @exclusivity(unchecked) package private(set) var nameTableSize = 0

    /// Whether a first-level element has begun and not ended; white space between two is in none.
    package var isInsideStanza: Bool { fed > stanzaStart }

    /// Starts a new stream on the same connection.
    ///
    /// Never call this from inside `feed`.
    package func reset() {
        check = XMLByteCheck()
        events = []
        isFinished = false
        (fed, contextStart, stanzaStart, lastEnd, depth) = (0, 0, 0, 0, 0)
        shelf = nil
        (isRenewing, renewAt, namespaceFault, isTagCut) = (false, nil, nil, false)
        forgetStanza()
        context = nil
    }

    /// Reads the next bytes.
    ///
    /// - Returns: What they complete, in order. After `.failed` and `.closed` everything is ignored.
    package func feed(_ bytes: [UInt8]) -> [XMLStreamEvent] {
        var rest = bytes[...]
        var guesses = Self.guessBound
        while !isFinished, !rest.isEmpty {
            if isAtRest {
                readPlain(&rest)
                guesses = Self.guessBound
                guard !rest.isEmpty else { break }
            }
            let next = nextReading(rest)
            let wasSkipping = check.isSkipping
            let reading = check.scan(guesses > 0 && !wasSkipping ? next[..<possibleEnd(in: next)] : next, limits)
            guesses -= 1
            rest = rest.dropFirst(reading.count)
            if wasSkipping { fed += reading.count } else { read(reading.fine) }
            isTagCut = reading.isBeforeCutTagsEnd
            if !isFinished { checkSize(isSkipping: wasSkipping) }
            if !isFinished, let fault = reading.fault { fail(fault) }
            if !isFinished, reading.beginsSkipping { leaveToCheck() }
            if !isFinished, reading.endsSkipping { endSkipped() }
        }
        defer { events = [] }
        return events
    }

    /// Up to where the stanza at hand passes its limit, or its own tag ends behind that: so it is skipped from there on,
    /// wherever the reads cut it.
    private func nextReading(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let next = rest.prefix(Self.readingBytes)
        guard !check.isSkipping, !check.isInSurplus else { return next }
        let left = stanzaStart + sizeLimit + 1 - fed
        return left > 0 ? next.prefix(left) : next[..<next.endOfTag("")]
    }

    // MARK: What is skipped

    /// Gives up the context: the check looks for the stanza's end, and nobody reads what is before it.
    private func leaveToCheck() {
        refuse(.policyViolation)
        guard !isFinished else { return }
        context = nil
        renewedContexts += 1
        namespaceFault = nil
    }

    private func endSkipped() {
        (stanzaStart, lastEnd, depth, nameTableSize) = (fed, fed, 1, 0)
        noteDiscarded()
        forgetStanza()
    }

    private func noteDiscarded() {
        discardedStanzas += 1
        // Its own tag was read before anything of it was kept back.
        events.append(.discarded(skipped ?? Element("", namespace: "")))
    }

    // MARK: Plain stanzas

    /// Between two stanzas, with nothing begun: where each reader can go on.
    private var isAtRest: Bool { depth == 1 && context == nil && !isInsideStanza && check.isInPlainText }

    /// Reads plain stanzas and the white space around them, up to one that is not plain or not whole.
    ///
    /// Whether it is takes one look at it: the other reader goes on to its end.
    private func readPlain(_ rest: inout ArraySlice<UInt8>) {
        guard let shelf else { return }
        let (count, end) = PlainStanza.readAll(
            rest, inside: shelf.namespace, limits, pool.namespaces, into: &events)
        if let end { lastEnd = fed + end }
        fed += count
        stanzaStart = fed
        check.passOver(count)
        rest = rest.dropFirst(count)
    }

    /// How often in a row it is guessed where a stanza ends: its tag may end it, and an end tag like its own.
    private static let guessBound = 2

    /// Where the stanza at hand may end, so that one behind it can be plain again.
    private func possibleEnd(in bytes: ArraySlice<UInt8>) -> Int {
        // Before its tag has ended, any tag may be its own.
        bytes.endOfTag(depth > 1 ? (skipped ?? context?.open.first)?.name ?? "" : "")
    }

    // MARK: All others

    private func read(_ bytes: ArraySlice<UInt8>) {
        let before = fed
        fed += bytes.count
        bytes.withUnsafeBytes { buffer in
            var begin = 0
            if context == nil {
                begin = skipSpace(buffer)
                guard begin < buffer.count else { return }
                takeContext(at: before + begin)
            }
            let end = max(begin, buffer.endBehindTag)
            while begin < end, !isFinished {
                renewAt = nil
                parse(UnsafeRawBufferPointer(rebasing: buffer[begin..<end]))
                guard !isFinished, let position = renewAt else { break }
                // Each turn ends behind a further stanza, so this ends.
                begin = min(max(begin + 1, position - before), end)
                renew(at: before + begin)
            }
            guard end < buffer.count, !isFinished else { return }
            if depth == 1, context?.isAtRest == true {
                stanzaStart += buffer.count - end
            } else {
                parse(UnsafeRawBufferPointer(rebasing: buffer[end...]))
            }
        }
        putContext()
    }

    /// White space between stanzas needs no context: it would wait there for the next stanza.
    private func skipSpace(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard depth == 1 else { return 0 }
        let count = bytes.firstIndex { !isXMLSpace($0) } ?? bytes.count
        stanzaStart += count
        return count
    }

    private func takeContext(at position: Int) {
        if depth == 0 {
            context = XMLContext()
            contextStart = position
        } else if let known = shelf?.take() {
            context = known
            contextStart = position - known.consumed
        } else {
            renewAt = nil
            read(headerAgainAt: position)
        }
        if context == nil { fail(.resourceConstraint) }
    }

    /// Between two stanzas the context is the pool's.
    private func putContext() {
        guard let context else { return }
        if isFinished {
            self.context = nil
        } else if depth == 1, context.isAtRest {
            // White space may have been written as references, which are longer than it is.
            stanzaStart = fed
            shelf?.put(context)
            self.context = nil
        } else if depth == 1, context.isInContent {
            // It waits for the end of a text, which between stanzas is decided by its first byte.
            switch context.unread.first(where: { !isXMLSpace($0) }) {
            case nil:
                stanzaStart = fed
                self.context = nil
            case UInt8(ascii: "<"), UInt8(ascii: "&"): break
            case _: fail(.badFormat)
            }
        }
    }

    /// Bytes that the stanza at hand may have.
    private var sizeLimit: Int { isResult ? max(limits.resultBytes, limits.stanzaBytes) : limits.stanzaBytes }

    private func checkSize(isSkipping: Bool) {
        if limits.discardedBytes == 0, isTagCut || check.isInSurplus { return fail(.policyViolation) }
        if isSkipping || check.isInSurplus {
            if check.weight > limits.discardedBytes { fail(.policyViolation) }
            return
        }
        guard !check.isSkipping,
            fed - stanzaStart > sizeLimit || (context?.nameCount ?? 0) > Self.stanzaNames
        else { return }
        // Of a tag that is not at its end, the byte check hands on so much only.
        guard depth != 1 || limits.discardedBytes == 0 else { return }
        refuse(.policyViolation)
        if !isFinished, check.skip() { leaveToCheck() }
    }

    private func parse(_ bytes: UnsafeRawBufferPointer) {
        guard let context = context?.pointer else { return }
        context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
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

    /// Replaces the context by one that has read the stream header only.
    private func renew(at position: Int) {
        renewAt = nil
        renewedContexts += 1
        read(headerAgainAt: position)
        if context == nil { fail(.resourceConstraint) }
    }

    private func read(headerAgainAt position: Int) {
        let header = shelf?.header ?? []
        context = XMLContext()
        depth = 0
        contextStart = position - header.count
        isRenewing = true
        header.withUnsafeBytes(parse)
        isRenewing = false
        if depth != 1, !isFinished { fail(.resourceConstraint) }
    }

    private var position: Int { context.map { contextStart + $0.consumed } ?? fed }

    private func fail(_ condition: StreamError.Condition) {
        guard !isFinished else { return }
        isFinished = true
        events.append(.failed(StreamError(condition)))
        xmlStopParser(context?.pointer)
    }

    /// Begins to skip the stanza at hand, or ends the stream where there is none or the limits say so.
    ///
    /// The tag is the stanza's own, where that is not yet among the open elements.
    private func refuse(_ condition: StreamError.Condition, _ tag: StartTag? = nil) {
        guard depth >= 2, limits.discardedBytes > 0, !isRenewing else { return fail(condition) }
        if skipped == nil {
            skipped = context?.open.first ?? tag?.identity(nameBytes: limits.nameBytes)
            skipped?.children = []
        }
        context?.forget()
    }

    private func forgetStanza() {
        (skipped, isResult) = (nil, false)
        context?.forget()
    }
}

// What libxml2 calls while it is in `xmlParseChunk`.
extension XMLStreamParser {
    func started(_ tag: StartTag) {
        guard !isFinished else { return }
        context?.flushText()
        depth += 1
        // It is of the first tag that ends behind the surplus.
        let isTagCut = self.isTagCut && !isRenewing
        if isTagCut { self.isTagCut = false }
        guard let context else { return }
        comparisons += context.comparisons(attributes: tag.attributes.count / 5, tag.declarations.count / 2)
        if context.pointer.pointee.nsWellFormed == 0 {
            guard namespaceFault == .notURI || isTagCut else { return fail(.badNamespacePrefix) }
            namespaceFault = nil
            context.pointer.pointee.nsWellFormed = 1
            context.pointer.pointee.errNo = 0
            return refuse(.badNamespacePrefix, tag)
        }
        guard skipped == nil else { return }
        guard !isTagCut, tag.attributeCount <= limits.attributes, depth - 1 <= limits.depth else {
            return refuse(.policyViolation, tag)
        }
        let element = tag.element(&context.names)
        guard element.name.utf8.count <= limits.nameBytes,
            element.attributes.allSatisfy({ $0.name.utf8.count <= limits.nameBytes })
        else { return refuse(.policyViolation, tag) }
        if depth > 1 {
            if depth == 2 {
                isResult =
                    element.matches("iq", Namespace.client) && sameBytes(element[attribute: "type"] ?? "", "result")
            }
            context.open.append(element)
        } else if !isRenewing {
            shelf = pool.shelf(behind: tag)
            // The callback comes before libxml2 has taken the `>`.
            stanzaStart = position + 1
            lastEnd = stanzaStart
            events.append(.opened(element))
        }
    }

    func ended() {
        guard !isFinished else { return }
        context?.flushText()
        depth -= 1
        switch depth {
        case 0:
            isFinished = true
            events.append(.closed)
            xmlStopParser(context?.pointer)
        case 1:
            finishStanza()
        case _:
            if skipped == nil { context?.closeElement() }
        }
    }

    private func finishStanza() {
        let end = position
        if end - stanzaStart > sizeLimit { refuseWhole() }
        guard !isFinished else { return }
        stanzaStart = end
        lastEnd = end
        if skipped != nil {
            noteDiscarded()
        } else if let element = context?.open.first {
            // One read often has several.
            if events.isEmpty { events.reserveCapacity(4) }
            events.append(.element(element))
        }
        forgetStanza()
        nameTableSize = context?.nameCount ?? 0
        if context?.hasGrown == true {
            renewAt = end
            xmlStopParser(context?.pointer)
        }
    }

    /// Refuses a stanza at its end: its size is known only now.
    private func refuseWhole() {
        guard limits.discardedBytes > 0 else { return fail(.policyViolation) }
        if skipped == nil { skipped = context?.open.first }
        skipped?.children = []
        if check.weight > limits.discardedBytes { fail(.policyViolation) }
    }

    func found(text bytes: UnsafeBufferPointer<UInt8>) {
        guard !isFinished else { return }
        guard depth > 1 else {
            // White space between stanzas keeps a connection alive; anything else does not belong there.
            if bytes.allSatisfy(isXMLSpace) { stanzaStart += bytes.count } else { fail(.badFormat) }
            return
        }
        if skipped == nil { context?.text += bytes }
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
