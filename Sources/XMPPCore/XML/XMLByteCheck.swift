/// Looks at a stream's raw bytes before the XML parser does.
///
/// It refuses what libxml2 would take, or would take long over: bytes that are not UTF-8 (a server that reads them
/// differently could be made to relay a smuggled stanza), an encoding other than UTF-8, DTDs and comments (RFC 6120
/// section 11.1).
///
/// And it applies the limits for which libxml2 would need more than linear time: it looks at all attributes of a tag for
/// each, and at all namespaces in scope for each name. A stanza past one of them is kept back from there to its end, which
/// is looked for here (docs/design/013-over-the-limits.md); a stranger's stanza never ends the stream. Where it is the
/// stanza's own tag, the attributes by which it is answered are handed on first (`SurplusAttributes`).
struct XMLByteCheck {
    /// Bytes of one tag that are handed on, to the end of the attribute that they end in: libxml2 keeps a tag until its end.
    static let tagBound = 262_144
    /// Bytes of a value that are handed on in any case; behind them it is cut where the tag is over its bound.
    ///
    /// Whatever references it is written with (`referenceBound`), what is left is longer than any address, so that a cut
    /// value is never taken for a whole one.
    static let valueBound = 131_072

    /// How much longer a stanza is, as written, than what its sender wrote: at more the stream ends in any case.
    ///
    /// Servers declare a namespace again at each element.
    private static let lengthening = 64

    /// Longer than any character reference that is written for a person.
    static let referenceBound = 32
    /// The bytes of `xmlns`.
    static let declarationCount = 5
    static let section = Array("[CDATA[".utf8)

    /// What came of some bytes.
    struct Reading {
        /// What is to be parsed.
        var fine: ArraySlice<UInt8>
        /// How many bytes were looked at: not all where one of the following is so.
        var count = 0
        /// The next byte ends a tag of which something was kept back.
        var isBeforeCutTagsEnd = false
        /// From the next byte on the stanza at hand is kept back.
        var beginsSkipping = false
        /// The stanza that was kept back has ended.
        var endsSkipping = false
        var fault: StreamError.Condition?
    }

    var utf8 = UTF8State()
    var declaration = XMLDeclaration()
    var markup = Markup.start
    var limits = XMLLimits()
    var attributes = 0
    /// Bytes of the reference at hand, its ampersand included; 0 where there is none.
    var reference = 0
    var surplus = SurplusAttributes()
    var isAtCutTagsEnd = false

    /// Open elements, the stream's own included.
    private(set) var open = 0
    private(set) var isEndTag = false
    var isEmptyTag = false
    /// Namespaces that the tag at hand declares.
    var declared = 0
    private var scope = NamespaceScope()

    /// Whether the stanza at hand is kept back, and what is counted of it.
    private(set) var isSkipping = false
    var skipped = SkippedStanza()

    /// Bytes looked at since the stream began.
    var scanned = 0
    /// Where the stanza at hand began, in that count.
    private var stanzaStart = 0
    /// Where the text at hand began, later by what references are longer than their characters.
    var textStart = 0
    /// Where the tag and the value at hand began, in that count.
    var tagStart = 0
    var valueStart = 0

    /// Goes on behind bytes that others have looked at, from text to text.
    mutating func passOver(_ count: Int) { scanned += count }

    /// Checks the next bytes.
    ///
    /// It stops at a fault, before the end of a tag that was cut, and where what is kept back begins or ends; the caller goes
    /// on with the rest.
    mutating func scan(_ all: ArraySlice<UInt8>, _ limits: XMLLimits) -> Reading {
        self.limits = limits
        let isOver = isSkipping || isInSurplus
        var reading = isSkipping ? scanSkipped(all) : scanTaken(all)
        if isOver, scanned - stanzaStart > Self.lengthening * limits.discardedBytes {
            reading.fault = .policyViolation
        }
        return reading
    }

    /// What counts of the stanza at hand for `XMLLimits.discardedBytes`: what was kept back, and text.
    var weight: Int { skipped.weight + (isInSurplus ? surplus.tag.weight : 0) }

