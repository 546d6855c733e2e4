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
    @exclusivity(unchecked) package internal(set) var renewedContexts = 0
    /// Names and namespaces that libxml2 looked at since the parser was made, to find others: what its time would be
    /// quadratic by.
    @exclusivity(unchecked) package internal(set) var comparisons = 0

    /// Nil between two stanzas, where the pool has it.
    @exclusivity(unchecked) var context: XMLContext?
    let pool: XMLContextPool
    @exclusivity(unchecked) var check = XMLByteCheck()
    @exclusivity(unchecked) var events: [XMLStreamEvent] = []
    @exclusivity(unchecked) var isFinished = false

    /// Bytes read, since the stream began.
    @exclusivity(unchecked) var fed = 0
    /// Where `context` began reading, in the count of `fed`: not 0 once a context was renewed.
    @exclusivity(unchecked) var contextStart = 0
    /// The end of the last first-level element, or of the white space after it.
    @exclusivity(unchecked) var stanzaStart = 0
    /// The end of the last first-level element.
    @exclusivity(unchecked) var lastEnd = 0

    /// Open elements, the stream's own included.
    @exclusivity(unchecked) var depth = 0
    /// The stanza at hand may be as long as a result.
    @exclusivity(unchecked) var isResult = false
    /// Set while the stanza at hand is being skipped: what is told of it.
    @exclusivity(unchecked) var skipped: Element?
    /// Something of the tag that ends next was kept back, and with it perhaps a prefix's declaration: the stanza is skipped.
    @exclusivity(unchecked) var isTagCut = false

    /// Where the context rests between two stanzas; nil before the header of the stream has come.
    @exclusivity(unchecked) var shelf: XMLContextPool.Shelf?
    @exclusivity(unchecked) var isRenewing = false
    @exclusivity(unchecked) var renewAt: Int?
    @exclusivity(unchecked) var namespaceFault: NamespaceFault?

    /// Names at which a stanza is skipped: libxml2's table gets no faster, and looks at each with the same place.
    private static let stanzaNames = 8192
    /// Bytes that are read at once: the limits that show between two readings are not passed by more.
    private static let readingBytes = 32_768

    enum NamespaceFault {
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
    @exclusivity(unchecked) package internal(set) var nameTableSize = 0

    /// What is kept for the stanza at hand at most: its bytes that were read and not skipped, and libxml2's names.
    package var heldBytes: Int { context.map { fed - stanzaStart + $0.nameBytes } ?? 0 }

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

    func noteDiscarded() {
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

    // MARK: Limits

    /// Bytes that the stanza at hand may have.
    var sizeLimit: Int { isResult ? max(limits.resultBytes, limits.stanzaBytes) : limits.stanzaBytes }

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

    var position: Int { context.map { contextStart + $0.consumed } ?? fed }

    func fail(_ condition: StreamError.Condition) {
        guard !isFinished else { return }
        isFinished = true
        events.append(.failed(StreamError(condition)))
        xmlStopParser(context?.pointer)
    }

    /// Begins to skip the stanza at hand, or ends the stream where there is none or the limits say so.
    ///
    /// The tag is the stanza's own, where that is not yet among the open elements.
    func refuse(_ condition: StreamError.Condition, _ tag: StartTag? = nil) {
        guard depth >= 2, limits.discardedBytes > 0, !isRenewing else { return fail(condition) }
        if skipped == nil {
            skipped = context?.open.first ?? tag?.identity(nameBytes: limits.nameBytes)
            skipped?.children = []
        }
        context?.forget()
    }

    func forgetStanza() {
        (skipped, isResult) = (nil, false)
        context?.forget()
    }
}