    /// Keeps the rest of the stanza at hand back.
    ///
    /// - Returns: Whether there is a rest.
    mutating func skip() -> Bool {
        guard open > 1 else { return false }
        beginSkipping()
        return true
    }

    mutating func beginSkipping() {
        defer { isSkipping = true }
        switch markup {
        case .text:
            // A reference at hand counts when it ends, and so do brackets.
            textEnded(at: scanned - reference)
            skipped.begin()
        case .cdata(let brackets, _):
            textEnded(at: scanned - brackets)
            skipped.begin()
        case .quoted(_, let isDeclaration): skipped.begin(insideDeclaration: isDeclaration)
        case _: skipped.begin()
        }
        (scope, declared) = (NamespaceScope(), 0)
    }

    /// The end of the stanza that was kept back.
    mutating func endSkipping() {
        isSkipping = false
    }

    private mutating func scanTaken(_ all: ArraySlice<UInt8>) -> Reading {
        let plain = all.withUnsafeBytes { scanPlain($0) }
        scanned += plain
        guard plain < all.count else { return Reading(fine: all, count: plain) }
        let bytes = all.dropFirst(plain)
        /// A copy without the surplus, once there is any.
        var kept: [UInt8]?
        var quietEnd = self.quietEnd(in: bytes)
        var end = bytes.endIndex
        var reading = Reading(fine: all)
        for index in bytes.indices {
            let byte = bytes[index]
            if index < quietEnd, Self.isOrdinary(byte) {
                kept?.append(byte)
                continue
            }
            if case .surplus = markup, byte == UInt8(ascii: ">"), !isAtCutTagsEnd {
                isAtCutTagsEnd = true
                reading.isBeforeCutTagsEnd = true
                end = index
                break
            }
            let position = scanned + index - bytes.startIndex
            if let quote = quoteToCut(at: position) {
                if kept == nil { kept = Array(all[..<index]) }
                kept?.append(quote)
            }
            let wasInSurplus = isInSurplus
            var output = lineEnd(byte)
            if wasInSurplus || output != nil, kept == nil { kept = Array(all[..<index]) }
            reading.fault =
                utf8.accepts(byte)
                ? (wasInSurplus ? skip(byte, at: position, &output) : advance(byte, at: position))
                : fault(of: byte, at: position)
            if reading.fault != nil {
                end = index
                break
            }
            if wasInSurplus || output != nil { kept? += output ?? [] } else { kept?.append(byte) }
            if isSkipping || wasInSurplus && !isInSurplus {
                // Behind a tag that was cut, how much is read next is decided anew.
                reading.beginsSkipping = isSkipping
                end = index + 1
                break
            }
            quietEnd = self.quietEnd(in: bytes, from: index + 1)
        }
        reading.count = end - all.startIndex
        scanned += end - bytes.startIndex
        reading.fine = kept?[...] ?? all[..<end]
        return reading
    }

    // MARK: Open elements

    mutating func tagBegan(_ byte: UInt8, at position: Int) {
        (attributes, declared, isEmptyTag, tagStart) = (0, 0, false, position)
        isEndTag = byte == UInt8(ascii: "/")
        guard open == 1 else { return }
        stanzaStart = position
        if skipped.weight > 0 { skipped = SkippedStanza() }
    }

    /// Text has ended; between two stanzas there is none, and of what is kept back it is counted as it comes.
    mutating func textEnded(at position: Int) {
        if open > 1, !isSkipping { skipped.foundText(position - textStart) }
    }

    mutating func tagEnded(at position: Int) {
        textStart = position + 1
        if isEndTag {
            scope.leave(open)
            open -= 1
        } else if !isEmptyTag {
            open += 1
            // What the header declares is not the stanzas'.
            if declared > 0, open > 1 { scope.enter(open, declared) }
        }
        // It would count in what is between two tags.
        declared = 0
    }

    /// Whether the tag at hand is past a limit at the end of a value.
    func isOver(withDeclaration isDeclaration: Bool, at position: Int) -> Bool {
        attributes > limits.attributes || position - tagStart >= tagBound
            || isDeclaration && scope.count + declared >= limits.namespaces
    }
}

func isXMLSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}
